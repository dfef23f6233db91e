import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { countCompressions } from '../../../tests/support/count-compressions.ts'
import { type EncodedBody, sendEncoded, sizeOf } from './encoded-body.ts'

const startServer = (text: string, vary?: string) => {
  const body: EncodedBody = { bytes: Buffer.from(text), etag: '"1"' }
  const app = Fastify()
  app.get('/', (_request, reply) => sendEncoded(vary ? reply.header('vary', vary) : reply, 'text/plain', body))
  const ask = (accepted: string, more: Record<string, string> = {}) =>
    app.inject({ url: '/', headers: { 'accept-encoding': accepted, ...more } })
  return { body, ask }
}

const LONG_TEXT = 'Olive oil soap. '.repeat(1_000)

test('a body is compressed once for each encoding, however many callers ask for it', async () => {
  const { body, ask } = startServer(LONG_TEXT)
  expect(await countCompressions(() => Promise.all(['gzip', 'gzip', 'br', 'br', 'identity'].map((a) => ask(a))))).toBe(
    2,
  )
  const zipped = await ask('gzip')
  const small = await ask('br')
  expect(await countCompressions(() => Promise.all([ask('gzip'), ask('br')]))).toBe(0)
  expect(zipped.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-length': String(zipped.rawPayload.length),
  })
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(LONG_TEXT)
  expect(brotliDecompressSync(small.rawPayload).toString()).toBe(LONG_TEXT)
  expect(sizeOf(body)).toBe(LONG_TEXT.length + zipped.rawPayload.length + small.rawPayload.length)
})

test('a short body is not compressed, and 304 has no body', async () => {
  const { ask } = startServer('short')
  const reply = await ask('gzip')
  expect(reply.body).toBe('short')
  expect(reply.headers['content-encoding']).toBeUndefined()
  const same = await startServer(LONG_TEXT).ask('gzip', { 'if-none-match': '"1"' })
  expect([same.statusCode, same.body, same.headers.etag]).toEqual([304, '', '"1"'])
})

test('Vary names the encoding besides what it named before', async () => {
  for (const accepted of ['gzip', 'identity']) {
    expect((await startServer(LONG_TEXT).ask(accepted)).headers.vary).toBe('accept-encoding')
    expect((await startServer(LONG_TEXT, 'origin').ask(accepted)).headers.vary).toBe('origin, accept-encoding')
  }
})
