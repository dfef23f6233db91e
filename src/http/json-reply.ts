import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Tells one text from another. */
export const digest = (text: string | Buffer) => hash('sha1', text, 'base64url')

export const etagOf = (body: string | Buffer) => `"${digest(body)}"`

/** Whether the caller's header names this tag. Proxies that compress mark tags as weak; that changes nothing here. */
export const namesTag = (header: string | undefined, etag: string) =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

/** Sends a whole body as it is, or 304 when the caller has it already. */
export const relayBody = (reply: FastifyReply, body: string, etag = etagOf(body)) => {
  reply.header('etag', etag).header('cache-control', 'private, no-cache')
  if (namesTag(reply.request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.type(JSON_TYPE).send(body)
}

/** Sends JSON text that PostgreSQL rendered, without parsing it. */
export const relay = (reply: FastifyReply, key: string, json: string, etag?: string) =>
  relayBody(reply, `{"data":{"${key}":${json}}}`, etag)

/** The answer to a write: never 304. */
export const relayWritten = (reply: FastifyReply, status: number, body: string) =>
  reply.code(status).type(JSON_TYPE).send(body)
