import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { BROTLI_OPTIONS, chooseEncoding, type Encoding, GZIP_OPTIONS, MIN_COMPRESSED_BYTES } from './compression.ts'

export const digest = (text: string | Buffer) => hash('sha1', text, 'base64url')

export const etagOf = (body: string | Buffer) => `"${digest(body)}"`

/** Whether If-None-Match lists this tag. Compares weakly: proxies that compress mark tags as weak. */
export const matchesEtag = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

/** A body in bytes, with its ETag. Compressed once for each encoding, when a caller first asks for it. */
export interface EncodedBody {
  bytes: Buffer
  etag: string
  compressed?: Map<Encoding, Promise<Buffer>>
  /** Parts of it that callers asked for, by their fields: see field-selection.ts. */
  selections?: Map<string, EncodedBody>
  /** In bytes, of all that is compressed. */
  compressedSize?: number
}

export const sizeOf = ({ bytes, compressedSize = 0, selections }: EncodedBody): number => {
  let size = bytes.length + compressedSize
  for (const selection of selections?.values() ?? []) size += sizeOf(selection)
  return size
}

/** In the thread pool: large bodies would block the event loop. */
const COMPRESS = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI_OPTIONS),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, GZIP_OPTIONS),
}

const compress = (body: EncodedBody, encoding: 'br' | 'gzip'): Promise<Buffer> => {
  body.compressed ??= new Map()
  const known = body.compressed.get(encoding)
  if (known) return known
  const bytes = COMPRESS[encoding](body.bytes)
  body.compressed.set(encoding, bytes)
  bytes.then(
    ({ length }) => {
      body.compressedSize = (body.compressedSize ?? 0) + length
    },
    // The next caller tries again.
    () => body.compressed?.delete(encoding),
  )
  return bytes
}

/** Sends a body, compressed if the caller accepts that, or 304 if it matches If-None-Match. */
export const sendEncoded = async (reply: FastifyReply, type: string, body: EncodedBody) => {
  const { headers } = reply.request
  reply.header('etag', body.etag)
  if (matchesEtag(headers['if-none-match'], body.etag)) return reply.code(304).send()
  reply.type(type)
  if (body.bytes.length < MIN_COMPRESSED_BYTES) return reply.send(body.bytes)
  const vary = reply.getHeader('vary')
  reply.header('vary', vary ? `${vary}, accept-encoding` : 'accept-encoding')
  const encoding = chooseEncoding(headers['accept-encoding'])
  if (encoding === 'identity') return reply.send(body.bytes)
  const bytes = await compress(body, encoding)
  return reply.header('content-encoding', encoding).send(bytes)
}
