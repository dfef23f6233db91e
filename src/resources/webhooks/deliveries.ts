import { noteWorkChange } from '../../core/jobs/store-work.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { identifier, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { runSql, type Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import { AUTHOR_COLUMNS, addNames, JSON_COLUMNS, type StoredEvent } from '../events/read-events.ts'
import type { Fault } from './egress.ts'
import type { PauseReason } from './schema.ts'
import type {} from './tables.ts'

/** The result of an attempt, to be stored in `webhook_delivery`. */
export interface Result {
  position: number
  kind: string
  action: string
  resource_id: string
  state: 'waiting' | 'delivered' | 'failed'
  attempts: number
  /** Milliseconds since 1970, as the other times here. */
  first_at: number | null
  due_at: number | null
  done_at: number | null
  status: number | null
  error: Fault | null
  ms: number | null
}

interface Place {
  store_id: StoreId
  id: string
}

export const dropDeliveries = (db: Tx, { store_id, id }: Place, positions: readonly number[]) =>
  runSql(db, sqlText`delete from webhook_delivery where store_id = $1 and webhook_id = $2 and position = any($3)`, [
    ...[store_id, id, positions],
  ])

/** Makes the next waiting event of each resource due, once the one before it is done. */
export const setNextDue = (
  db: Tx,
  { store_id, id }: Place,
  resources: readonly { kind: string; resource_id: string }[],
) =>
  runSql(
    db,
    sqlText`update webhook_delivery d set due_at = statement_timestamp()
    where d.store_id = $1 and d.webhook_id = $2 and d.due_at is null and d.position = any(array(
      select (select w.position from webhook_delivery w
        where w.store_id = $1 and w.webhook_id = $2 and w.state = 'waiting' and w.kind = r.kind
          and w.resource_id = r.resource_id order by w.position limit 1)
      from unnest($3::text[], $4::uuid[]) r (kind, resource_id)))`,
    [store_id, id, resources.map(({ kind }) => kind), resources.map(({ resource_id }) => resource_id)],
  )

export interface Progress {
  position: number
  n: number
  failures: number
  failing_since: number | null
  warned: boolean
  stalled: boolean
}

const time = (column: string) => sqlText`to_timestamp(r.${identifier(column)}::float8 / 1000)`

const STORE = sqlText`with held as (
    update ${t.webhook} set position = $4, n = $5, failures = $6, failing_since = to_timestamp($7::float8 / 1000),
      warned_at = case when $8 then coalesce(warned_at, $10::timestamptz) end, stalled = $9
    where store_id = $1 and id = $2 and lease = $3 returning 1
  ),
  stored as (
    insert into ${t.webhook_delivery} as d (store_id, webhook_id, position, kind, action, resource_id, state, attempts,
      first_at, due_at, done_at, status, error, ms)
    select $1::uuid, $2::uuid, r.position, r.kind, r.action, r.resource_id, r.state, r.attempts, ${time('first_at')},
      ${time('due_at')}, ${time('done_at')}, r.status, r.error, r.ms
    from json_to_recordset($11::json) as r (position bigint, kind text, action text, resource_id uuid, state text,
      attempts smallint, first_at bigint, due_at bigint, done_at bigint, status smallint, error text, ms integer)
    where exists (select 1 from held)
    on conflict (store_id, webhook_id, position) do update set state = excluded.state, attempts = excluded.attempts,
      first_at = excluded.first_at, due_at = excluded.due_at, done_at = excluded.done_at, status = excluded.status,
      error = excluded.error, ms = excluded.ms
  )
  select 1 as done from held`

/** Stores results and progress together. Stores nothing and returns false if another process has taken the lease. */
export const storeProgress = async (
  db: Db,
  { store_id, id, lease }: Place & { lease: string },
  { position, n, failures, failing_since, warned, stalled }: Progress,
  results: readonly Result[],
): Promise<boolean> => {
  const values = [
    ...[store_id, id, lease, position, n, failures, failing_since, warned, stalled, new Date()],
    JSON.stringify(results),
  ]
  return (await inStore(db, store_id, STORE, values)) !== undefined
}

/** Notifies the app with an event that only its own installation sees. */
export const recordWebhookEvent = (
  db: Tx,
  { store_id, id, installation_id }: Place & { installation_id: string },
  action: 'failing' | 'paused',
) =>
  db
    .insertInto('change')
    .values({ store_id, kind: 'webhook', resource_id: id, op: 'n', action, installation_id })
    .execute()

/** Pauses a webhook that cannot continue, and notifies its app. Returns whether it was on. */
export const stopWebhook = async (
  db: Tx,
  webhook: Place & { lease: string; installation_id: string },
  reason: PauseReason,
): Promise<boolean> => {
  const { store_id, id, lease } = webhook
  const rows = await runSql(
    db,
    sqlText`update ${t.webhook} set state = 'paused', reason = $4, paused_at = statement_timestamp(), updated_at = statement_timestamp()
    where store_id = $1 and id = $2 and lease = $3 and state = 'on' returning 1`,
    [store_id, id, lease, reason],
  )
  if (rows.length === 0) return false
  await recordWebhookEvent(db, webhook, 'paused')
  await noteWorkChange(db, 'paused', store_id)
  return true
}

/** Columns of the statement that reads a page of events. */
export interface Noted {
  /** Positions of events that already have a row in `webhook_delivery`. */
  noted: number[] | null
  /** Resources with waiting events. */
  waiting: string[] | null
}

export const notedColumns = ({ bind }: Statement, { store_id, id }: Place): Sql => {
  const own = sqlText`d.store_id = ${bind(store_id)} and d.webhook_id = ${bind(id)}`
  return sqlText`(select json_agg(d.position) from ${t.webhook_delivery} d where ${own}
      and d.position between (select min(p.position) from page p) and (select max(p.position) from page p)) as noted,
    (select json_agg(p.kind || ' ' || p.resource_id) from page p where exists (select 1 from ${t.webhook_delivery} d
      where ${own} and d.state = 'waiting' and d.kind = p.kind and d.resource_id = p.resource_id)) as waiting`
}

export interface WaitingDelivery extends StoredEvent {
  attempts: number
  first_at: Date | null
  replay: boolean
  is_due: boolean
  /** Deleted because of its age. */
  is_gone: boolean
}

const WAITING = sqlText`select d.position, coalesce(e.n, 0) as n, d.kind, d.action, d.resource_id,
    ${JSON_COLUMNS}, ${AUTHOR_COLUMNS},
    coalesce(iso(e.at), '') as at, d.attempts, d.first_at, d.replay, e.position is null as is_gone,
    coalesce(d.due_at <= statement_timestamp(), true) as is_due
  from webhook_delivery d left join event e on e.store_id = $1 and e.position = d.position
  where d.store_id = $1 and d.webhook_id = $2 and d.state = 'waiting'`

/** Waiting events that are due: the first of each resource. */
export const findDue = async (db: Db, { store_id, id }: Place, limit: number): Promise<WaitingDelivery[]> =>
  addNames(
    db,
    await runSql<Omit<WaitingDelivery, 'app_name' | 'account_name'>>(
      db,
      sqlText`${WAITING} and d.due_at <= statement_timestamp() order by d.due_at, d.position limit $3`,
      [store_id, id, limit],
    ),
  )

/** Waiting events, oldest first, up to the first one that is not due. */
export const findOldest = async (db: Db, { store_id, id }: Place, limit: number) => {
  const found = await runSql<Omit<WaitingDelivery, 'app_name' | 'account_name'>>(
    db,
    sqlText`${WAITING} order by d.position limit $3`,
    [store_id, id, limit],
  )
  const rows: WaitingDelivery[] = await addNames(db, found)
  const later = rows.findIndex(({ is_due }) => !is_due)
  return { due: later < 0 ? rows : rows.slice(0, later), any: rows.length > 0 }
}

export const countWaiting = async (db: Db, { store_id, id }: Place, most: number): Promise<number> => {
  const [row] = await runSql<{ count: number }>(
    db,
    sqlText`select count(*) as count from (select 1 from webhook_delivery
      where store_id = $1 and webhook_id = $2 and state = 'waiting' limit $3) w`,
    [store_id, id, most],
  )
  return row?.count ?? 0
}
