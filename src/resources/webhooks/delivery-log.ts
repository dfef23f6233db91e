import type { Db } from '../../core/storage/database.ts'
import { AND, joinSql, sqlText } from '../../core/storage/sql.ts'
import { runSql, Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { feedId } from '../events/feed.ts'
import { eventId } from '../events/feed-cursor.ts'
import type { DELIVERY_STATES, DeliveryQuery } from './schema.ts'
import type {} from './tables.ts'

interface DeliveryRow {
  position: number
  kind: string
  action: string
  resource_id: string
  state: (typeof DELIVERY_STATES)[number]
  replay: boolean
  attempts: number
  first_at: string | null
  due_at: string | null
  done_at: string | null
  status: number | null
  error: string | null
  ms: number | null
}

/** A page of the log, the newest event first. */
export const readDeliveries = async (db: Db, store: StoreId, id: string, query: DeliveryQuery) => {
  const { state, cursor, page_size } = query
  const statement = new Statement()
  const { bind } = statement
  const where = [
    sqlText`store_id = ${bind(store)} and webhook_id = ${bind(id)}`,
    ...(state ? [sqlText`state = ${bind(state)}`] : []),
    ...(cursor ? [sqlText`position < ${bind(cursor)}`] : []),
  ]
  const rows = await statement.run<DeliveryRow>(
    db,
    sqlText`select position, kind, action, resource_id, state, replay, attempts, iso(first_at) as first_at,
      iso(due_at) as due_at, iso(done_at) as done_at, status, error, ms
    from webhook_delivery where ${joinSql(where, AND)} order by position desc limit ${bind(page_size + 1)}`,
  )
  const feed = await feedId(db, store)
  const [lag] = await runSql<{ behind: number }>(
    db,
    sqlText`select greatest(0, f.last - w.position) as behind from webhook w join feed f on f.store_id = $1
    where w.store_id = $1 and w.id = $2`,
    [store, id],
  )
  const shown = rows.slice(0, page_size)
  return {
    deliveries: shown.map((row) => ({
      event_id: eventId(feed, row.position),
      type: `${row.kind}.${row.action}`,
      resource: { kind: row.kind, id: row.resource_id },
      state: row.state,
      is_replay: row.replay,
      attempts: row.attempts,
      first_attempt_at: row.first_at,
      next_attempt_at: row.due_at,
      done_at: row.done_at,
      status: row.status,
      error: row.error,
      ms: row.ms,
    })),
    next_cursor: rows.length > page_size ? String(shown.at(-1)?.position) : null,
    behind: lag?.behind ?? 0,
  }
}

const DELIVERED_DAYS = 7
const FAILED_DAYS = 30
const MAX_DELETED = 5_000

/** Deletes what was delivered a week ago, and what failed a month ago. */
export const deleteOldDeliveries = async (db: Db): Promise<void> => {
  for (;;) {
    const deleted = await runSql(
      db,
      sqlText`delete from webhook_delivery d using (
        select store_id, webhook_id, position from webhook_delivery
        where done_at < now() - interval '${DELIVERED_DAYS} days'
          and (state = 'delivered' or done_at < now() - interval '${FAILED_DAYS} days') limit ${MAX_DELETED}
      ) o
      where d.store_id = o.store_id and d.webhook_id = o.webhook_id and d.position = o.position returning 1`,
      [],
    )
    if (deleted.length < MAX_DELETED) return
  }
}
