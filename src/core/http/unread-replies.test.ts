import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import Fastify, { type FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendError } from './error-replies.ts'
import { limitUnreadReplies } from './unread-replies.ts'

// A minimal server: rendering such large replies in PostgreSQL would take most of the test's time.
const app = Fastify()
let lists = 0
const ANSWER = 'x'.repeat(18 * 2 ** 20)

beforeAll(async () => {
  app.setErrorHandler(sendError)
  limitUnreadReplies(app)
  app.decorateRequest('caller')
  app.addHook('onRequest', async (request) => {
    request.caller = { installation: { id: request.headers['x-app-install-id'] } } as FastifyRequest['caller']
  })
  app.get('/large', async () => ANSWER)
  app.get('/list', async () => void lists++)
  app.get('/small', async () => ANSWER.slice(0, 2 ** 20))
  await app.listen({ port: 0, host: '127.0.0.1' })
})

afterAll(() => app.close())

const port = () => (app.server.address() as AddressInfo).port

const get = (path: string, installation: string) =>
  fetch(`http://127.0.0.1:${port()}${path}`, { headers: { 'x-app-install-id': installation } })

/** Requests a large reply and reads only its first bytes. */
const requestWithoutReading = async (installation: string): Promise<Socket> => {
  const socket = connect(port(), '127.0.0.1')
  socket.write(`GET /large HTTP/1.1\r\nHost: a\r\nX-App-Install-Id: ${installation}\r\n\r\n`)
  const [head] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  expect(head.toString('latin1', 0, 15)).toBe('HTTP/1.1 200 OK')
  return socket
}

test('an installation with too many unread bytes gets 429 until it reads or disconnects; others are served', async () => {
  const unread = [await requestWithoutReading('a'), await requestWithoutReading('a')]
  const refused = await get('/large', 'a')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', errors: {} })
  expect((await get('/list?page_size=20', 'a')).status).toBe(429)
  expect(lists, 'lists rendered').toBe(0)
  expect((await get('/list?page_size=20', 'b')).status).toBe(200)
  expect((await (await get('/small', 'a')).text()).length).toBe(2 ** 20)
  expect((await (await get('/large', 'b')).text()).length).toBe(ANSWER.length)
  for (const socket of unread) socket.destroy()
  const readLarge = async () => {
    const reply = await get('/large', 'a')
    // Left unread, it would count in the next test.
    await reply.arrayBuffer()
    return reply.status
  }
  await expect.poll(readLarge).toBe(200)
})

test('the unread bytes of all installations together are limited too', async () => {
  const unread: Socket[] = []
  for (const installation of 'ccddeeffgghhii') unread.push(await requestWithoutReading(installation))
  const refused = await get('/large', 'j')
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  for (const socket of unread) socket.destroy()
})
