import { chmod } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Config } from '../../config/config.ts'
import { errorCode as codeOf } from '../database.ts'

/** First and last byte, both included. */
export interface ByteRange {
  first: number
  last: number
}

/** Where the bytes of files are kept. A key names its content, so what lies under one never changes. */
export interface Blobs {
  /** A folder on this machine's disk for bytes that are still arriving. */
  readonly incoming: string
  /** Moves a file of `incoming` under the key. Once this returns, the bytes are there to stay. */
  place(key: string, file: string): Promise<void>
  has(key: string): Promise<boolean>
  /** Throws BytesMissing when nothing lies there. */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** What is not there counts as removed. */
  remove(keys: string[]): Promise<void>
  close(): void
}

export class BlobNotFound extends Error {
  constructor(key: string) {
    super(`No bytes lie at ${key}.`)
  }
}

/**
 * What lies in the folder is for this account alone, also when an earlier release or an administrator made it for all to
 * enter. Where the folder belongs to somebody else, who enters is theirs to say.
 */
export const closeToOthers = (folder: string) =>
  chmod(folder, 0o700).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error
  })

const NO_FOLDER = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EROFS', 'EIO', 'ESTALE'])

/** The place for the bytes of files is out of reach: a folder that is gone, a disk that is broken, an S3 that is silent. */
export const isBlobsAway = (error: unknown): boolean =>
  error instanceof Error &&
  // What the AWS tools throw has this mark.
  ('$metadata' in error ||
    ('path' in error && 'syscall' in error && error.syscall !== 'connect' && NO_FOLDER.has(codeOf(error))))

/** The key of some content of a store; the first digits keep folders small. */
export const blobKey = (store: string, sha256: string) => `${store}/${sha256.slice(0, 2)}/${sha256}`
export const thumbnailKey = (store: string, sha256: string) => `${blobKey(store, sha256)}.webp`

export const openBlobs = async (config: Config): Promise<Blobs> => {
  if (config.BLOBS === 'disk') return (await import('./disk-blobs.ts')).openDiskBlobs(config.DATA_DIR)
  return (await import('./s3-blobs.ts')).openS3Blobs(config, config.BLOBS)
}
