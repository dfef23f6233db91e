import { sql } from 'kysely'
import { decimal, type Thousandths } from '../../core/input/money.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { findOrCreateCustomer } from '../customers/find-or-create-customer.ts'
import { fullName } from './rules.ts'

export interface OrderCustomer {
  customer_first_name: string
  customer_last_name: string
  customer_email: string
  customer_phone: string
  customer_address: string
  customer_city: string
  customer_postal_code: string
  country_id: string | null
}

/** The customer that an order creates, if there is none with its email. */
export const orderCustomer = (order: OrderCustomer) => ({
  email: order.customer_email,
  name: fullName(order.customer_first_name, order.customer_last_name),
  phone: order.customer_phone || null,
  address: order.customer_address || null,
  city: order.customer_city || null,
  postal_code: order.customer_postal_code || null,
  country_id: order.country_id,
})

/** Finds or creates the customer of an order by its email. Without an email the order has no customer. */
export const resolveCustomer = async (db: Tx, store: StoreId, order: OrderCustomer): Promise<string | null> =>
  order.customer_email === '' ? null : findOrCreateCustomer(db, store, orderCustomer(order))

/**
 * Locks the customers before the order is written, so that concurrent orders of one customer add up. Locks in the order
 * of ids, and after the variants, to avoid deadlocks.
 */
export const lockCustomers = (db: Tx, store: StoreId, ids: readonly (string | null)[]) =>
  db
    .selectFrom('customer')
    .select('id')
    .where('store_id', '=', store)
    .where(
      'id',
      'in',
      ids.filter((id) => id !== null),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()

export interface CustomerChange {
  id: string
  orders: number
  spent: Thousandths
}

const signed = (amount: Thousandths) => (amount < 0n ? `-${decimal(-amount)}` : decimal(amount))

/** Adds the difference instead of summing all orders, so that the number of orders does not matter. */
export const addToCustomerTotals = async (db: Tx, store: StoreId, changes: readonly CustomerChange[]) => {
  if (changes.length === 0) return
  const ids = changes.map(({ id }) => id)
  const orders = changes.map(({ orders }) => orders)
  const amounts = changes.map(({ spent }) => signed(spent))
  await sql`
    update customer c set
      order_count = c.order_count + x.orders,
      amount_spent = c.amount_spent + x.spent,
      latest_order_id = (
        select o.id from orders o where o.store_id = ${store} and o.customer_id = c.id
        order by o.created_at desc, o.id desc limit 1),
      updated_at = statement_timestamp()
    from unnest(${ids}::uuid[], ${orders}::int[], ${amounts}::numeric[]) x (id, orders, spent)
    where c.store_id = ${store} and c.id = x.id`.execute(db)
}
