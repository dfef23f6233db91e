import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { deleteFiles, listLinks, lockFiles } from './queries.ts'
import type { FileDeletion } from './schema.ts'

/** Deletes those that nothing uses at that moment, and says what became of each. The claims are to be released afterwards. */
export const deleteUnusedFiles = async (db: Tx, store: StoreId, ids: string[], shownLinks: number) => {
  const known = new Set(await lockFiles(db, store, ids))
  const links = await listLinks(db, store, [...known], Math.max(1, shownLinks))
  const claims = await deleteFiles(
    db,
    store,
    [...known].filter((id) => !links.has(id)),
  )
  const files = ids.map((id): FileDeletion => {
    const result = !known.has(id) ? 'not_found' : links.has(id) ? 'in_use' : 'deleted'
    return { id, result, links: links.get(id)?.slice(0, shownLinks) ?? [] }
  })
  return { files, claims }
}
