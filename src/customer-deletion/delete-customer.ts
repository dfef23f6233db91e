import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { notFound } from '../errors.ts'
import { CONTACT_COLUMNS } from '../orders/contact-columns.ts'
import { orderSearchText } from '../orders/search.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

const blank = Object.fromEntries(CONTACT_COLUMNS.map((column) => [column, ''])) as Record<
  (typeof CONTACT_COLUMNS)[number],
  ''
>

/** Locks the orders before the customer, as a change of an order does. */
const lockOrdersOf = (db: Tx, store: StoreId, customer: string) =>
  sql`select 1 from orders where store_id = ${store} and customer_id = ${customer} order by id for no key update`.execute(
    db,
  )

const lockCustomer = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** Detaches the customer's orders, and with `erase` clears their personal fields. Returns the orders. */
const detachOrders = (db: Tx, store: StoreId, customer: string, erase: boolean) =>
  db
    .updateTable('orders')
    .set({
      customer_id: null,
      updated_at: sql<string>`statement_timestamp()`,
      ...(erase && { ...blank, card_brand: null, card_last4: null, meta_data: '{}' }),
    })
    .where('store_id', '=', store)
    .where('customer_id', '=', customer)
    .returning(['id', 'ref'])
    .execute()

/** The searchable text of an erased order: its ref and id. */
const eraseSearchTexts = async (db: Tx, store: StoreId, orders: readonly { id: string; ref: string }[]) => {
  const texts = orders.map((order) => orderSearchText({ ...blank, ...order }))
  await sql`
    update order_search s set text = e.text
    from unnest(${orders.map(({ id }) => id)}::uuid[], ${texts}::text[]) e (order_id, text)
    where s.store_id = ${store} and s.order_id = e.order_id`.execute(db)
}

/** Deletes a customer. With `erase`, the personal fields of their orders become empty as well. */
export const deleteCustomer = async (
  db: Tx,
  { store, texts }: Pick<FastifyRequest, 'store' | 'texts'>,
  id: string,
  erase: boolean,
): Promise<void> => {
  await lockOrdersOf(db, store, id)
  // Waits for an order that is being placed for this customer, and detaches it with the others.
  if (!(await lockCustomer(db, store, id))) throw notFound('customer')
  const orders = await detachOrders(db, store, id, erase)
  if (erase && orders.length > 0) await eraseSearchTexts(db, store, orders)
  await db.deleteFrom('customer').where('store_id', '=', store).where('id', '=', id).execute()
  for (const order of orders) await texts.keep(db, 'order', order.id)
}
