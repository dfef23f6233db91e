import { randomUUID } from 'node:crypto'
import { unnumbered } from '../../core/reading/unnumbered-changes.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
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
const IS_FREE = sqlText`w.state = 'on' and (w.leased_until is null or w.leased_until < statement_timestamp())
  and w.app_id <> all($2::uuid[])`

/** A separate statement, because apps belong to no store. */
const disabledApps = async (db: Db): Promise<string[]> => {
  const rows = await runSql<{ id: string }>(db, sqlText`select id from app where disabled_at is not null`, [])
  return rows.map(({ id }) => id)
}

/** Whoever did not release its lease has not stored when the next waiting event is due. */
const hasWork = () => sqlText`(w.lease is not null or w.due_at <= statement_timestamp() or not w.stalled and (
    w.position < f.last
    or exists (select 1 from change c where c.store_id = w.store_id${unnumbered()})))`

/** Webhooks without a lease that have pending work. */
export const findIdleWebhooks = async (db: Db, limit: number) =>
  runSql<{ store_id: StoreId; id: string }>(
    db,
    sqlText`select w.store_id, w.id from webhook w left join feed f on f.store_id = w.store_id
    where ${IS_FREE} and ${hasWork()} order by w.due_at nulls first limit $1`,
    [limit, await disabledApps(db)],
  )

export const findStoresWithWebhooks = (db: Db, limit: number) =>
  runSql<{ store_id: StoreId }>(db, sqlText`select distinct store_id from webhook where state = 'on' limit $1`, [limit])

/** Webhooks without a lease, of stores that have changed. */
export const findWebhooksOf = async (db: Db, stores: readonly string[], limit: number) =>
  runSql<{ store_id: StoreId; id: string }>(
    db,
    sqlText`select w.store_id, w.id from webhook w where w.store_id = any($1) and not w.stalled and ${IS_FREE} limit $3`,
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
export const releaseLease = (db: Db, { store_id, id, lease, lanes }: LeasedWebhook) =>
  runSql(
    db,
    sqlText`update webhook w set lease = null, leased_until = null, due_at = least(w.due_at, (
      select coalesce(d.due_at, $4::timestamptz) from webhook_delivery d
      where d.store_id = $1 and d.webhook_id = $2 and d.state = 'waiting' ${lanes === 1 ? sqlText`` : sqlText`and d.due_at is not null`}
      order by ${lanes === 1 ? sqlText`d.position` : sqlText`d.due_at`} limit 1))
    where w.store_id = $1 and w.id = $2 and w.lease = $3`,
    [store_id, id, lease, new Date()],
  )
