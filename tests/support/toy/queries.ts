import type { Db, Tx } from '../../../src/core/storage/database.ts'
import type { StoreId } from '../../../src/core/storage/store-id.ts'
import type { DiscountChanges, NewDiscount } from './schema.ts'
import type {} from './tables.ts'

export const productExists = async (db: Db, store: StoreId, id: string) =>
  (await db
    .selectFrom('product')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()) !== undefined

export const insertDiscount = async (db: Tx, store: StoreId, { code, status, product_id = null }: NewDiscount) => {
  const { id } = await db
    .insertInto('discount')
    .values({ store_id: store, code, product_id, ...(status && { status }) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const updateDiscount = (db: Tx, store: StoreId, id: string, changes: DiscountChanges) =>
  db.updateTable('discount').set(changes).where('store_id', '=', store).where('id', '=', id).execute()
