import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

export const orderExists = createExistenceCheck('orders')

/** How many orders a phone number has in a store, and what became of them. */
export const countsOfPhone = async (db: Db, store: StoreId, phone: string) => {
  const found = await db
    .selectFrom('phone_count')
    .select(['placed as orders', 'delivered', 'returned', 'open'])
    .where('store_id', '=', store)
    .where('phone', '=', phone)
    .executeTakeFirst()
  return found ?? { orders: 0, delivered: 0, returned: 0, open: 0 }
}
