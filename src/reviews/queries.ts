import { createExistenceCheck } from '../reading/single-row.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

export const reviewExists = createExistenceCheck('review')

/** Its links to files go with it; the files stay. */
export const deleteReview = (db: Tx, store: StoreId, id: string) =>
  db.deleteFrom('review').where('store_id', '=', store).where('id', '=', id).returning('id').executeTakeFirst()
