import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { isDistributed } from '../../core/storage/distributed.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { EventSubject } from './schema.ts'

/** Older entries of the history are deleted. */
export const MAX_EVENTS = 500

/** The order that a change is about, and the app that makes the change. */
export interface OrderContext {
  store: StoreId
  order: string
  app: Pick<AppRecord, 'id' | 'name' | 'account'>
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
export const changedBy = ({ id, name, account }: OrderContext['app']) => ({
  app_id: id,
  app_name: name,
  account_id: account?.id ?? null,
  account_name: account?.name ?? null,
})

interface StateChange {
  subject: EventSubject
  subject_id: string
  from_state: string | null
  to_state: string
}

/** The same as one statement each, for a distributed database: it takes no statement that writes several tables. */
const recordInSteps = async (db: Tx, { store, order, app }: OrderContext, change?: StateChange) => {
  await sql`update orders set updated_at = statement_timestamp() where store_id = ${store} and id = ${order}`.execute(
    db,
  )
  if (change)
    await db
      .insertInto('order_event')
      .values({ store_id: store, order_id: order, ...changedBy(app), ...change })
      .execute()
  await sql`delete from order_event where store_id = ${store} and order_id = ${order} and id in (
    select id from order_event where store_id = ${store} and order_id = ${order}
    order by created_at desc, id desc offset ${MAX_EVENTS})`.execute(db)
}

/** Updates `updated_at`, which the `updated_from` filter uses, and adds to the history. Old history entries are deleted. */
export const recordChange = async (db: Tx, context: OrderContext, change?: StateChange): Promise<unknown> => {
  if (isDistributed()) return recordInSteps(db, context, change)
  const { store, order, app } = context
  const { app_id, app_name, account_id, account_name } = changedBy(app)
  const changes = change ? [change] : []
  await sql`
    with touched as (
      update orders set updated_at = statement_timestamp() where store_id = ${store} and id = ${order}
    ),
    noted as (
      insert into order_event (store_id, order_id, app_id, app_name, account_id, account_name,
        subject, subject_id, from_state, to_state)
      select ${store}::uuid, ${order}::uuid, ${app_id}::uuid, ${app_name}::text, ${account_id}::uuid,
        ${account_name}::text, c.*
      from json_to_recordset(${JSON.stringify(changes)}::json) c (
        subject text, subject_id uuid, from_state text, to_state text)
    )
    delete from order_event where store_id = ${store} and order_id = ${order} and id in (
      select id from order_event where store_id = ${store} and order_id = ${order}
      order by created_at desc, id desc offset ${MAX_EVENTS - changes.length})`.execute(db)
}
