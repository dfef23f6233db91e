import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

// Only PostgreSQL's own rendering puts bare quotes around the names: inside a text of the shop they are escaped.
const SIGNED = /"(url|thumbnail)":"[^"?]*\/([0-9a-f-]{36})(?:\/thumbnail)?\?expires=\d+&signature=[0-9a-f]+"/g

/**
 * Takes the signed addresses of sold files out of an answer that was rendered earlier: for a caller who may have had
 * `file:browse` then and has it no longer, or for a file that has been sold since.
 */
export const hideSold = async (db: Db, store: StoreId, body: string): Promise<string> => {
  const ids = new Set([...body.matchAll(SIGNED)].map(([, , id]) => id as string))
  if (ids.size === 0) return body
  const { rows } = await sql<{ id: string }>`
    select id from file where store_id = ${store} and id = any(${[...ids]}::uuid[]) and was_sold`.execute(db)
  const sold = new Set(rows.map(({ id }) => id))
  return body.replace(SIGNED, (shown, name, id) =>
    sold.has(id) ? `"${name}":${name === 'url' ? '""' : 'null'}` : shown,
  )
}
