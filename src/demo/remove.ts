import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type Blobs, blobKey, thumbnailKey } from '../storage/blobs.ts'
import { type Db, transact } from '../storage/database.ts'
import { lockDemo } from './note.ts'
import { APP, STORE } from './shop.ts'

/**
 * Deletes the demo store, its app, the bytes of its files and its credentials. The bytes go first: whatever is cut off
 * in the middle is finished by the next try.
 */
export const removeDemo = async (db: Db, blobs: Blobs, dataDir: string) => {
  const removed = await transact(db, async (db) => {
    await lockDemo(db)
    await db.deleteFrom('app').where('id', '=', APP.id).execute()
    // Nothing can be added to a store whose row is locked.
    const store = await db.selectFrom('store').select('id').where('id', '=', STORE.id).forUpdate().executeTakeFirst()
    if (!store) return { store: false, files: 0 }
    const kept = await db.selectFrom('blob').select('sha256').where('store_id', '=', STORE.id).execute()
    const keys = kept.map(({ sha256 }) => sha256.toString('hex'))
    await blobs.remove(keys.flatMap((hex) => [blobKey(STORE.id, hex), thumbnailKey(STORE.id, hex)]))
    await db.deleteFrom('store').where('id', '=', STORE.id).execute()
    return { store: true, files: kept.length }
  })
  await rm(path.join(dataDir, 'demo.json'), { force: true })
  return removed
}
