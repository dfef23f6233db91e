import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { etagOf } from './encoded-body.ts'
import { sendJson } from './json-reply.ts'

test.each([
  ['small', 1_000],
  ['large', 1_000_000],
])('a %s body has an ETag, and If-None-Match with it gets 304', async (_size, length) => {
  const body = JSON.stringify({ text: 'é'.repeat(length) })
  const app = Fastify()
  app.get('/', async (_request, reply) => sendJson(reply, body))
  const first = await app.inject('/')
  expect(first.body).toBe(body)
  expect(first.headers).toMatchObject({
    etag: etagOf(body),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  })
  const second = await app.inject({ url: '/', headers: { 'if-none-match': etagOf(body) } })
  expect({ status: second.statusCode, body: second.body }).toEqual({ status: 304, body: '' })
})
