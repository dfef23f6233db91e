import { webcrypto } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { etagOf, matchesEtag } from './etag.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** In characters. Hashing a larger body would block the event loop. */
const LARGE_BODY = 256 * 1024

/** Same as etagOf, computed in the thread pool. */
const etagOfLarge = async (body: Buffer) =>
  `"${Buffer.from(await webcrypto.subtle.digest('SHA-1', body)).toString('base64url')}"`

const sendTagged = (reply: FastifyReply, body: string | Buffer, etag: string) => {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(reply.request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(body)
}

/** Encodes the body once, for the hash and for the socket. */
const sendLarge = async (reply: FastifyReply, body: string) => {
  const bytes = Buffer.from(body)
  return sendTagged(reply, bytes, await etagOfLarge(bytes))
}

/** Sends a JSON body, or 304 if it matches If-None-Match. */
export const sendJson = (reply: FastifyReply, body: string, etag?: string) =>
  etag === undefined && body.length > LARGE_BODY
    ? sendLarge(reply, body)
    : sendTagged(reply, body, etag ?? etagOf(body))

/** Sends JSON text that PostgreSQL rendered, without parsing it. */
export const sendText = (reply: FastifyReply, key: string, json: string, etag?: string) =>
  sendJson(reply, `{"data":{"${key}":${json}}}`, etag)

/** Sends the reply to a write, which is never 304. */
export const sendWritten = (reply: FastifyReply, status: number, body: string) =>
  reply.code(status).type(JSON_TYPE).send(body)
