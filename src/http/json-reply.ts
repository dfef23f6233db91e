import type { FastifyReply } from 'fastify'
import { etagOf, matchesEtag } from './etag.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** Sends a whole body as it is, or 304 when the caller has it already. */
export const sendJson = (reply: FastifyReply, body: string, etag = etagOf(body)) => {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (matchesEtag(reply.request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(body)
}

/** Sends JSON text that PostgreSQL rendered, without parsing it. */
export const sendText = (reply: FastifyReply, key: string, json: string, etag?: string) =>
  sendJson(reply, `{"data":{"${key}":${json}}}`, etag)

/** The answer to a write: never 304. */
export const sendWritten = (reply: FastifyReply, status: number, body: string) =>
  reply.code(status).type(JSON_TYPE).send(body)
