import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Blobs } from '../core/storage/blobs/blobs.ts'
import { type Db, transact } from '../core/storage/database.ts'
import { deleteStore } from '../resources/stores/remove-store.ts'
import { EXAMPLE_CLIENT_IDS } from './example-apps.ts'
import { lockDemo } from './note.ts'
import { APP, STORE } from './store.ts'

/**
 * Deletes the demo store, its app, its files and its credentials. Files are deleted first, so that an interrupted removal
 * can be repeated.
 */
export const removeDemo = async (db: Db, blobs: Blobs, dataDir: string) => {
  const removed = await transact(db, async (db) => {
    await lockDemo(db)
    await db.deleteFrom('app').where('id', '=', APP.id).execute()
    await db.deleteFrom('app').where('client_id', 'in', EXAMPLE_CLIENT_IDS).execute()
    const files = await deleteStore(db, blobs, STORE.id)
    return { store: files !== undefined, files: files ?? 0 }
  })
  await rm(path.join(dataDir, 'demo.json'), { force: true })
  return removed
}
