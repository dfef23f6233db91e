import type { Static } from 'typebox'
import { encodeCursor, readCursor } from '../../core/reading/cursor.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type { HistoryQuery, StockChangeEntry } from './schema.ts'
import type {} from './tables.ts'

/**
 * What orders took when they were placed, and every other change. A row of an index for each, read from the newest on: the
 * first page of a variant that was sold a hundred thousand times reads one page of rows.
 */
const CHANGES = sqlText`(
    select l.id, l.stock_placed_at as at, 'order_placed' as kind, -l.stock_placed::bigint as delta, l.order_id, null::text as reason,
      null::uuid as app_id, null::uuid as account_id
    from order_line l where l.store_id = $1 and l.variant_id = $2 and l.stock_placed > 0
    union all
    select c.id, c.at, c.kind, c.delta, c.order_id, c.reason, c.app_id, c.account_id
    from stock_change c where c.store_id = $1 and c.variant_id = $2
  ) h`

/** Newest first, each with the sum of those that came after it: so much less, the quantity was what it left. */
const PAGE = sqlText`
  with page as (
    select * from (
      select h.*, coalesce(sum(h.delta) over (
        order by h.at desc, h.id desc rows between unbounded preceding and 1 preceding), 0)::bigint as since from ${CHANGES}
    ) s where $3::timestamptz is null or (s.at, s.id) < ($3, $4::uuid) order by s.at desc, s.id desc
    offset $5::bigint limit $6::bigint
  )
  select p.id, iso(p.at::timestamptz(3)) as created_at, to_json(p.at)#>>'{}' as at, p.kind, p.delta, v.quantity - p.since as quantity, p.reason, o.id as order_id, o.ref, p.app_id, p.account_id,
    e.app_name, e.account_name
  from page p join variant v on v.store_id = $1 and v.id = $2
  left join orders o on o.store_id = $1 and o.id = p.order_id
  left join lateral (
    select e.app_name, e.account_name from order_event e
    where e.store_id = $1 and e.order_id = p.order_id and p.kind = 'order_placed' order by e.created_at, e.id limit 1
  ) e on true
  order by p.at desc, p.id desc`

/** What no change explains was there before the first of them. */
const OPENING = sqlText`
  select count(h.id)::int as changes, v.quantity - coalesce(sum(h.delta), 0)::bigint as quantity, iso(v.created_at) as created_at
  from variant v left join ${CHANGES} on true
  where v.store_id = $1 and v.id = $2 group by v.store_id, v.id`

interface Change {
  id: string
  created_at: string
  at: string
  kind: Entry['kind']
  delta: string
  quantity: string
  reason: string | null
  order_id: string | null
  ref: string | null
  app_id: string | null
  account_id: string | null
  app_name: string | null
  account_name: string | null
}

type Entry = Static<typeof StockChangeEntry>

const APP_NAMES = sqlText`select id, name from app where id = any($1)`
const ACCOUNT_NAMES = sqlText`select id, name from account where id = any($1)`

const namesOf = async (db: Db, statement: typeof APP_NAMES, ids: readonly (string | null)[]) => {
  const known = [...new Set(ids.flatMap((id) => id ?? []))]
  const rows = known.length === 0 ? [] : await runSql<{ id: string; name: string }>(db, statement, [known])
  return new Map<string | null, string>(rows.map(({ id, name }) => [id, name]))
}

const entriesOf = async (db: Db, changes: readonly Change[], showsOrders: boolean): Promise<Entry[]> => {
  const [apps, accounts] = await Promise.all([
    namesOf(
      db,
      APP_NAMES,
      changes.map(({ app_id }) => app_id),
    ),
    namesOf(
      db,
      ACCOUNT_NAMES,
      changes.map(({ account_id }) => account_id),
    ),
  ])
  return changes.map(
    ({ id, created_at, kind, delta, quantity, reason, order_id, ref, app_id, account_id, ...names }) => ({
      id,
      kind,
      delta: Number(delta),
      quantity: Number(quantity),
      reason,
      order: showsOrders && order_id !== null && ref !== null ? { id: order_id, ref } : null,
      app_name: names.app_name ?? apps.get(app_id) ?? null,
      account_name: names.account_name ?? accounts.get(account_id) ?? null,
      created_at,
    }),
  )
}

const SORT = { order_by: 'created_at', order_direction: 'DESC' } as const

/** A page of the history of a variant's stock, newest first. The last entry is the quantity that it began with. */
export const readHistory = async (
  db: Db,
  store: StoreId,
  variant: string,
  query: HistoryQuery,
  showsOrders: boolean,
) => {
  const { page_size: size, total: isCounted = true } = query
  const cursor = query.cursor
    ? readCursor({ ...SORT, page: query.page, page_size: size }, query.cursor, (sort) =>
        sort === SORT.order_by ? 'timestamptz' : undefined,
      )
    : undefined
  const page = cursor?.page ?? query.page
  const [at = null, last = null] = cursor?.after ?? []
  const offset = cursor ? 0 : (page - 1) * size
  const found = await runSql<Change>(db, PAGE, [store, variant, at, last, offset, size + 1])
  const shown = found.slice(0, size)
  const entries = await entriesOf(db, shown, showsOrders)
  let total: number | null = null
  if (isCounted || shown.length < size) {
    const [opening] = await runSql<{ changes: number; quantity: string; created_at: string }>(db, OPENING, [
      store,
      variant,
    ])
    if (!opening) throw notFound('variant')
    const { changes, created_at } = opening
    const quantity = Number(opening.quantity)
    if (isCounted) total = changes + 1
    if (shown.length < size && (cursor || offset <= changes))
      entries.push({
        ...{ id: null, kind: 'opening', delta: quantity, quantity, reason: null, order: null },
        ...{ app_name: null, account_name: null, created_at },
      })
  }
  const end = shown.length === size ? shown.at(-1) : undefined
  return {
    history: entries,
    pagination: {
      total,
      per_page: size,
      current_page: page,
      last_page: total === null ? null : Math.max(1, Math.ceil(total / size)),
      next_cursor: end
        ? encodeCursor({ sort: SORT.order_by, direction: 'DESC', page: page + 1, after: [end.at, end.id] })
        : null,
    },
  }
}
