import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Whether the store has the product. It then stays until the transaction ends, for what is to refer to it. */
export const lockProductReference = async (db: Tx, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()) !== undefined
