import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import type { EventSubject } from './schema.ts'

/** Older entries of the history are deleted. */
const MAX_EVENTS = 500

/** The order that a change is about, and the app that makes the change. */
export interface OrderContext {
  store: StoreId
  order: string
  app: Pick<AppRecord, 'id' | 'name' | 'account' | 'via'>
}

/**
 * Locks the order. Deliveries, returns and refunds are only changed under this lock. Read what they depend on with a
 * later statement: this one may have waited, and its snapshot is older.
 */
export const lockOrder = (db: Tx, store: StoreId, order: string) =>
  db
    .selectFrom('orders')
    .select(['id', 'status', 'is_cancelled'])
    .where('store_id', '=', store)
    .where('id', '=', order)
    .forNoKeyUpdate()
    .executeTakeFirst()

/** Who made the change, as an entry of the history records it. */
export const changedBy = ({ id, name, account, via }: OrderContext['app']) => ({
  app_id: id,
  app_name: name,
  account_id: account?.id ?? null,
  account_name: account?.name ?? null,
  via: via ?? null,
})

interface StateChange {
  subject: EventSubject
  subject_id: string
  from_state: string | null
  to_state: string
}

/** Keeps the newest entries of the history of order $2. A statement does not see those that it adds itself. */
const trim = (added: Sql) => sqlText`
  delete from ${t.order_event} where store_id = $1 and order_id = $2 and id in (
    select id from ${t.order_event} where store_id = $1 and order_id = $2
    order by created_at desc, id desc offset ${MAX_EVENTS} - ${added})`
const TRIM = trim(sqlText`0`)

export const trimHistory = (db: Tx, store: StoreId, order: string) => runSql(db, TRIM, [store, order])

const RECORD = sqlText`
  with touched as (
    update ${t.orders} set updated_at = statement_timestamp() where store_id = $1 and id = $2
  ),
  noted as (
    insert into ${t.order_event} (store_id, order_id, app_id, app_name, account_id, account_name, via,
      subject, subject_id, from_state, to_state)
    select $1::uuid, $2::uuid, $3::uuid, $4::text, $5::uuid, $6::text, $8::text, c.*
    from json_to_recordset($7::json) c (subject text, subject_id uuid, from_state text, to_state text)
  ),
  trimmed as (${trim(sqlText`json_array_length($7::json)`)})
  select 1 as done`

/** Updates `updated_at`, which the `updated_from` filter uses, and adds to the history. Old history entries are deleted. */
export const recordChange = async (db: Tx, context: OrderContext, change?: StateChange): Promise<unknown> => {
  const { store, order, app } = context
  const { app_id, app_name, account_id, account_name, via } = changedBy(app)
  const changes = JSON.stringify(change ? [change] : [])
  return inStore(db, store, RECORD, [store, order, app_id, app_name, account_id, account_name, changes, via])
}
