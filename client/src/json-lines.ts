import type { Call } from './send.ts'

/** Lines to import: objects, or NDJSON as text or bytes, such as a stream of a file. */
export type JsonLines = Iterable<object | string> | AsyncIterable<object | string>

const CHUNK_BYTES = 64 * 1024
const CONTENT_TYPE = 'application/x-ndjson'

const encoder = new TextEncoder()

const encode = (line: object | string): Uint8Array => {
  if (line instanceof Uint8Array) return line
  return encoder.encode(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`)
}

async function* chunksOf(lines: JsonLines): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let gathered: Uint8Array[] = []
  let bytes = 0
  const take = () => {
    const chunk = new Uint8Array(bytes)
    let at = 0
    for (const piece of gathered) {
      chunk.set(piece, at)
      at += piece.length
    }
    gathered = []
    bytes = 0
    return chunk
  }
  for await (const line of lines) {
    const piece = encode(line)
    gathered.push(piece)
    bytes += piece.length
    if (bytes >= CHUNK_BYTES) yield take()
  }
  if (bytes > 0) yield take()
}

export const isJsonLines = (body: unknown): body is JsonLines =>
  typeof body === 'object' && body !== null && (Symbol.iterator in body || Symbol.asyncIterator in body)

/** An array can be sent again after a failure; anything else is read once, while it is sent. */
export const linesBody = (lines: JsonLines): Pick<Call, 'repeatable' | 'makeBody'> => {
  if (Array.isArray(lines)) {
    if (lines.length === 0) return { repeatable: true }
    const makeBody = async () => {
      const chunks: Uint8Array<ArrayBuffer>[] = []
      for await (const chunk of chunksOf(lines)) chunks.push(chunk)
      return { body: new Blob(chunks), contentType: CONTENT_TYPE }
    }
    return { repeatable: true, makeBody }
  }
  let failure: { error: unknown } | undefined
  const makeBody = (_attempt: number, alive: () => void) => {
    const chunks = chunksOf(lines)
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        alive()
        try {
          const { value, done } = await chunks.next()
          if (done) controller.close()
          else controller.enqueue(value)
        } catch (error) {
          failure = { error }
          controller.error(error)
        }
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    })
    return { body, contentType: CONTENT_TYPE, failure: () => failure }
  }
  return { repeatable: false, makeBody }
}

/** Parses NDJSON as it arrives. */
export async function* parseJsonLines<T>(stream: ReadableStream<Uint8Array>): AsyncGenerator<T> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      const lines = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      for (const line of lines) if (line !== '') yield JSON.parse(line) as T
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
