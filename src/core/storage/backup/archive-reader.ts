import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { type Extract, extract as extractTar } from 'tar-stream'
import { OperatorError } from '../../../errors.ts'
import { CHECKSUM } from './archive-format.ts'

type Entry = Extract extends AsyncIterable<infer Each> ? Each : never

export interface ArchivedBytes {
  name: string
  bytes: AsyncIterable<Buffer>
  /** Undefined if the backup has none for this entry. */
  sha256: string | undefined
}

/** Reads a backup from start to end. Each method takes the next entries. */
export interface ArchiveReader {
  /** The next entry, which must have this name. */
  json(name: string): Promise<unknown>
  entries(folder: string): AsyncGenerator<ArchivedBytes>
  /** The entries of a folder as one stream. */
  contents(folder: string): AsyncGenerator<Buffer>
  /** Checks that nothing follows and that the checksum is right. */
  finish(): Promise<void>
}

export const notABackup = () => new OperatorError('This file is not a backup made by storefront-apps backup.')
export const damagedBackup = (what: string) =>
  new OperatorError(`The backup is damaged or truncated (${what}). Nothing was restored.`)

const READ_ERROR = /^Z_|^ERR_STREAM_PREMATURE_CLOSE$/
const UNPACK_ERROR = /Unexpected end of data|Invalid tar header|tar entry destroyed|premature close/i

const explain = (error: NodeJS.ErrnoException, file: string): Error => {
  if (error.syscall) return new OperatorError(`${file} cannot be read: ${error.message}`)
  if (error.message === 'incorrect header check') return notABackup()
  const broken = READ_ERROR.test(error.code ?? '') || UNPACK_ERROR.test(error.message)
  return broken ? damagedBackup(error.message) : error
}

/** Opens the file while `work` runs. A damaged file is reported as such, wherever it is noticed. */
export const readArchive = async <T>(
  file: string,
  signal: AbortSignal | undefined,
  work: (archive: ArchiveReader) => Promise<T>,
): Promise<T> => {
  const extract = extractTar()
  const fed = pipeline(createReadStream(file), createGunzip(), extract, { signal })
  let fault: Error | undefined
  const settled = fed.catch((error) => {
    fault = signal?.aborted ? signal.reason : explain(error, file)
  })
  try {
    return await work(readEntries(extract[Symbol.asyncIterator](), fed))
  } catch (error) {
    await nextTurn()
    throw fault ?? explain(error as Error, file)
  } finally {
    extract.destroy()
    await settled
  }
}

const readEntries = (iterator: AsyncIterator<Entry>, fed: Promise<void>): ArchiveReader => {
  let ahead: Promise<IteratorResult<Entry>> | undefined
  const peek = async () => {
    ahead ??= iterator.next()
    const { value, done } = await ahead
    return done ? undefined : (value as Entry)
  }
  async function* entries(folder: string) {
    for (let entry = await peek(); entry?.header.name.startsWith(folder); entry = await peek()) {
      ahead = undefined
      const { name, pax } = entry.header as typeof entry.header & { pax?: Record<string, string> | null }
      yield { name, bytes: entry as AsyncIterable<Buffer>, sha256: pax?.[CHECKSUM] }
    }
  }
  async function* contents(folder: string) {
    for await (const { bytes } of entries(folder)) yield* bytes
  }
  return {
    entries,
    contents,
    json: async (name) => {
      if ((await peek())?.header.name !== name) return undefined
      const chunks: Buffer[] = []
      for await (const chunk of contents(name)) chunks.push(chunk)
      return JSON.parse(Buffer.concat(chunks).toString())
    },
    finish: async () => {
      const more = await peek()
      if (more) throw damagedBackup(`${more.header.name} was not expected`)
      await fed
    },
  }
}
