import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** Records whose orders these were, so that the customer can be erased later. */
export const recordDeleted = async (
  db: Tx,
  store: StoreId,
  customer: { id: string; email_key: string },
  orders: readonly string[],
) => {
  await db
    .insertInto('deleted_customer')
    .values({ store_id: store, ...customer })
    .execute()
  await sql`
    insert into deleted_customer_order (store_id, order_id, customer_id)
    select ${store}::uuid, o.id, ${customer.id}::uuid from unnest(${orders}::uuid[]) o (id)
    on conflict (store_id, order_id) do update set customer_id = excluded.customer_id`.execute(db)
}

/** The email of a deleted customer, whose record is locked; undefined if there is none. */
export const lockDeleted = async (db: Tx, store: StoreId, id: string): Promise<string | undefined> => {
  const deleted = await db
    .selectFrom('deleted_customer')
    .select('email_key')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return deleted?.email_key
}

/** The orders of everybody with this email who was deleted. */
export const ordersOfDeleted = async (db: Tx, store: StoreId, email: string): Promise<string[]> => {
  const { rows } = await sql<{ order_id: string }>`
    select o.order_id from deleted_customer d
    join deleted_customer_order o on o.store_id = ${store} and o.customer_id = d.id
    where d.store_id = ${store} and d.email_key = ${email}`.execute(db)
  return rows.map(({ order_id }) => order_id)
}

/** Deletes the records of this email, when nothing of the person is left. */
export const forgetDeleted = (db: Tx, store: StoreId, email: string) =>
  db.deleteFrom('deleted_customer').where('store_id', '=', store).where('email_key', '=', email).execute()
