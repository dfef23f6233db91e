import { chmod } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { errorCode } from '../database.ts'
import type { StoreId } from '../store-id.ts'

/** First and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/** Storage for file contents. A key is derived from the content, so the content of a key never changes. */
export interface Blobs {
  /** Local folder for uploads in progress. */
  readonly incoming: string
  /** Moves a file from `incoming` to the key. The content is durable when this returns. */
  place(key: string, file: string): Promise<void>
  has(key: string): Promise<boolean>
  /** Throws BlobNotFound if there is no such key. */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Missing keys are ignored. */
  remove(keys: string[]): Promise<void>
  close(): void
}

export class BlobNotFound extends Error {
  constructor(key: string) {
    super(`There is no blob ${key}.`)
  }
}

/**
 * Restricts the folder to this account, even if an earlier release or an administrator made it accessible to all. A
 * folder of another owner is left alone.
 */
export const restrictToOwner = (folder: string) =>
  chmod(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error
  })

const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE'])

/** The file storage is unreachable: a missing folder, a broken disk, an S3 service that does not reply. */
export const isBlobStorageUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  // AWS SDK errors have this property.
  ('$metadata' in error ||
    ('path' in error && 'syscall' in error && error.syscall !== 'connect' && NO_FOLDER.has(errorCode(error))))

/** Storage key of a store's content. The first digits keep folders small. */
export const blobKey = (store: StoreId, sha256: string) => `${store}/${sha256.slice(0, 2)}/${sha256}`
export const thumbnailKey = (store: StoreId, sha256: string) => `${blobKey(store, sha256)}.webp`

/** Key of a job's input, until the job is finished. */
export const jobInputKey = (store: StoreId, job: string) => `${store}/jobs/${job}`
