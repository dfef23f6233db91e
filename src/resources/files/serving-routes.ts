import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { authorize } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { matchesEtag } from '../../core/http/encoded-body.ts'
import { contentDisposition } from '../../core/http/file-name.ts'
import { errors } from '../../core/input/schemas.ts'
import { BlobNotFound, type Blobs, type ByteRange, blobKey, thumbnailKey } from '../../core/storage/blobs/blobs.ts'
import type { Db } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import { readRange } from './byte-range.ts'
import { type FileUrlSigner, type Served, verifyFileUrl } from './file-urls.ts'
import { THUMBNAIL_SIDE } from './images.ts'
import { findServedFile, type ServedFile } from './queries.ts'
import { isShownInline } from './rules.ts'
import { ServedParams, ServedQuery } from './schema.ts'

/** Public files are cached for an hour, then revalidated, so that a hidden picture disappears within the hour. */
const PUBLIC = 'public, max-age=3600, must-revalidate'
/** With a token: revalidated on each use, because permissions can be revoked. */
const PRIVATE = 'private, no-cache'

/** A browser neither executes the file nor guesses its type. */
const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
}

const typeHeader = (mimeType: string) => (mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType)

/** Opened before headers are set, so that an error reply is not cached. */
const openBytes = async ({ blobs }: { blobs: Blobs }, key: string, range?: ByteRange) => {
  try {
    return await blobs.open(key, range)
  } catch (cause) {
    if (cause instanceof BlobNotFound)
      throw new ApiError('server_error', 'The content of this file is missing.', { cause })
    throw new ApiError('unavailable', 'The file storage is unreachable. Try again shortly.', { cause, retryAfter: 5 })
  }
}

interface Bytes {
  key: string
  size: number
  etag: string
  lastModified: Date
  /** Content type and caching. */
  headers: Record<string, string>
}

/** Sends the file, a range of it, or 304. */
const sendBytes = async (
  services: { blobs: Blobs; fileUrls: FileUrlSigner; accessCache: AccessCache; tokens: AccessTokens; db: Db },
  reply: FastifyReply,
  { key, size, etag, lastModified, headers }: Bytes,
) => {
  const { method, headers: requestHeaders } = reply.request
  const about = { ...SAFE_HEADERS, ...headers, ETag: etag, 'Last-Modified': lastModified.toUTCString() }
  if (matchesEtag(requestHeaders['if-none-match'], etag)) return reply.code(304).headers(about).send()
  const range = readRange(requestHeaders, size, etag, lastModified)
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${size}`)
    throw new ApiError('range_not_satisfiable', `The range is outside of the file, which has ${size} bytes.`)
  }
  const bytes = method === 'HEAD' || size === 0 ? undefined : await openBytes(services, key, range)
  reply.headers({ ...about, 'Accept-Ranges': 'bytes' })
  reply.header('Content-Length', String(range ? range.last - range.first + 1 : size))
  if (range) reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${size}`)
  return reply.send(bytes)
}

const sendThumbnail = async (
  services: { blobs: Blobs; fileUrls: FileUrlSigner; accessCache: AccessCache; tokens: AccessTokens; db: Db },
  reply: FastifyReply,
  key: string,
  about: Record<string, string>,
) => {
  if (matchesEtag(reply.request.headers['if-none-match'], about.ETag as string))
    return reply.code(304).headers(about).send()
  const bytes = Buffer.concat(await (await openBytes(services, key)).toArray())
  return reply.headers(about).send(bytes)
}

/**
 * Checks access and returns the Cache-Control header: for a signed URL, a public file, or a token with `file:browse`.
 */
const allow = async (
  { fileUrls, accessCache, tokens }: { fileUrls: FileUrlSigner; accessCache: AccessCache; tokens: AccessTokens },
  request: ServedRequest,
  reply: FastifyReply,
  served: Served,
  { is_public }: ServedFile,
): Promise<string> => {
  const [store, file] = [request.params.store.toLowerCase(), request.params.id.toLowerCase()]
  const { expires = 0, signature } = request.query
  if (signature !== undefined) {
    if (!verifyFileUrl(fileUrls, { store, file, served, expires, signature }))
      throw new ApiError('forbidden', 'The signature of this URL is invalid or has expired.')
    return `private, max-age=${Math.max(0, expires - Math.ceil(Date.now() / 1000))}, immutable`
  }
  if (is_public) return PUBLIC
  await authorize(accessCache, tokens, request, { permission: 'file:browse' })
  if (request.store !== store) throw notFound('file')
  reply.header('Vary', 'Authorization')
  return PRIVATE
}

type ServedRequest = FastifyRequest<{
  Params: { store: string; id: string }
  Querystring: { expires?: number; signature?: string }
}>

const ACCESS_DESCRIPTION =
  'With `expires` and `signature`, as in `url` and in the `thumbnail` of a private file, the URL works ' +
  'until it expires. Without them, the file is public while something public shows it (an image of a ' +
  'product, variant or landing page, a video of a product, an image of a published review), and may be ' +
  'cached for an hour. Otherwise, and always once it was sold as a digital product, it needs a token of ' +
  'the store with `file:browse`.'

export interface ServingServices {
  db: Db
  blobs: Blobs
  fileUrls: FileUrlSigner
  accessCache: AccessCache
  tokens: AccessTokens
}

export const servingRoutes = (app: Api, services: ServingServices) => {
  const { db } = services
  const options = (produces: string, ranges: boolean) => ({
    method: ['GET', 'HEAD'] as ('GET' | 'HEAD')[],
    // Byte ranges refer to the uncompressed file.
    compress: false as const,
    config: {
      access: 'open' as const,
      extension: true,
      subject: 'file',
      sometimes: 'file:browse' as const,
      produces,
      ranges,
    },
  })
  const bytes = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })

  app.route({
    ...options('*/*', true),
    url: '/files/:store/:id',
    schema: {
      operationId: 'downloadFile',
      summary: 'Download a file',
      description: ACCESS_DESCRIPTION,
      params: ServedParams,
      querystring: ServedQuery,
      response: { 200: bytes, 206: bytes, ...errors },
    },
    handler: async (request, reply) => {
      const { store, id } = request.params
      const file = await findServedFile(db, store, id)
      if (!file) throw notFound('file')
      const cacheControl = await allow(services, request as ServedRequest, reply, 'file', file)
      return sendBytes(services, reply, {
        key: blobKey(file.store_id, file.sha256),
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
    ...options('image/webp', false),
    url: '/files/:store/:id/thumbnail',
    schema: {
      operationId: 'downloadThumbnail',
      summary: 'Download the thumbnail of an image',
      description: `WebP, at most ${THUMBNAIL_SIDE} pixels wide and high. ${ACCESS_DESCRIPTION}`,
      params: ServedParams,
      querystring: ServedQuery,
      response: { 200: bytes, ...errors },
    },
    handler: async (request, reply) => {
      const { store, id } = request.params
      const file = await findServedFile(db, store, id)
      if (!file?.thumbnail) throw notFound('thumbnail')
      return sendThumbnail(services, reply, thumbnailKey(file.store_id, file.sha256), {
        ...SAFE_HEADERS,
        'Cache-Control': await allow(services, request as ServedRequest, reply, 'thumbnail', file),
        'Content-Type': 'image/webp',
        ETag: `"${file.sha256}-${THUMBNAIL_SIDE}"`,
      })
    },
  })
}
