import { createExistenceCheck } from '../reading/single-row.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

export const reviewExists = createExistenceCheck('review')

/** Also deletes its links to files, but not the files. */
export const deleteReview = (db: Tx, store: StoreId, id: string) =>
  db.deleteFrom('review').where('store_id', '=', store).where('id', '=', id).returning('id').executeTakeFirst()
