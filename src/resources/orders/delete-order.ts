import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { addToCustomerTotals, lockCustomers } from './customer-totals.ts'
import { amountSpent, holdsStock } from './rules.ts'
import type { OrderStatus } from './schema.ts'
import { releaseStock } from './stock.ts'

const lockOrderRow = async (db: Tx, store: StoreId, id: string) => {
  const order = await db
    .selectFrom('orders')
    .select(['id', 'status', 'is_cancelled', 'customer_id', 'total'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return order && { ...order, status: order.status as OrderStatus }
}

/** Deletes an order with its deliveries, returns and refunds. Units that have not left return to stock. */
export const deleteOrder = async (db: Tx, store: StoreId, id: string): Promise<void> => {
  const order = await lockOrderRow(db, store, id)
  if (!order) throw notFound('order')
  if (holdsStock(order)) await releaseStock(db, store, id)
  const { customer_id } = order
  if (customer_id) await lockCustomers(db, store, [customer_id])
  await db.deleteFrom('orders').where('store_id', '=', store).where('id', '=', id).execute()
  if (customer_id) await addToCustomerTotals(db, store, [{ id: customer_id, orders: -1, spent: -amountSpent(order) }])
}
