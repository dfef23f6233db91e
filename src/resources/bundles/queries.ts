import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type {} from './tables.ts'

export const bundleExists = createExistenceCheck('bundle')

/** Orders keep the names and the price that they were sold with. */
export const deleteBundle = async (db: Tx, store: StoreId, id: string) => {
  const deleted = await db
    .deleteFrom('bundle')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (!deleted) throw notFound('bundle')
}
