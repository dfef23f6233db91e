import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { megabytes, type Refusal, type Staged, type StageRule, type Upload } from '../../core/http/multipart.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { HEAD_BYTES, readType } from './file-type.ts'
import { examineImage } from './images.ts'

const temporary = (folder: string) => path.join(folder, `${randomUUID()}.part`)

/** Small writes are slow, so chunks are collected up to this size. */
const WRITE_BYTES = 256 * 1024

/** A nearly full disk writes less than requested, and reports the error on the next write. */
const writeAll = async (handle: FileHandle, chunks: Buffer[]) => {
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  const { bytesWritten } = await handle.writev(chunks)
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(chunks).subarray(bytesWritten))
}

/**
 * Streams to disk and hashes on the way. If the file exceeds `maxBytes`, the rest is read and discarded, so that the
 * caller gets a reply and not a broken connection.
 */
const write = async (stream: Readable, file: string, maxBytes: number) => {
  const hash = createHash('sha256')
  const head: Buffer[] = []
  let size = 0
  let gathered: Buffer[] = []
  let gatheredBytes = 0
  const handle = await open(file, 'wx', 0o600)
  let writing = Promise.resolve()
  // Collects the next chunks while one is being written.
  const put = async () => {
    const piece = gathered
    gathered = []
    gatheredBytes = 0
    for (const bytes of piece) hash.update(bytes)
    await writing
    writing = writeAll(handle, piece)
    // The next `await` of this promise handles the error.
    writing.catch(() => {})
  }
  try {
    // Destroying the stream here would report an aborted request instead of the full disk.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (size < HEAD_BYTES) head.push(chunk)
      size += chunk.length
      if (size > maxBytes) continue
      gathered.push(chunk)
      gatheredBytes += chunk.length
      if (gatheredBytes >= WRITE_BYTES) await put()
    }
    await put()
    await writing
  } finally {
    await writing.catch(() => {})
    await handle.close()
  }
  return { size, sha256: hash.digest('hex'), head: Buffer.concat(head).subarray(0, HEAD_BYTES) }
}
/** Receives one file, or returns why it is refused. */
export const stageUpload = async (
  folder: string,
  stream: Readable,
  rule: StageRule,
  store: StoreId,
): Promise<Staged | Refusal> => {
  const file = temporary(folder)
  try {
    const { size, sha256, head } = await write(stream, file, rule.maxBytes)
    const examined = await examine(file, size, head, rule, store)
    if (!('fault' in examined)) return { path: file, size, sha256, ...examined }
    await rm(file, { force: true })
    return examined
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}

const examine = async (
  file: string,
  size: number,
  head: Buffer,
  { maxBytes, types }: StageRule,
  store: StoreId,
): Promise<Refusal | Pick<Staged, 'mimeType' | 'thumbnail'>> => {
  if (size === 0) return { fault: 'must not be empty', empty: true }
  if (size > maxBytes) return { fault: `must have at most ${megabytes(maxBytes)}`, oversize: true }
  const mimeType = await readType(head)
  if (types && !types.includes(mimeType)) return { fault: `must be one of ${types.join(', ')}, not ${mimeType}` }
  const { fault, thumbnail } = await examineImage(file, mimeType, store)
  return fault ? { fault } : { mimeType, thumbnail }
}

/** Deletes received files that were not stored. */
export const deleteStaged = async (uploads: Pick<Upload, 'path' | 'thumbnail'>[]) => {
  for (const { path, thumbnail } of uploads) {
    await rm(path, { force: true })
    if (thumbnail) await rm(thumbnail, { force: true })
  }
}
