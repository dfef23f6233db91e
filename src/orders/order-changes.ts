import { sql } from 'kysely'
import type { AppRecord } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { trimHistory } from './order-size.ts'
import type { EventSubject } from './schema.ts'

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

/** Updates `updated_at`, which the `updated_from` filter uses. */
export const touchOrder = (db: Tx, { store, order }: OrderContext) =>
  db
    .updateTable('orders')
    .set({ updated_at: sql`clock_timestamp()` })
    .where('store_id', '=', store)
    .where('id', '=', order)
    .execute()

/** Who made the change, as an entry of the history records it. */
export const changedBy = ({ id, name, account }: OrderContext['app']) => ({
  app_id: id,
  app_name: name,
  account_id: account?.id ?? null,
  account_name: account?.name ?? null,
})

export const recordState = async (
  db: Tx,
  { store, order, app }: OrderContext,
  change: { subject: EventSubject; subject_id: string; from_state: string | null; to_state: string },
) => {
  await db
    .insertInto('order_event')
    .values({ store_id: store, order_id: order, ...changedBy(app), ...change })
    .execute()
  await trimHistory(db, { store, order })
}
