import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { Config } from '../config/config.ts'
import { ApiError } from '../errors.ts'
import { isDryRun } from '../http/dry-run.ts'
import { type FileReceiver, type Form, type FormRules, receiveForm, type Upload } from '../http/multipart.ts'
import { type Blobs, blobKey, thumbnailKey } from '../storage/blobs/blobs.ts'
import { type Db, type Tx, transact } from '../storage/database.ts'
import { isDiskFull } from '../storage/disk-full.ts'
import type { StoreId } from '../storage/store-id.ts'
import { requireQuota } from './quota.ts'
import { uploadBytes } from './rules.ts'
import { deleteStaged, stageUpload } from './stage-upload.ts'
import { releaseClaims } from './unclaimed-blobs.ts'

export type UploadServices = { db: Db; blobs: Blobs; config: Config; log: Logger }

/** Claims the content before it is stored, so that the cleanup does not delete it before its row exists. */
const claim = async (db: Db, store: StoreId, uploads: Upload[]) => {
  const contents = JSON.stringify(
    uploads.map(({ sha256, size, mimeType, thumbnail }, n) => ({ n, sha256, size, mimeType, thumb: !!thumbnail })),
  )
  // `do update` locks the row and waits for a concurrent deletion. Sorted, so that two uploads cannot deadlock.
  const { rows } = await sql<{ id: string }>`
    with given as materialized (
      select n, decode(sha256, 'hex') as sha256, size, "mimeType", thumb from json_to_recordset(${contents}::json)
        g (n integer, sha256 text, size bigint, "mimeType" text, thumb boolean)
    ), held as (
      insert into blob (store_id, sha256, size, mime_type, has_thumbnail)
      select distinct on (g.sha256) ${store}, g.sha256, g.size, g."mimeType", g.thumb from given g order by g.sha256
      on conflict (store_id, sha256) do update set size = excluded.size
      returning sha256
    )
    insert into blob_claim (store_id, sha256)
    select ${store}, g.sha256 from given g join held h on h.sha256 = g.sha256 order by g.n
    returning id`.execute(db)
  for (const [n, upload] of uploads.entries()) upload.claim = rows[n]?.id as string
}

const claimWithinQuota = ({ db, config }: UploadServices, store: StoreId, uploads: Upload[]) => {
  if (config.STORE_QUOTA_GB === 0) return claim(db, store, uploads)
  return transact(db, async (db) => {
    await requireQuota(db, store, config.STORE_QUOTA_GB, uploads)
    await claim(db, store, uploads)
  })
}

/** Moves the files to their final place, before the transaction that creates their rows. */
export const storeUploads = async (services: UploadServices, store: StoreId, uploads: Upload[]) => {
  if (uploads.length === 0) return
  await claimWithinQuota(services, store, uploads)
  try {
    for (const { path, sha256, thumbnail } of uploads) {
      await services.blobs.place(blobKey(store, sha256), path)
      if (thumbnail) await services.blobs.place(thumbnailKey(store, sha256), thumbnail)
    }
  } catch (cause) {
    if (isDiskFull(cause)) throw cause
    throw new ApiError('unavailable', 'The file cannot be stored right now. Try again shortly.', { cause })
  }
}

/** Creates the rows of stored uploads. Returns the ids in the same order. */
export const saveUploads = async (
  db: Tx,
  store: StoreId,
  uploads: Upload[],
  alts: string[] = [],
): Promise<string[]> => {
  if (uploads.length === 0) return []
  const rows = JSON.stringify(
    uploads.map(({ claim, name, size, mimeType, thumbnail }, n) => ({
      n,
      claim,
      name,
      alt: alts[n] ?? '',
      size,
      mimeType,
      thumbnail: thumbnail !== undefined,
    })),
  )
  const saved = await sql<{ id: string }>`
    with given as materialized (
      select *, new_id() as id from json_to_recordset(${rows}::json)
        g (n integer, claim uuid, name text, alt text, size bigint, "mimeType" text, thumbnail boolean)
    ), claimed as (
      delete from blob_claim c using given g where c.store_id = ${store} and c.id = g.claim returning c.id, c.sha256
    ), saved as (
      insert into file (store_id, id, sha256, name, alt, size, mime_type, thumbnail)
      select ${store}, g.id, c.sha256, g.name, g.alt, g.size, g."mimeType", g.thumbnail
      from given g join claimed c on c.id = g.claim
      returning id
    )
    select s.id from saved s join given g on g.id = s.id order by g.n`.execute(db)
  if (saved.rows.length !== uploads.length)
    throw new ApiError('unavailable', 'The upload took too long and was cancelled. Try again.')
  for (const upload of uploads) upload.saved = true
  return saved.rows.map(({ id }) => id)
}

export const saveUpload = async (db: Tx, store: StoreId, upload: Upload, { alt = '' }: { alt?: string } = {}) =>
  (await saveUploads(db, store, [upload], [alt]))[0] as string

/** Deletes uploads that did not become files. If this fails, the periodic cleanup does it. */
export const discardUploads = async (services: UploadServices, store: StoreId, uploads: Upload[]) => {
  try {
    await deleteStaged(uploads)
    const claims = uploads.flatMap(({ claim }) => claim ?? [])
    await releaseClaims(services, store, claims)
  } catch (error) {
    services.log.warn({ err: error }, 'an upload was not cleared away')
  }
}

const fileReceiver = ({ blobs, config }: UploadServices, store: StoreId): FileReceiver => ({
  maxFileBytes: uploadBytes(config),
  stage: (stream, rule) => stageUpload(blobs.incoming, stream, rule, store),
  drop: deleteStaged,
})

/**
 * Handles a request with files: receives and checks the form, stores the files, runs `work`, and always deletes what no
 * row points to.
 */
export const withUploads = async <T extends TSchema, R>(
  request: FastifyRequest,
  services: UploadServices,
  rules: FormRules<T>,
  work: (form: Form<Static<T>>) => Promise<R>,
): Promise<R> => {
  const form = await receiveForm(request, fileReceiver(services, request.store), rules)
  let left = form.uploads
  try {
    await storeUploads(services, request.store, form.uploads)
    const done = await work(form)
    if (!isDryRun(request)) left = left.filter(({ saved }) => !saved)
    return done
  } finally {
    if (left.length > 0) await discardUploads(services, request.store, left)
  }
}
