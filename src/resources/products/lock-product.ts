import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** Returns whether the product exists in the store, and locks it against deletion until the transaction ends. */
export const lockProductReference = async (db: Tx, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()) !== undefined
