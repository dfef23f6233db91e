import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Static, TSchema } from 'typebox'
import type { Config } from '../../config/config.ts'
import { isDryRun } from '../../core/http/dry-run.ts'
import { type FileReceiver, type Form, type FormRules, receiveForm, type Upload } from '../../core/http/multipart.ts'
import { type Blobs, blobKey, thumbnailKey } from '../../core/storage/blobs/blobs.ts'
import { type Db, type Tx, transact } from '../../core/storage/database.ts'
import { isDiskFull } from '../../core/storage/disk-space.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'
import { requireRoom, type Tenant, tenantOf } from '../plans/limits.ts'
import { newBytes, requireQuota } from './quota.ts'
import { uploadBytes } from './rules.ts'
import { deleteStaged, stageUpload } from './stage-upload.ts'
import { releaseClaims } from './unclaimed-blobs.ts'

export type UploadServices = { db: Db; blobs: Blobs; config: Config; log: Logger }

/** Claims the content before it is stored, so that the cleanup does not delete it before its row exists. */
const claim = async (db: Tx, store: StoreId, uploads: Upload[]) => {
  // `do update` locks the row and waits for a concurrent deletion. Sorted, so that two uploads cannot deadlock.
  const contents = [...new Map(uploads.map((upload) => [upload.sha256, upload])).values()].sort((a, b) =>
    a.sha256 < b.sha256 ? -1 : 1,
  )
  await db
    .insertInto('blob')
    .values(
      contents.map(({ sha256, size, mimeType, thumbnail }) => ({
        store_id: store,
        sha256: Buffer.from(sha256, 'hex'),
        size,
        mime_type: mimeType,
        has_thumbnail: !!thumbnail,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['store_id', 'sha256']).doUpdateSet((eb) => ({ size: eb.ref('excluded.size') })),
    )
    .execute()
  const claims = uploads.map(({ sha256 }) => ({ store_id: store, id: newId(), sha256: Buffer.from(sha256, 'hex') }))
  await db.insertInto('blob_claim').values(claims).execute()
  for (const [n, upload] of uploads.entries()) upload.claim = claims[n]?.id as string
}

const claimWithinQuota = ({ db, config }: UploadServices, tenant: Tenant, uploads: Upload[]) =>
  transact(db, async (db) => {
    const { store } = tenant
    await requireRoom(db, tenant, 'storage', () => newBytes(db, store, uploads))
    if (config.STORE_QUOTA_GB > 0) await requireQuota(db, store, config.STORE_QUOTA_GB, uploads)
    await claim(db, store, uploads)
  })

/** Moves the files to their final place, before the transaction that creates their rows. */
const storeUploads = async (services: UploadServices, tenant: Tenant, uploads: Upload[]) => {
  if (uploads.length === 0) return
  const { store } = tenant
  await claimWithinQuota(services, tenant, uploads)
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
  const claims = uploads.map(({ claim }) => claim as string)
  const claimed = await db
    .deleteFrom('blob_claim')
    .where('store_id', '=', store)
    .where('id', 'in', claims)
    .returning(['id', 'sha256'])
    .execute()
  if (claimed.length !== uploads.length)
    throw new ApiError('unavailable', 'The upload took too long and was cancelled. Try again.')
  const contents = new Map(claimed.map(({ id, sha256 }) => [id, sha256]))
  const files = uploads.map(({ claim, name, size, mimeType, thumbnail }, n) => ({
    store_id: store,
    id: newId(),
    sha256: contents.get(claim as string) as Buffer,
    name,
    alt: alts[n] ?? '',
    size,
    mime_type: mimeType,
    thumbnail: thumbnail !== undefined,
  }))
  await db.insertInto('file').values(files).execute()
  for (const upload of uploads) upload.saved = true
  return files.map(({ id }) => id)
}

export const saveUpload = async (db: Tx, store: StoreId, upload: Upload, { alt = '' }: { alt?: string } = {}) =>
  (await saveUploads(db, store, [upload], [alt]))[0] as string

/** Deletes uploads that did not become files. If this fails, the periodic cleanup does it. */
const discardUploads = async (services: UploadServices, store: StoreId, uploads: Upload[]) => {
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
    await storeUploads(services, tenantOf(request), form.uploads)
    const done = await work(form)
    if (!isDryRun(request)) left = left.filter(({ saved }) => !saved)
    return done
  } finally {
    if (left.length > 0) await discardUploads(services, request.store, left)
  }
}
