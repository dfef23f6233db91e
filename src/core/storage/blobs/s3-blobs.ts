import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Config } from '../../../config/config.ts'
import { createFairQueue } from '../fair-queue.ts'
import { BlobNotFound, type Blobs, restrictToOwner } from './blobs.ts'

// Parts are held in memory while they are sent: the smallest size that S3 allows, and few at a time.
const MIN_PART = 5 * 1024 * 1024
const MAX_PARTS = 9_000
/** Stores take turns. Nothing is refused here, because these uploads have already been accepted. */
const MAX_UPLOADS = 3
const MAX_UPLOADS_OF_STORE = 2

const storeOf = (key: string) => key.split('/', 1)[0] as string

const isMissing = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode === 404

const createClient = (config: Config) =>
  new S3Client({
    region: config.S3_REGION,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    // Most services other than Amazon's do not support the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(config.S3_ENDPOINT && { endpoint: config.S3_ENDPOINT }),
    ...(config.S3_ACCESS_KEY_ID && {
      credentials: { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '' },
    }),
  })

/**
 * Uploads arrive on the local disk, where their type is detected, and are then sent to the bucket. An object is
 * complete or absent.
 */
export const openS3Blobs = async (config: Config, place: { bucket: string; prefix: string }): Promise<Blobs> => {
  const client = createClient(config)
  const incoming = path.join(config.DATA_DIR, 'incoming')
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await restrictToOwner(incoming)
  const at = (key: string) => ({ Bucket: place.bucket, Key: place.prefix ? `${place.prefix}/${key}` : key })
  const uploads = createFairQueue({ slots: MAX_UPLOADS })

  const has = (key: string) =>
    client.send(new HeadObjectCommand(at(key))).then(
      () => true,
      (error) => {
        if (isMissing(error)) return false
        throw error
      },
    )

  return {
    incoming,
    has,
    place: (key, file) =>
      uploads.run([{ key: storeOf(key), max: MAX_UPLOADS_OF_STORE }], async () => {
        if (!(await has(key))) {
          const { size } = await stat(file)
          const partSize = Math.max(MIN_PART, Math.ceil(size / MAX_PARTS))
          const body = createReadStream(file, { highWaterMark: 1024 * 1024 })
          await new Upload({ client, params: { ...at(key), Body: body }, queueSize: 1, partSize }).done()
        }
        await rm(file, { force: true })
      }),
    open: async (key, range) => {
      const { Body } = await client
        .send(new GetObjectCommand({ ...at(key), ...(range && { Range: `bytes=${range.first}-${range.last}` }) }))
        .catch((error) => {
          throw isMissing(error) ? new BlobNotFound(key) : error
        })
      return Body as Readable
    },
    remove: async (keys) => {
      for (const key of keys) {
        await client.send(new DeleteObjectCommand(at(key))).catch((error) => {
          if (!isMissing(error)) throw error
        })
      }
    },
    close: () => client.destroy(),
  }
}
