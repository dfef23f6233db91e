import { sql } from 'kysely'
import type { Upload } from '../../core/http/multipart.ts'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'

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

/** The bytes that these uploads add to what the store has. */
export const newBytes = async (db: Tx, store: StoreId, uploads: Upload[]) =>
  (await newContents(db, store, uploads)).reduce((sum, { size }) => sum + size, 0)

/** What the store's files take, and the inputs of its bulk jobs. */
const usedBytes = async (db: Tx, store: StoreId) => {
  const { rows } = await sql<{ used: number }>`
    select (
      (select coalesce(sum(delta), 0) from tally where store_id = ${store} and kind = 'blob' and facet = 'bytes') +
      (select coalesce(sum(bytes), 0) from bulk_job where store_id = ${store} and has_input)
    )::bigint as used`.execute(db)
  return rows[0]?.used ?? 0
}

/** Serialises what a store adds until it is committed, so that concurrent requests cannot exceed the quota together. */
const lockQuota = (db: Tx, store: StoreId) =>
  sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.quota}, hashtext(${store}))`.execute(db)

const requireBelow = (bytes: number, quotaGb: number, field: string) => {
  if (bytes > quotaGb * GB)
    throw invalid({
      [field]: [`exceeds the storage quota: the files and bulk inputs of this store may take ${quotaGb} GB in total`],
    })
}

/** Refuses uploads that would exceed the store's quota. */
export const requireQuota = async (db: Tx, store: StoreId, quotaGb: number, uploads: Upload[]) => {
  await lockQuota(db, store)
  const added = await newContents(db, store, uploads)
  let bytes = await usedBytes(db, store)
  for (const upload of added) {
    bytes += upload.size
    requireBelow(bytes, quotaGb, fieldOf(upload))
  }
}

/** Refuses the input of a bulk job that would exceed the store's quota. */
export const requireQuotaForInput = async (db: Tx, store: StoreId, quotaGb: number, bytes: number, field: string) => {
  await lockQuota(db, store)
  requireBelow((await usedBytes(db, store)) + bytes, quotaGb, field)
}
