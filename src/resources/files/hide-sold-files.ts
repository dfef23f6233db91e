import { sql } from 'kysely'
import { UUID_PATTERN } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

// Matches only URLs that the service rendered: in a text of the store, quotes are escaped.
const SIGNED = new RegExp(
  String.raw`"(url|thumbnail)":"[^"?]*/(${UUID_PATTERN})(?:/thumbnail)?\?expires=\d+&signature=[0-9a-f]+"`,
  'g',
)

/**
 * Removes the signed URLs of sold files from a stored reply, for a caller who has lost `file:browse` since, or a file
 * that was sold since.
 */
export const hideSoldFiles = async (db: Db, store: StoreId, body: string): Promise<string> => {
  const ids = new Set([...body.matchAll(SIGNED)].map(([, , id]) => id as string))
  if (ids.size === 0) return body
  const { rows } = await sql<{ id: string }>`
    select id from file where store_id = ${store} and id = any(${[...ids]}::uuid[]) and was_sold`.execute(db)
  const sold = new Set(rows.map(({ id }) => id))
  return body.replace(SIGNED, (shown, name, id) =>
    sold.has(id) ? `"${name}":${name === 'url' ? '""' : 'null'}` : shown,
  )
}
