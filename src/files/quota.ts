import { sql } from 'kysely'
import { invalid } from '../errors.ts'
import type { Upload } from '../http/multipart.ts'
import { ADVISORY_LOCKS } from '../storage/advisory-locks.ts'
import type { Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'

const GB = 1024 ** 3

/** Name of the form field. */
const fieldOf = ({ field, index }: Upload) => (field === 'file' ? field : `${field}.${index}`)

/** Uploads whose content the store does not have yet, each content once. */
const newContents = async (db: Tx, store: StoreId, uploads: Upload[]) => {
  const bySha256 = new Map(uploads.map((upload) => [upload.sha256, upload]))
  const { rows } = await sql<{ sha256: string }>`
    select encode(sha256, 'hex') as sha256 from blob
    where store_id = ${store} and sha256 in (select decode(h, 'hex') from unnest(${[...bySha256.keys()]}::text[]) h)
  `.execute(db)
  for (const { sha256 } of rows) bySha256.delete(sha256)
  return [...bySha256.values()]
}

const usedBytes = async (db: Tx, store: StoreId) => {
  const { rows } = await sql<{ used: number }>`
    select coalesce(sum(delta), 0)::bigint as used from tally
    where store_id = ${store} and kind = 'blob' and facet = 'bytes'`.execute(db)
  return rows[0]?.used ?? 0
}

/**
 * Refuses uploads that would exceed the store's quota. A lock serialises the uploads of a store until their claims are
 * committed, so that concurrent uploads cannot exceed the quota together.
 */
export const requireQuota = async (db: Tx, store: StoreId, quotaGb: number, uploads: Upload[]) => {
  await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.quota}, hashtext(${store}))`.execute(db)
  const added = await newContents(db, store, uploads)
  let bytes = await usedBytes(db, store)
  for (const upload of added) {
    bytes += upload.size
    if (bytes > quotaGb * GB)
      throw invalid({
        [fieldOf(upload)]: [`exceeds the storage quota: the files of this store may take ${quotaGb} GB in total`],
      })
  }
}
