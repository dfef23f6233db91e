import { randomUUID } from 'node:crypto'
import { dropWork, noteWork, postponeWork, type StoreWork, takeDueWork } from '../../core/jobs/store-work.ts'
import { groupBy } from '../../core/reading/group-by.ts'
import { UNNUMBERED } from '../../core/reading/unnumbered-changes.ts'
import type { Db } from '../../core/storage/database.ts'
import { placeholder, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Payload } from '../events/render.ts'
import type {} from './tables.ts'

/** A process that is killed leaves its webhooks to others after this time. */
export const LEASE_SECONDS = 30

/** A webhook as the process with its lease sees it. */
export interface LeasedWebhook {
  store_id: StoreId
  id: string
  installation_id: string
  app_id: string
  lease: string
  url: string
  types: string[]
  changed: string[] | null
  ignore_self: boolean
  payload: Payload
  lanes: number
  generation: number
  key_mark: string
  /** The secret before the last rotation signs too. */
  signs_with_previous: boolean
  state: string
  position: number
  n: number
  failures: number
  failing_since: Date | null
  warned_at: Date | null
  /** A waiting event is due. */
  has_due: boolean
}

const COLUMNS = sqlText`w.store_id, w.id, w.installation_id, w.app_id, w.lease, w.url, w.types, w.changed, w.ignore_self,
  w.payload, w.lanes, w.generation, w.key_mark,
  coalesce(w.previous_until > statement_timestamp(), false) as signs_with_previous,
  w.state, w.position, w.n, w.failures, w.failing_since, w.warned_at,
  exists (select 1 from webhook_delivery d where d.store_id = $1 and d.webhook_id = $2 and d.state = 'waiting'
    and d.due_at <= statement_timestamp()) as has_due`

const UNTIL = sqlText`statement_timestamp() + interval '${LEASE_SECONDS} seconds'`

/** Not leased, and its app is enabled. */
const isFree = (disabledApps: Sql) => sqlText`w.state = 'on'
  and (w.leased_until is null or w.leased_until < statement_timestamp()) and w.app_id <> all(${disabledApps}::uuid[])`

/** A separate statement, because apps belong to no store. */
const disabledApps = async (db: Db): Promise<string[]> => {
  const rows = await runSql<{ id: string }>(db, sqlText`select id from app where disabled_at is not null`, [])
  return rows.map(({ id }) => id)
}

/** Whoever did not release its lease has not stored when the next waiting event is due. */
const HAS_WORK = sqlText`(w.lease is not null or w.due_at <= statement_timestamp() or not w.stalled and (
    w.position < f.last
    or exists (select 1 from change c where c.store_id = w.store_id${UNNUMBERED})))`

const LOOK = sqlText`select w.store_id, w.id, ${isFree(placeholder(2))} and ${HAS_WORK} as is_idle,
    greatest(w.leased_until, case when w.leased_until is null then w.due_at end) as next
  from webhook w left join feed f on f.store_id = w.store_id
  where w.store_id = any($1) and w.state = 'on'`

interface Looked {
  store_id: StoreId
  id: string
  is_idle: boolean
  /** When the lease of another process ends, or something is due. */
  next: Date | null
}

/** The stores that are due, when somebody is to look at them again, and which of them have no webhooks that are on. */
const afterLook = (taken: readonly StoreWork[], looked: readonly Looked[]) => {
  const byStore = groupBy(looked, ({ store_id }) => store_id)
  const now = Date.now()
  const nextOf = (store: StoreId) => {
    const times = byStore(store).flatMap(({ next }) => (next && next.getTime() > now ? next.getTime() : []))
    return times.length > 0 ? new Date(Math.min(...times)) : null
  }
  const left = taken.filter(({ store_id }) => byStore(store_id).length === 0)
  // Those that are taken now are looked at again when the lease could have expired.
  const waiting = taken.filter(
    ({ store_id }) => byStore(store_id).length > 0 && !byStore(store_id).some(({ is_idle }) => is_idle),
  )
  return { left, waiting: waiting.map((work) => ({ ...work, next: nextOf(work.store_id) })) }
}

/** Webhooks without a lease that have pending work, of at most so many stores. */
export const takeIdleWebhooks = async (db: Db, limit: number) => {
  const taken = await takeDueWork(db, 'webhooks', LEASE_SECONDS, limit)
  if (taken.length === 0) return []
  const stores = taken.map(({ store_id }) => store_id)
  const looked = await runSql<Looked>(db, LOOK, [stores, await disabledApps(db)])
  const { left, waiting } = afterLook(taken, looked)
  if (left.length > 0) await dropWork(db, 'webhooks', left)
  if (waiting.length > 0) await postponeWork(db, 'webhooks', waiting)
  return looked.filter(({ is_idle }) => is_idle)
}

/** Stores with such webhooks, whether somebody has noted that or not. */
export const findStoresWithIdleWebhooks = async (db: Db) =>
  runSql<{ store_id: StoreId }>(
    db,
    sqlText`select distinct w.store_id from webhook w left join feed f on f.store_id = w.store_id
    where ${isFree(placeholder(1))} and ${HAS_WORK}`,
    [await disabledApps(db)],
  )

/** Webhooks without a lease, of stores that have changed. */
export const findWebhooksOf = async (db: Db, stores: readonly string[], limit: number) =>
  runSql<{ store_id: StoreId; id: string }>(
    db,
    sqlText`select w.store_id, w.id from webhook w where w.store_id = any($1) and not w.stalled and ${isFree(placeholder(2))} limit $3`,
    [stores, await disabledApps(db), limit],
  )

const READ = sqlText`select ${COLUMNS} from webhook w where w.store_id = $1 and w.id = $2 and w.lease = $3`

const TAKE = sqlText`update webhook w set lease = $3, leased_until = ${UNTIL}, due_at = null
  where w.store_id = $1 and w.id = $2 and w.state = 'on'
    and (w.leased_until is null or w.leased_until < statement_timestamp()) and w.app_id <> all($4::uuid[]) returning 1`

/** Takes the lease, unless another process was first. */
export const leaseWebhook = async (db: Db, store: StoreId, id: string): Promise<LeasedWebhook | undefined> => {
  const lease = randomUUID()
  const taken = await runSql(db, TAKE, [store, id, lease, await disabledApps(db)])
  return taken.length > 0 ? (await runSql<LeasedWebhook>(db, READ, [store, id, lease]))[0] : undefined
}

const EXTEND = sqlText`update webhook w set leased_until = ${UNTIL} where w.store_id = $1 and w.id = $2 and w.lease = $3`

/** The webhook as it is now; undefined if another process has its lease, or it was deleted. */
export const renewLease = async (
  db: Db,
  { store_id, id, lease }: LeasedWebhook,
  extend: boolean,
): Promise<LeasedWebhook | undefined> => {
  if (extend) await runSql(db, EXTEND, [store_id, id, lease])
  return (await runSql<LeasedWebhook>(db, READ, [store_id, id, lease]))[0]
}

/** Releases the lease, and stores when the next waiting event is due; with one lane, the oldest one decides. */
export const releaseLease = async (db: Db, { store_id, id, lease, lanes }: LeasedWebhook) => {
  const [released] = await runSql<{ due_at: Date | null }>(
    db,
    sqlText`update webhook w set lease = null, leased_until = null, due_at = least(w.due_at, (
      select coalesce(d.due_at, $4::timestamptz) from webhook_delivery d
      where d.store_id = $1 and d.webhook_id = $2 and d.state = 'waiting' ${lanes === 1 ? sqlText`` : sqlText`and d.due_at is not null`}
      order by ${lanes === 1 ? sqlText`d.position` : sqlText`d.due_at`} limit 1))
    where w.store_id = $1 and w.id = $2 and w.lease = $3 returning w.due_at`,
    [store_id, id, lease, new Date()],
  )
  if (released?.due_at) await noteWork(db, 'webhooks', [store_id], released.due_at)
}
