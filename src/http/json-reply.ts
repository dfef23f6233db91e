import { webcrypto } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { etagOf, matchesEtag } from './etag.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** In bytes. Hashing a larger body would block the event loop. */
const LARGE_BODY = 256 * 1024

/** Same as etagOf, computed in the thread pool. */
const etagOfLarge = async (body: Buffer) =>
  `"${Buffer.from(await webcrypto.subtle.digest('SHA-1', body)).toString('base64url')}"`

const sendTagged = (reply: FastifyReply, body: Buffer, etag: string) => {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(reply.request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(body)
}

/** Encodes each part by itself: joining them first would copy a large body twice more. */
const encode = (parts: readonly string[]): Buffer => {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0))
  let length = 0
  for (const part of parts) length += bytes.write(part, length)
  return bytes
}

/**
 * Sends a JSON body, whole or in parts, or 304 if it matches If-None-Match. The body is encoded once, for its hash, its length
 * and the socket: a text with a single Arabic letter takes twice as long to encode.
 */
export const sendJson = (reply: FastifyReply, body: string | readonly string[], etag?: string) => {
  const bytes = typeof body === 'string' ? Buffer.from(body) : encode(body)
  if (etag !== undefined) return sendTagged(reply, bytes, etag)
  if (bytes.length <= LARGE_BODY) return sendTagged(reply, bytes, etagOf(bytes))
  return etagOfLarge(bytes).then((etag) => sendTagged(reply, bytes, etag))
}

/** Sends JSON text that PostgreSQL rendered, without parsing it. */
export const sendText = (reply: FastifyReply, key: string, json: string, etag?: string) =>
  sendJson(reply, [`{"data":{"${key}":`, json, '}}'], etag)

/** Sends the reply to a write, which is never 304. */
export const sendWritten = (reply: FastifyReply, status: number, body: string) =>
  reply.code(status).type(JSON_TYPE).send(body)
