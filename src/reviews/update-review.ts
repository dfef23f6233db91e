import { sql } from 'kysely'
import { notFound } from '../errors.ts'
import type { FileUrls } from '../files/file-urls.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { findReview } from './queries.ts'
import type { ReviewChanges } from './schema.ts'

export const updateReview = async (
  db: Tx,
  fileUrls: FileUrls,
  store: StoreId,
  id: string,
  changes: ReviewChanges,
): Promise<string> => {
  if (Object.keys(changes).length > 0) {
    await db
      .updateTable('review')
      .set({ ...changes, updated_at: sql`now()` })
      .where('store_id', '=', store)
      .where('id', '=', id)
      .execute()
  }
  const review = await findReview(db, fileUrls, store, id)
  if (!review) throw notFound('review')
  return review
}
