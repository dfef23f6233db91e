import type { StoreId } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'

/** Whether the store has the product. It then stays until the transaction ends, for what is to refer to it. */
export const holdProduct = async (db: Tx, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()) !== undefined
