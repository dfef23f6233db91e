import { readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { type Blobs, blobKey, thumbnailKey } from '../../core/storage/blobs/blobs.ts'
import { type Db, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** A claim older than this belongs to a crashed process. No upload takes a day. */
const ABANDONED_HOURS = 24
const MAX_AT_ONCE = 500

type Claim = { store_id: StoreId; id: string }
type BlobServices = { db: Db; blobs: Blobs }

/**
 * Releases a claim, and deletes the content if no file and no other claim needs it. The blob's row is locked meanwhile,
 * so that an upload of the same content waits and then stores it again.
 */
const releaseClaim = (db: Db, blobs: Blobs, { store_id, id }: Claim) =>
  transact(db, async (db) => {
    const { rows } = await sql<{ sha256: Buffer }>`
      select sha256 from blob
      where (store_id, sha256) in (select store_id, sha256 from blob_claim where store_id = ${store_id} and id = ${id})
      for update`.execute(db)
    const sha256 = rows[0]?.sha256
    await db.deleteFrom('blob_claim').where('store_id', '=', store_id).where('id', '=', id).execute()
    if (!sha256) return
    const needed = await sql`
      select 1 from file where store_id = ${store_id} and sha256 = ${sha256}
      union all select 1 from blob_claim where store_id = ${store_id} and sha256 = ${sha256} limit 1`.execute(db)
    if (needed.rows.length > 0) return
    const hex = sha256.toString('hex')
    await blobs.remove([blobKey(store_id, hex), thumbnailKey(store_id, hex)])
    await db.deleteFrom('blob').where('store_id', '=', store_id).where('sha256', '=', sha256).execute()
  })

/** Releases claims that did not become files. */
export const releaseClaims = async ({ db, blobs }: BlobServices, store: StoreId, claims: string[]) => {
  if (claims.length === 0) return
  const open = await db
    .selectFrom('blob_claim')
    .select(['store_id', 'id'])
    .where('store_id', '=', store)
    .where('id', 'in', claims)
    .execute()
  for (const claim of open) await releaseClaim(db, blobs, claim)
}

/** Deletes temporary files that have not been written to for long. */
const removeStaleIncoming = async ({ blobs }: BlobServices, olderThanMs: number) => {
  for (const name of await readdir(blobs.incoming)) {
    const file = path.join(blobs.incoming, name)
    const found = await stat(file).catch(() => undefined)
    if (found?.isFile() && found.mtimeMs <= Date.now() - olderThanMs) await rm(file, { force: true })
  }
}

/** Cleans up after uploads and deletions that a crash interrupted. */
export const removeUnclaimedBlobs = async (services: BlobServices, olderThanHours = ABANDONED_HOURS) => {
  await removeStaleIncoming(services, olderThanHours * 3_600_000)
  const { rows } = await sql<Claim>`
    select store_id, id from blob_claim where created_at <= now() - make_interval(hours => ${olderThanHours})
    order by created_at limit ${MAX_AT_ONCE}`.execute(services.db)
  for (const claim of rows) await releaseClaim(services.db, services.blobs, claim)
}
