import { createHash, randomUUID } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { ApiError, invalid } from '../../errors.ts'
import { LineCounter } from './lines.ts'
import { MAX_BULK_BYTES, MAX_BULK_LINES } from './schema.ts'

export interface StagedInput {
  path: string
  bytes: number
  lines: number
  sha256: string
}

export const inputTooLarge = () =>
  new ApiError('payload_too_large', 'A bulk job may have at most 1 GB and 1,000,000 lines. Split it into several.')

/** Streams the input to a temporary file, counting its lines. Nothing is left if it is refused. */
export const stageInput = async (folder: string, stream: Readable): Promise<StagedInput> => {
  const file = path.join(folder, `${randomUUID()}.part`)
  const handle = await open(file, 'wx', 0o600)
  const hash = createHash('sha256')
  const counter = new LineCounter()
  let bytes = 0
  try {
    // The request is not destroyed here, so that a refused caller gets the reply.
    for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      counter.add(chunk)
      if (bytes > MAX_BULK_BYTES || counter.lines > MAX_BULK_LINES) throw inputTooLarge()
      hash.update(chunk)
      await handle.writeFile(chunk)
    }
    counter.end()
    if (counter.lines > MAX_BULK_LINES) throw inputTooLarge()
    if (counter.lines === 0) throw invalid({ body: ['must have at least one line'] })
    await handle.close()
    return { path: file, bytes, lines: counter.lines, sha256: hash.digest('hex') }
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(file, { force: true })
    throw error
  }
}
