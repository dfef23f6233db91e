import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type { ReviewChanges } from './schema.ts'

export const updateReview = async (db: Tx, store: StoreId, id: string, changes: ReviewChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  const { numUpdatedRows } = await db
    .updateTable('review')
    .set({ ...changes, updated_at: sql`now()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw notFound('review')
}
