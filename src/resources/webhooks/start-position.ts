import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { currentCursor, requireCursor } from '../events/feed.ts'
import { type Cursor, decodeCursor } from '../events/feed-cursor.ts'

/** Where a webhook starts to read. */
export const startPosition = async (db: Tx, store: StoreId, text: string, field: string): Promise<Cursor> => {
  if (text === 'now') return currentCursor(db, store)
  const cursor = decodeCursor(text, field)
  await requireCursor(db, store, cursor)
  return cursor
}
