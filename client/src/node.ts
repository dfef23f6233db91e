import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { bytesOf, type UploadSource } from './multipart-body.ts'

/** A file on disk as an upload; it is read while it is sent. */
export const fileFromPath = async (
  file: string,
  { name = path.basename(file), type = '' } = {},
): Promise<UploadSource> => ({
  name,
  type,
  size: (await stat(file)).size,
  stream: () => createReadStream(file),
})

/** Writes an export or a download to disk as it comes in. */
export const saveTo = (file: string, stream: ReadableStream<Uint8Array>, options: { signal?: AbortSignal } = {}) =>
  pipeline(bytesOf(stream), createWriteStream(file), options)
