import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { ACCESS_CHANGE_MS, startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { RESOURCES } from '../../app.ts'
import { readConfig } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { startHttpServer } from '../../server/http-server.ts'
import type { Services } from '../../server/services.ts'
import { removeInstallation } from '../auth/remove-installation.ts'
import { PERMISSIONS, type Permission } from '../permissions/catalogue.ts'
import { createHub, followStore } from './hub.ts'
import { eventRoutes } from './routes.ts'
import { STREAM_TIMES, type StreamTimes } from './stream.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})

let count = 0
const addCustomer = async (shop: TestApi = api) => {
  const reply = await shop.as().post('/customer', { email: `live-${++count}@shop.example` })
  return reply.body.data.customer as { id: string; email: string }
}
const cursorNow = async (shop: TestApi = api) =>
  (await shop.as().get('/event?cursor=now')).body.data.next_cursor as string

interface Message {
  id: string
  event: string
  data: string
  comment: string
}

/** Reads server-sent events of an installation with these permissions. */
const openStream = async (
  query: string,
  headers: Record<string, string> = {},
  permissions = PERMISSIONS,
  ttl = 3600,
  origin = api.origin,
) => {
  const app = await api.install(permissions as readonly Permission[])
  const token = await api.getToken(app, { install_id: app.install_id, ttl })
  const stop = new AbortController()
  const response = await fetch(`${origin}/api/apps/v1/event?${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  })
  const messages: Message[] = []
  let ended = false
  const read = async () => {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      const blocks = (rest + decoder.decode(bytes, { stream: true })).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const message: Message = { id: '', event: '', data: '', comment: '' }
        for (const line of block.split('\n')) {
          const at = line.indexOf(':')
          const name = (at === 0 ? 'comment' : line.slice(0, at)) as keyof Message
          message[name] = line.slice(at + 1).trim()
        }
        messages.push(message)
      }
    }
  }
  const reading = (response.ok ? read() : Promise.resolve()).then(
    () => {
      ended = true
    },
    () => {},
  )
  const events = () => messages.filter(({ data }) => data !== '')
  return {
    app,
    response,
    messages,
    events,
    reading,
    ended: () => ended,
    close: () => stop.abort(),
    next: async (number: number) => {
      await expect.poll(() => events().length).toBeGreaterThanOrEqual(number)
      return events()
    },
  }
}

test('a stream shows what happens, and resumes where it was left', async () => {
  const first = await openStream(`cursor=${await cursorNow()}&types=customer.*`)
  expect(first.response.headers.get('content-type')).toContain('text/event-stream')
  expect(first.response.headers.get('cache-control')).toContain('no-transform')
  expect(first.response.headers.get('x-accel-buffering')).toBe('no')
  const one = await addCustomer()
  const [seen] = await first.next(1)
  expect(seen?.event).toBe('customer.created')
  expect(JSON.parse(seen?.data ?? '')).toMatchObject({
    type: 'customer.created',
    data: { id: one.id, email: one.email },
  })
  first.close()
  const two = await addCustomer()
  const second = await openStream('types=customer.*', { 'last-event-id': seen?.id ?? '' })
  const [missed] = await second.next(1)
  expect(JSON.parse(missed?.data ?? '').resource.id).toBe(two.id)
  second.close()
})

test('a change that nobody announces is streamed within seconds', async () => {
  const stream = await openStream(`cursor=${await cursorNow()}`)
  const customer = await addCustomer()
  await stream.next(1)
  await runSql(api.db, sqlText`update customer set name = $3 where store_id = $1 and id = $2`, [
    api.store.id,
    customer.id,
    'Changed by hand',
  ])
  const [, second] = await stream.next(2)
  expect(JSON.parse(second?.data ?? '')).toMatchObject({ type: 'customer.updated', changed: ['name'], app: null })
  stream.close()
})

test('a stream ends with its token, and shows nothing more once a permission is taken away', async () => {
  const short = await openStream(`cursor=${await cursorNow()}`, {}, PERMISSIONS, 2)
  await expect.poll(short.ended).toBe(true)
  expect(short.messages.at(-1)?.comment).toContain('no longer valid')

  const stream = await openStream(`cursor=${await cursorNow()}`, {}, ['customer:view', 'product:view'])
  await addCustomer()
  await stream.next(1)
  await runSql(api.db, sqlText`update installation set permissions = '{product:view}' where id = $1`, [
    stream.app.install_id,
  ])
  await sleep(ACCESS_CHANGE_MS)
  await addCustomer()
  await api.as().post('/product', { title: 'Mug' })
  const events = await stream.next(2)
  expect(events.map(({ event }) => event)).toEqual(['customer.created', 'product.created'])
  await runSql(api.db, sqlText`delete from installation where id = $1`, [stream.app.install_id])
  await sleep(ACCESS_CHANGE_MS)
  const unseen = await addProduct(api)
  await expect.poll(stream.ended).toBe(true)
  expect(stream.events().map(({ data }) => JSON.parse(data).resource.id)).not.toContain(unseen.id)
})

test('an invalid cursor is refused before the stream begins', async () => {
  const nonsense = await openStream('cursor=nonsense')
  expect(nonsense.response.status).toBe(422)
  const other = await startTestApi()
  await addCustomer(other)
  const foreign = await openStream(`cursor=${await cursorNow(other)}`)
  expect(foreign.response.status).toBe(410)
})

test('waiting ends with the first event, and not before', async () => {
  const cursor = await cursorNow()
  let isAnswered = false
  const waiting = api
    .as()
    .get(`/event?cursor=${cursor}&types=customer.*&wait=30`)
    .then((reply) => {
      isAnswered = true
      return reply
    })
  await addProduct(api)
  await sleep(1_500)
  expect(isAnswered).toBe(false)
  const customer = await addCustomer()
  const { events } = (await waiting).body.data
  expect(events).toMatchObject([{ resource: { kind: 'customer', id: customer.id } }])
  const app = await api.install(['customer:view'])
  const own = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}` })
  const refused = own.get(`/event?cursor=${await cursorNow()}&wait=30`)
  await sleep(300)
  await runSql(api.db, sqlText`delete from installation where id = $1`, [app.install_id])
  await sleep(ACCESS_CHANGE_MS)
  await addCustomer()
  expect((await refused).status).toBe(403)
  const empty = await api.as().get(`/event?cursor=${await cursorNow()}&wait=1`)
  expect(empty.body.data).toMatchObject({ events: [], more: false })
})

test('an installation may have twenty waiting requests and streams', async () => {
  const app = await api.install(PERMISSIONS)
  const token = await api.getToken(app, { install_id: app.install_id })
  const stop = new AbortController()
  const cursor = await cursorNow()
  const ask = () =>
    fetch(`${api.origin}/api/apps/v1/event?cursor=${cursor}&types=webhook.*`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      signal: stop.signal,
    })
  const open = await Promise.all(Array.from({ length: 20 }, ask))
  expect(open.map(({ status }) => status)).toEqual(Array(20).fill(200))
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('5')
  await refused.text()
  const metrics = await api.services.metrics.read()
  expect(metrics).toMatch(/event_waiters (2[0-9])/)
  expect(metrics).toMatch(/event_oldest_unnumbered_seconds \d/)
  stop.abort()
  await expect
    .poll(
      async () =>
        await ask().then(
          (reply) => reply.status,
          () => 0,
        ),
    )
    .not.toBe(429)
})

test('a process takes two thousand waiting requests, and refuses more', async () => {
  const hub = createHub(api.db)
  const leaves = Array.from({ length: 2_000 }, (_, n) => hub.enter(`installation ${Math.floor(n / 20)}`))
  expect(() => hub.enter('another')).toThrow('Too many requests')
  leaves[0]?.()
  leaves[0]?.()
  const leave = hub.enter('another')
  expect(() => hub.enter('one more')).toThrow('Too many requests')
  leave()
  hub.close()
})

test('the hub wakes whoever waits, and stops with the server', async () => {
  const hub = createHub(api.db)
  const followed = followStore(hub, api.store.id)
  followed.reset()
  hub.wrote(api.store.id)
  await followed.next(10_000)
  followed.reset()
  hub.heard(`another-node ${api.store.id}`)
  await followed.next(10_000)
  followed.reset()
  const waiting = followed.next(60_000)
  hub.close()
  await waiting
  expect(followed.stopped).toBe(true)
  followed.end()
})

test('open streams end cleanly when the server stops', async () => {
  const forEver = { SHUTDOWN_SECONDS: '3600' }
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: api.config.DATA_DIR, ...forEver })
  const server = await startHttpServer(config, api.connection)
  const origin = `http://127.0.0.1:${server.port}`
  const cursor = await cursorNow()
  const streams = await Promise.all([1, 2, 3].map(() => openStream(`cursor=${cursor}`, {}, PERMISSIONS, 3600, origin)))
  const { id } = await addCustomer()
  for (const stream of streams) expect(JSON.parse((await stream.next(1))[0]?.data ?? '').resource.id).toBe(id)
  // Browsers connect ahead of their requests.
  const silent = connect(server.port, '127.0.0.1')
  await once(silent, 'connect')
  silent.resume()
  await Promise.all([server.close(), once(silent, 'close')])
  // Whoever is cut off sees an error instead of an end.
  await Promise.all(streams.map(({ reading }) => reading))
  expect(streams.map(({ ended }) => ended())).toEqual([true, true, true])
})

/** Opens a stream of more than the system buffers, and reads nothing of it. */
const openUnread = async (shop: TestApi) => {
  const product = (await shop.as().post('/product', { title: 'Large', description: 'x'.repeat(60_000) })).body.data
    .product
  const cursor = await cursorNow(shop)
  const total = 250
  const update = sqlText`update product set title = $3 where store_id = $1 and id = $2`
  for (let n = 0; n < total; n++) await runSql(shop.db, update, [shop.store.id, product.id, `Large ${n}`])
  const app = await shop.install(PERMISSIONS)
  const token = await shop.getToken(app, { install_id: app.install_id })
  const sockets: Socket[] = []
  const note = (socket: Socket) => sockets.push(socket)
  shop.app.server.on('connection', note)
  const reader = connect(shop.port, '127.0.0.1')
  reader.on('error', () => {})
  reader.pause()
  reader.write(
    `GET /api/apps/v1/event?cursor=${cursor} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  await expect.poll(() => sockets[0]?.bytesWritten ?? 0).toBeGreaterThan(200_000)
  shop.app.server.off('connection', note)
  return { reader, socket: sockets[0] as Socket, total }
}

test('a client that does not read has 256 kB in memory, not the whole feed, and misses no event', async () => {
  const { reader, socket, total } = await openUnread(api)
  // What is written no longer grows: the system's buffers are full.
  let before = -1
  await expect
    .poll(
      () => {
        const isStill = socket.bytesWritten === before
        before = socket.bytesWritten
        return isStill
      },
      { interval: 200 },
    )
    .toBe(true)
  expect(socket.writableLength).toBeLessThan(256 * 1024)
  expect(socket.bytesWritten).toBeLessThan(total * 60_000)
  let text = ''
  reader.on('data', (bytes) => (text += bytes.toString('latin1').replace(/x{100,}/g, '')))
  reader.resume()
  await expect.poll(() => text.split('event: product.updated').length - 1).toBe(total)
  reader.destroy()
})

/** A server whose streams have times of their own. */
const startTimed = (times: StreamTimes) =>
  startTestApi(
    {},
    RESOURCES.map((resource) =>
      resource.routes === eventRoutes
        ? {
            ...resource,
            routes: (app: Api, services: Services) => eventRoutes(app, services, times),
          }
        : resource,
    ),
  )

test('an idle stream sends comments without reading the feed, and ends when its app is uninstalled', async () => {
  const shop = await startTimed({ ...STREAM_TIMES, commentMs: 20 })
  const cursor = await cursorNow(shop)
  const app = await shop.install(PERMISSIONS)
  const token = await shop.getToken(app, { install_id: app.install_id })
  const stop = new AbortController()
  let text = ''
  let isEnded = false
  const sent = await statementsOf(async () => {
    const { body } = await fetch(`${shop.origin}/api/apps/v1/event?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
      signal: stop.signal,
    })
    const read = async () => {
      for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(bytes).toString()
      isEnded = true
    }
    read().catch(() => {})
    await expect.poll(() => text.split('\n:\n').length).toBeGreaterThan(10)
  })
  // Behind a pooler, where nothing is announced, once more after the first comment.
  const reads = sent.filter((statement) => statement.includes('from event e')).length
  expect(reads).toBeLessThanOrEqual(process.env.POOLER_URL ? 2 : 1)
  const customer = await addCustomer(shop)
  await expect.poll(() => text).toContain(customer.id)
  await removeInstallation(shop.db, app.install_id)
  // At once; behind a pooler, where nothing is announced, with the next check of the access, once a minute.
  await expect.poll(() => isEnded, { timeout: 90_000 }).toBe(true)
  expect(text).toContain('no longer valid')
  stop.abort()
})

test('a client that reads nothing for a minute is disconnected, and another may connect', async () => {
  const shop = await startTimed({ commentMs: 20, stalledMs: 500 })
  const { reader, socket, total } = await openUnread(shop)
  expect(shop.services.hub.waiting()).toBe(1)
  await expect.poll(() => socket.destroyed).toBe(true)
  await expect.poll(() => shop.services.hub.waiting()).toBe(0)
  expect(socket.bytesWritten).toBeLessThan(total * 60_000)
  reader.destroy()
  expect(STREAM_TIMES.stalledMs).toBe(60_000)
})
