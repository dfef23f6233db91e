import { sql } from 'kysely'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { instantOf, isTimeZone, wallAt } from '../analytics/local-time.ts'
import { countCallsOfStores } from '../calls/queries.ts'
import { countContents } from '../stores/remove-store.ts'
import { PAGE_SIZE } from './schema.ts'

const DAY = 24 * 3_600_000
/** In which calls are counted. */
const HOURS = 24

interface Services {
  db: Db
  /** Calls are logged. */
  isCounting: boolean
}

interface StoreFilters {
  search?: string | undefined
  state?: 'active' | 'suspended' | undefined
  cursor?: number | undefined
}

const selectStores = (db: Db) =>
  db
    .selectFrom('store as s')
    .select(['s.id', 's.name', 's.domain', 's.currency', 's.time_zone', 's.suspended_at', 's.created_at'])
    .select(sql<number>`(select count(*)::int from membership m where m.store_id = s.id)`.as('people'))
    .select(
      sql<number>`(select count(*)::int from installation i join app a on a.id = i.app_id
        where i.store_id = s.id and not a.built_in)`.as('apps'),
    )
    .select(
      sql<string | null>`(select p.name from subscription u join plan p on p.id = u.plan_id
        where u.store_id = s.id)`.as('plan'),
    )

type Row = Awaited<ReturnType<ReturnType<typeof selectStores>['execute']>>[number]

const startOfToday = (zone: string) => {
  const known = isTimeZone(zone) ? zone : 'UTC'
  return new Date(instantOf(known, Math.floor(wallAt(known, Date.now()) / DAY) * DAY))
}

/** Of these stores, unless calls are not counted. */
const countCalls = async ({ db, isCounting }: Services, rows: readonly Row[]) => {
  const ids = rows.map(({ id }) => id)
  const counted = isCounting && ids.length > 0 ? await countCallsOfStores(db, ids, HOURS) : undefined
  return (id: string) => (isCounting ? (counted?.get(id) ?? { calls: 0, errors: 0 }) : { calls: null, errors: null })
}

/** One statement for each store: in a distributed database, stores are on different machines. */
const show = async (db: Db, { suspended_at, created_at, ...store }: Row) => {
  const { rows } = await sql<{ orders: number }>`select count(*)::int as orders from orders
    where store_id = ${store.id} and created_at >= ${startOfToday(store.time_zone)}`.execute(db)
  return {
    ...store,
    suspended_at: suspended_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    orders_today: rows[0]?.orders ?? 0,
  }
}

/** A page of the stores, by name, with the orders that each has had today in its own time zone, and its calls. */
export const listStores = async (services: Services, { search, state, cursor = 0 }: StoreFilters) => {
  const { db } = services
  const matches = sql<boolean>`(${search ?? null}::text is null
      or position(lower(${search ?? ''}) in lower(concat_ws(' ', s.name, s.domain, s.id))) > 0)
    and (${state ?? null}::text is null or (${state ?? null} = 'suspended') = (s.suspended_at is not null))`
  const counted = await db
    .selectFrom('store as s')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(matches)
    .executeTakeFirstOrThrow()
  const total = Number(counted.total)
  const rows = await selectStores(db)
    .where(matches)
    .orderBy(sql`lower(s.name)`)
    .orderBy('s.id')
    .offset(cursor)
    .limit(PAGE_SIZE)
    .execute()
  const callsOf = await countCalls(services, rows)
  const stores = []
  for (const row of rows) stores.push({ ...(await show(db, row)), ...callsOf(row.id) })
  const next = cursor + rows.length
  return { stores, pagination: { total, next_cursor: next < total ? String(next) : null } }
}

/** A store with what a removal would delete. */
export const describeStore = async (services: Services, id: string) => {
  const { db } = services
  const row = await selectStores(db)
    .where('s.id', '=', id as StoreId)
    .executeTakeFirst()
  if (!row) throw notFound('store')
  const { products, orders, customers, files } = await countContents(db, row.id)
  const counts = { products, orders, customers, files }
  const contents = Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)]))
  const callsOf = await countCalls(services, [row])
  return { store: { ...(await show(db, row)), ...callsOf(id) }, contents: contents as typeof counts }
}
