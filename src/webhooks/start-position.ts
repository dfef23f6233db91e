import { currentCursor, requireCursor } from '../events/feed.ts'
import { type Cursor, decodeCursor } from '../events/feed-cursor.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

/** Where a webhook starts to read. */
export const startPosition = async (db: Tx, store: StoreId, text: string, field: string): Promise<Cursor> => {
  if (text === 'now') return currentCursor(db, store)
  const cursor = decodeCursor(text, field)
  await requireCursor(db, store, cursor)
  return cursor
}
