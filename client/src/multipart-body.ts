import { randomId } from './random-id.ts'
import type { Outgoing, RequestBody } from './send.ts'

type Bytes = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** An upload that can be read from the start more than once. */
export interface UploadSource {
  name?: string
  /** MIME type. The server detects the type from the content. */
  type?: string
  size?: number
  stream(): Bytes
}

/** A Blob or File, bytes, a source, or a stream. A stream can be read only once, so it is not retried. */
export type Upload = Blob | Uint8Array | UploadSource | Bytes

export interface Progress {
  /** Bytes sent so far. Starts again from 0 with each retry. */
  sent: number
  /** Undefined if the size of a stream is unknown. */
  total: number | undefined
}

export interface Part {
  name: string
  content: string | Upload
}

interface Piece {
  head: Uint8Array
  size: number | undefined
  once: boolean
  open: () => Bytes
}

const encoder = new TextEncoder()
const LINE = encoder.encode('\r\n')

const isSource = (content: Upload): content is Blob | UploadSource => 'stream' in content

async function* just(bytes: Uint8Array) {
  yield bytes
}

/** Escapes a name for a header. */
const quoted = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const toPiece = (boundary: string, { name, content }: Part): Piece => {
  const lines = [`--${boundary}`]
  const piece = (head: string[], size: number | undefined, once: boolean, open: () => Bytes) => ({
    head: encoder.encode(`${[...lines, ...head].join('\r\n')}\r\n\r\n`),
    size,
    once,
    open,
  })
  if (typeof content === 'string') {
    const bytes = encoder.encode(content)
    return piece([`Content-Disposition: form-data; name="${quoted(name)}"`], bytes.length, false, () => just(bytes))
  }
  const { name: filename = 'file', type = '' } = content as { name?: string; type?: string }
  const head = [
    `Content-Disposition: form-data; name="${quoted(name)}"; filename="${quoted(filename)}"`,
    `Content-Type: ${/^[\x21-\x7e ]+$/.test(type) ? type : 'application/octet-stream'}`,
  ]
  if (content instanceof Uint8Array) return piece(head, content.length, false, () => just(content))
  if (isSource(content)) return piece(head, content.size, false, () => content.stream() as Bytes)
  return piece(head, undefined, true, () => content)
}

/** Reads either kind of stream. Not every browser supports iterating over a ReadableStream. */
export async function* chunksOf<T>(source: ReadableStream<T> | AsyncIterable<T>): AsyncGenerator<T> {
  if (!('getReader' in source)) return yield* source
  const reader = source.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function* encoded(boundary: string, pieces: Piece[]) {
  for (const { head, open } of pieces) {
    yield head
    yield* chunksOf(open())
    yield LINE
  }
  yield encoder.encode(`--${boundary}--\r\n`)
}

/** A stream without a buffer, so that the bytes read from it are the bytes sent. */
const pulled = (
  chunks: AsyncGenerator<Uint8Array>,
  onChunk: (bytes: number) => void,
  onFailure: (error: unknown) => void,
) =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await chunks.next()
          if (done) return controller.close()
          onChunk(value.length)
          controller.enqueue(value)
        } catch (error) {
          onFailure(error)
          throw error
        }
      },
      cancel: async () => {
        await chunks.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )

const inBrowser = () => 'document' in globalThis || 'importScripts' in globalThis

const toFormData = async (parts: Part[]) => {
  const form = new FormData()
  for (const { name, content } of parts) {
    if (typeof content === 'string') form.append(name, content)
    else form.append(name, await toBlob(content), (content as { name?: string }).name ?? 'file')
  }
  return form
}

const toBlob = async (content: Upload): Promise<Blob> => {
  if (content instanceof Blob) return content
  const chunks: Uint8Array[] = []
  const bytes =
    content instanceof Uint8Array ? just(content) : isSource(content) ? (content.stream() as Bytes) : content
  for await (const chunk of chunksOf(bytes)) chunks.push(chunk)
  return new Blob(chunks as Uint8Array<ArrayBuffer>[], { type: (content as { type?: string }).type ?? '' })
}

/** A streamed form, so that progress is known and no file is kept in memory. */
export const multipart = (parts: Part[], onProgress: ((progress: Progress) => void) | undefined) => {
  const boundary = `storefront-${randomId()}`
  const pieces = parts.map((part) => toPiece(boundary, part))
  const framing = pieces.reduce((sum, { head }) => sum + head.length + LINE.length, boundary.length + 6)
  const total = pieces.reduce<number | undefined>(
    (sum, { size }) => (sum === undefined || size === undefined ? undefined : sum + size),
    framing,
  )
  const repeatable = !pieces.some(({ once }) => once)

  const asStream = (alive: () => void): Outgoing => {
    let sent = 0
    let failure: { error: unknown } | undefined
    const chunks = encoded(boundary, pieces)
    const count = (bytes: number) => {
      sent += bytes
      alive()
      onProgress?.({ sent, total })
    }
    const body = pulled(chunks, count, (error) => {
      failure = { error }
    })
    return {
      body: body as RequestBody,
      contentType: `multipart/form-data; boundary=${boundary}`,
      failure: () => failure,
      close: () => void chunks.return(undefined).catch(() => {}),
    }
  }

  const makeBody = async (_attempt: number, alive: () => void): Promise<Outgoing> => {
    // Browsers stream bodies only over HTTP/2, which cannot be detected. They read a File from the disk anyway.
    if (!inBrowser()) return asStream(alive)
    onProgress?.({ sent: 0, total })
    const onSent = (sent: number) => {
      alive()
      onProgress?.({ sent, total })
    }
    return { body: await toFormData(parts), onSent }
  }
  return { makeBody, repeatable, total }
}
