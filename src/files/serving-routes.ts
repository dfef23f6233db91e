import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { ApiError, notFound } from '../errors.ts'
import { admit } from '../http/access.ts'
import type { Api } from '../http/api.ts'
import { namesTag } from '../http/relay.ts'
import { errors } from '../http/schemas.ts'
import type { Parts } from '../parts.ts'
import { type ByteRange, BytesMissing, blobKey, thumbnailKey } from '../storage/blobs.ts'
import { readRange } from './byte-range.ts'
import { contentDisposition } from './file-name.ts'
import { THUMBNAIL_SIDE } from './images.ts'
import { verifyFileLink } from './links.ts'
import { findStored, type StoredFile } from './queries.ts'
import { isPublicType, isShownInline } from './rules.ts'
import { ServedParams, ServedQuery } from './schema.ts'

const A_YEAR = 31_536_000
const PUBLIC = `public, max-age=${A_YEAR}, immutable`

/** Whatever a file contains, a browser that opens it runs nothing and guesses nothing. */
const HARMLESS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
}

const typeHeader = (mimeType: string) => (mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType)

/** Opened before any header is set: an answer that the bytes are out of reach must not be cached for a year. */
const openBytes = async ({ blobs }: Parts, key: string, range?: ByteRange) => {
  try {
    return await blobs.open(key, range)
  } catch (cause) {
    if (cause instanceof BytesMissing)
      throw new ApiError('server_error', 'The bytes of this file cannot be found.', { cause })
    throw new ApiError('unavailable', 'The stored files are out of reach. Try again shortly.', { cause, retryAfter: 5 })
  }
}

interface Served {
  key: string
  size: number
  etag: string
  lastModified: Date
  /** About their kind, and who may keep them. */
  headers: Record<string, string>
}

/** Sends bytes whole or in part, or says that the caller has them. */
const sendBytes = async (parts: Parts, reply: FastifyReply, { key, size, etag, lastModified, headers }: Served) => {
  const { method, headers: asked } = reply.request
  const about = { ...HARMLESS, ...headers, ETag: etag, 'Last-Modified': lastModified.toUTCString() }
  if (namesTag(asked['if-none-match'], etag)) return reply.code(304).headers(about).send()
  const range = readRange(asked, size, etag, lastModified)
  if (range === 'unsatisfiable') return reply.code(416).header('Content-Range', `bytes */${size}`).send()
  const bytes = method === 'HEAD' || size === 0 ? undefined : await openBytes(parts, key, range)
  reply.headers({ ...about, 'Accept-Ranges': 'bytes' })
  reply.header('Content-Length', String(range ? range.last - range.first + 1 : size))
  if (range) reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${size}`)
  return reply.send(bytes)
}

const sendThumbnail = async (parts: Parts, reply: FastifyReply, store: string, sha256: string) => {
  const etag = `"${sha256}-${THUMBNAIL_SIDE}"`
  const about = { ...HARMLESS, 'Cache-Control': PUBLIC, 'Content-Type': 'image/webp', ETag: etag }
  if (namesTag(reply.request.headers['if-none-match'], etag)) return reply.code(304).headers(about).send()
  const bytes = Buffer.concat(await (await openBytes(parts, thumbnailKey(store, sha256))).toArray())
  return reply.headers(about).send(bytes)
}

/** Who may have the bytes, and for how long a cache may keep them: who holds a signed address, or what is public. */
const allow = async (parts: Parts, request: ServedRequest, reply: FastifyReply, file: StoredFile): Promise<string> => {
  const { store, id } = request.params
  const { expires, signature } = request.query
  if (signature !== undefined) {
    if (!verifyFileLink(parts.links, store.toLowerCase(), id.toLowerCase(), expires ?? 0, signature))
      throw new ApiError('forbidden', 'The signature of this address is wrong or has expired.')
    return `private, max-age=${Math.max(0, (expires ?? 0) - Math.ceil(Date.now() / 1000))}, immutable`
  }
  if (isPublicType(file.mime_type) && !file.sold) return PUBLIC
  await admit(parts.book, parts.tokens, request, { permission: 'file:browse' })
  if (request.store !== store.toLowerCase()) throw notFound('file')
  reply.header('Vary', 'Authorization')
  return `private, max-age=${A_YEAR}, immutable`
}

type ServedRequest = FastifyRequest<{
  Params: { store: string; id: string }
  Querystring: { expires?: number; signature?: string }
}>

export const servingRoutes = (app: Api, parts: Parts) => {
  const { db } = parts
  const options = (produces: string, sometimes?: 'file:browse') => ({
    method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[],
    // A part of compressed bytes is not the part that was asked for.
    compress: false as const,
    config: { access: 'open' as const, extension: true, subject: 'file', produces, ...(sometimes && { sometimes }) },
  })
  const bytes = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })

  app.route({
    ...options('*/*', 'file:browse'),
    url: '/files/:store/:id',
    schema: {
      operationId: 'downloadFile',
      summary: 'The bytes of a file',
      description:
        'With `expires` and `signature`, as in `url`, until they run out. Without, as in `permanent_url`: to anybody ' +
        'if it is an image or a video, else (and for what a buyer pays for) to a token with `file:browse`.',
      params: ServedParams,
      querystring: ServedQuery,
      response: { 200: bytes, 206: bytes, ...errors },
    },
    handler: async (request, reply) => {
      const { store, id } = request.params
      const file = await findStored(db, store, id)
      if (!file) throw notFound('file')
      const cacheControl = await allow(parts, request as ServedRequest, reply, file)
      return sendBytes(parts, reply, {
        key: blobKey(store.toLowerCase(), file.sha256),
        size: file.size,
        etag: `"${file.sha256}"`,
        lastModified: file.created_at,
        headers: {
          'Cache-Control': cacheControl,
          'Content-Type': typeHeader(file.mime_type),
          'Content-Disposition': contentDisposition(isShownInline(file.mime_type) ? 'inline' : 'attachment', file.name),
        },
      })
    },
  })

  app.route({
    ...options('image/webp'),
    url: '/files/:store/:id/thumbnail',
    schema: {
      operationId: 'downloadThumbnail',
      summary: 'A small version of an image',
      description: `WebP of ${THUMBNAIL_SIDE} pixels at most in width and height.`,
      params: ServedParams,
      response: { 200: bytes, ...errors },
    },
    handler: async ({ params: { store, id } }, reply) => {
      const file = await findStored(db, store, id)
      if (!file?.thumbnail) throw notFound('thumbnail')
      return sendThumbnail(parts, reply, store.toLowerCase(), file.sha256)
    },
  })
}
