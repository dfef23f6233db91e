import { webcrypto } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type EncodedBody, etagOf, sendEncoded } from './encoded-body.ts'
import { selectFields } from './field-selection.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
/** In bytes. Hashing a larger body would block the event loop. */
const LARGE_BODY = 256 * 1024

/** Same as etagOf, computed in the thread pool. */
const etagOfLarge = async (body: Buffer) =>
  `"${Buffer.from(await webcrypto.subtle.digest('SHA-1', body)).toString('base64url')}"`

/** Encodes each part by itself: joining them first would copy a large body twice more. */
const encode = (parts: readonly string[]): Buffer => {
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0))
  let length = 0
  for (const part of parts) length += bytes.write(part, length)
  return bytes
}

/** Encodes a body once, for its hash, its length and the socket: a text with a single Arabic letter takes twice as long. */
export const encodeJson = async (parts: readonly string[], etag?: string): Promise<EncodedBody> => {
  const bytes = encode(parts)
  return { bytes, etag: etag ?? (bytes.length <= LARGE_BODY ? etagOf(bytes) : await etagOfLarge(bytes)) }
}

/** The body of a reply with the JSON text of a resource. */
export const encodeText = (key: string, json: string, etag?: string): Promise<EncodedBody> =>
  encodeJson([`{"data":{"${key}":`, json, '}}'], etag)

/** Sends a JSON body, or the fields of it that the caller asked for, or 304 if it matches If-None-Match. */
export const sendBody = (reply: FastifyReply, body: EncodedBody) => {
  const { request } = reply
  const shown = request.fields ? selectFields(request, request.fields, body) : body
  return sendEncoded(reply.header('cache-control', 'private, no-cache'), JSON_TYPE, shown)
}

export const sendJson = async (reply: FastifyReply, json: string, etag?: string) =>
  sendBody(reply, await encodeJson([json], etag))

/** Sends the JSON text of a resource. */
export const sendText = async (reply: FastifyReply, key: string, json: string, etag?: string) =>
  sendBody(reply, await encodeText(key, json, etag))

/** Sends the reply to a write, which is never 304. */
export const sendWritten = (reply: FastifyReply, status: number, body: string) =>
  reply.code(status).type(JSON_TYPE).send(body)
