import { sql } from 'kysely'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { File } from './schema.ts'

/** Nothing but a file has it, apart from custom data. */
const ADDRESS: keyof File = 'permanent_url'

/** The files in a reply, wherever they are. */
const filesIn = (shown: unknown): File[] => {
  if (typeof shown !== 'object' || shown === null) return []
  const isFile = ADDRESS in shown && 'id' in shown && typeof shown.id === 'string' && isUuid(shown.id)
  return isFile ? [shown as File] : Object.values(shown).flatMap(filesIn)
}

/**
 * Withholds the URLs of sold files in a stored reply, for a caller who has lost `file:browse` since, or a file that was sold
 * since.
 */
export const hideSoldFiles = async (db: Db, store: StoreId, body: string): Promise<string> => {
  if (!body.includes(ADDRESS)) return body
  const reply: unknown = JSON.parse(body)
  const files = filesIn(reply)
  const { rows } = await sql<{ id: string }>`
    select id from file where store_id = ${store} and id = any(${files.map(({ id }) => id)}::uuid[]) and was_sold`.execute(
    db,
  )
  if (rows.length === 0) return body
  const sold = new Set(rows.map(({ id }) => id))
  for (const file of files)
    if (sold.has(file.id)) Object.assign(file, { url: '', thumbnail: null } satisfies Partial<File>)
  return JSON.stringify(reply)
}
