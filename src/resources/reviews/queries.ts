import { sql } from 'kysely'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

export const reviewExists = createExistenceCheck('review')

/** Also deletes its links to files, but not the files. */
export const deleteReview = (db: Tx, store: StoreId, id: string) =>
  db.deleteFrom('review').where('store_id', '=', store).where('id', '=', id).returning('id').executeTakeFirst()

/** Reviews with this email in any spelling. */
const byEmail = (email: string) => sql<boolean>`slug_key(reviewer_email) = slug_key(${email})`

export const hasReviews = async (db: Tx, store: StoreId, email: string): Promise<boolean> => {
  const found = db.selectFrom('review').select('id').where('store_id', '=', store).where(byEmail(email)).limit(1)
  return (await found.executeTakeFirst()) !== undefined
}

/** Clears name and email of a reviewer in all their reviews. */
export const eraseReviewer = (db: Tx, store: StoreId, email: string) =>
  db
    .updateTable('review')
    .set({ reviewer_name: '', reviewer_email: null, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where(byEmail(email))
    .execute()
