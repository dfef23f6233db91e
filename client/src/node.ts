import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { chunksOf, type UploadSource } from './multipart-body.ts'

/** A file on disk as an upload. It is read while it is sent. */
export const fileFromPath = async (
  file: string,
  { name = path.basename(file), type = '' } = {},
): Promise<UploadSource> => ({
  name,
  type,
  size: (await stat(file)).size,
  stream: () => createReadStream(file),
})

/** Streams an export or a download to a file. */
export const saveTo = (file: string, stream: ReadableStream<Uint8Array>, options: { signal?: AbortSignal } = {}) =>
  pipeline(chunksOf(stream), createWriteStream(file), options)
