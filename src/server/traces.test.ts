import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { createShopCaller, getToken, seedShop } from '../../tests/resilience/seeded-shop.ts'
import { startReceiver } from '../../tests/support/receiver.ts'
import { sendRaw } from '../../tests/support/send-raw.ts'
import { startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'

const INSTRUMENTATION = pathToFileURL(fileURLToPath(new URL('../../examples/traces.mjs', import.meta.url))).href

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code?: number }
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

const SERVER = 2

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))

/** A collector that speaks OTLP over HTTP. */
const startCollector = async () => {
  const { url, received } = await startReceiver((_, reply) => reply.writeHead(200).end('{}'))
  return {
    endpoint: url,
    spans: (): Span[] =>
      received.flatMap(({ event }) =>
        event.resourceSpans.flatMap((resource: { scopeSpans: { spans: Span[] }[] }) =>
          resource.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    text: () => received.map(({ body }) => body).join('\n'),
  }
}

const trace = (digit: string) => ({ id: digit.repeat(32), header: `00-${digit.repeat(32)}-${digit.repeat(16)}-01` })

test('with an SDK, requests, statements and deliveries are traced in the trace of the caller, without personal data', async () => {
  const [collector, receiver] = [await startCollector(), await startReceiver()]
  const connection = await cloneDatabase()
  const shop = await seedShop(connection)
  const server = startProcess(
    {
      DATABASE_URL: databaseUrl(connection),
      DATA_DIR: await temporaryFolder(),
      WEBHOOK_PRIVATE: '127.0.0.0/8',
      OTEL_SERVICE_NAME: 'my-shop',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.endpoint,
    },
    { nodeArguments: ['--import', INSTRUMENTATION] },
  )
  const base = await server.ready()
  const token = await getToken(base, shop.credentials)
  const caller = createShopCaller(base, token)
  const [read, tested] = [trace('a'), trace('b')]

  const found = await caller.send('GET', '/product?search=Mug&page_size=2', undefined, { traceparent: read.header })
  expect(found.status).toBe(200)
  const { webhook } = (await caller.post('/webhook', { url: receiver.url, types: ['customer.*'] })).body.data
  const testing = { traceparent: tested.header, tracestate: 'vendor=1', baggage: 'secret=of-the-caller' }
  expect((await caller.post(`/webhook/${webhook.id}/test`, {}, testing)).body.data.test.is_delivered).toBe(true)
  const person = { email: 'amina@shop.example', first_name: 'Amina', last_name: 'Ben-Salah' }
  const written = await caller.post('/customer', person, { traceparent: trace('c').header })
  expect(written.status).toBe(201)
  const tool = { name: 'read', arguments: { operation: 'listReviews' } }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }
  const accept = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  expect((await caller.post('/mcp', call, { ...accept, traceparent: trace('f').header })).status).toBe(200)
  for (const header of ['nonsense', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, 'd'.repeat(8_000)])
    expect((await caller.send('GET', '/country', undefined, { traceparent: header })).status).toBe(200)
  const both = `Traceparent: ${trace('d').header}\r\nTraceparent: ${trace('e').header}\r\n`
  const head = `GET /api/apps/v1/country HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n`
  expect(await sendRaw(Number(new URL(base).port), `${head}${both}\r\n`)).toMatch(/^HTTP\/1.1 200/)
  await fetch(base.replace('/api/apps/v1', '/healthz'))
  await expect.poll(() => receiver.received.length).toBe(2)

  const named = (name: string) => collector.spans().filter((span) => span.name === name)
  await expect.poll(() => named('webhook delivery')).toHaveLength(2)
  await expect.poll(() => named('GET /api/apps/v1/country')).toHaveLength(4)
  expect(await server.stop()).toBe(0)
  expect(collector.text()).toContain('my-shop')

  const [reading] = named('GET /api/apps/v1/product') as [Span]
  expect(reading).toMatchObject({ traceId: read.id, parentSpanId: 'a'.repeat(16), kind: SERVER })
  expect(attributesOf(reading)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/api/apps/v1/product',
    'http.response.status_code': 200,
    'storefront.request.id': found.headers.get('x-request-id'),
    'storefront.store.id': shop.store,
  })
  const statements = collector.spans().filter(({ traceId, spanId }) => traceId === read.id && spanId !== reading.spanId)
  expect(statements.length).toBeGreaterThan(0)
  for (const statement of statements) {
    expect(statement.name).toMatch(/^(select|insert|update|delete) [a-z_]+$|^(commit|rollback)$/)
    expect(statement.parentSpanId).toBe(reading.spanId)
    expect(attributesOf(statement)).toMatchObject({ 'db.system.name': 'postgresql' })
  }

  const [test, event] = receiver.received.map(({ headers }) => ({
    headers,
    delivery: named('webhook delivery').find(({ spanId }) => headers.traceparent?.includes(spanId)) as Span,
  })) as [{ headers: Record<string, string>; delivery: Span }, { headers: Record<string, string>; delivery: Span }]
  const [asked] = named('POST /api/apps/v1/webhook/:id/test') as [Span]
  expect(test.delivery).toMatchObject({ traceId: tested.id, parentSpanId: asked.spanId })
  expect(test.headers.tracestate).toBe('vendor=1')
  expect(test.headers.baggage).toBeUndefined()
  const [wrote] = named('POST /api/apps/v1/customer') as [Span]
  expect(event.delivery).toMatchObject({ traceId: 'c'.repeat(32), parentSpanId: wrote.spanId })
  expect(event.headers.traceparent).toBe(`00-${event.delivery.traceId}-${event.delivery.spanId}-01`)
  expect(attributesOf(event.delivery)).toEqual({
    'http.request.method': 'POST',
    'http.response.status_code': 204,
    'server.address': '127.0.0.1',
    'storefront.message.id': event.headers['webhook-id'],
  })

  const [assisted] = named('POST /api/apps/v1/mcp') as [Span]
  expect(assisted).toMatchObject({ traceId: 'f'.repeat(32), parentSpanId: 'f'.repeat(16) })
  const [inner] = named('GET /api/apps/v1/review') as [Span]
  expect(inner).toMatchObject({ traceId: assisted.traceId, parentSpanId: assisted.spanId })

  for (const { traceId, parentSpanId } of named('GET /api/apps/v1/country')) {
    expect(parentSpanId ?? '').toBe('')
    expect(traceId).not.toMatch(/^(.)\1*$/)
  }
  expect(named('GET /healthz')).toEqual([])
  for (const secret of ['amina', 'Amina', 'Ben-Salah', 'Mug', token, '/hook', 'of-the-caller'])
    expect(collector.text()).not.toContain(secret)
})

test('an event continues the trace of its request after a restart, also when the new server has no SDK', async () => {
  const [collector, receiver] = [await startCollector(), await startReceiver()]
  const connection = await cloneDatabase()
  const shop = await seedShop(connection)
  const settings = {
    DATABASE_URL: databaseUrl(connection),
    DATA_DIR: await temporaryFolder(),
    WEBHOOK_PRIVATE: '127.0.0.0/8',
    TOKEN_SECRET: 'the same secret before and after the restart',
  }
  const traced = startProcess(
    { ...settings, WEBHOOKS: 'off', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.endpoint },
    { nodeArguments: ['--import', INSTRUMENTATION] },
  )
  const base = await traced.ready()
  const caller = createShopCaller(base, await getToken(base, shop.credentials))
  const made = await caller.post('/webhook', { url: receiver.url, types: ['customer.*'], payload: 'thin' })
  expect(made.status, made.text).toBe(201)
  const person = { email: 'later@shop.example' }
  expect((await caller.post('/customer', person, { traceparent: trace('a').header })).status).toBe(201)
  const named = (name: string) => collector.spans().filter((span) => span.name === name)
  await expect.poll(() => named('POST /api/apps/v1/customer')).toHaveLength(1)
  expect(await traced.stop()).toBe(0)
  expect(receiver.received).toEqual([])

  const plain = startProcess(settings)
  await plain.ready()
  await expect.poll(() => receiver.received.length).toBe(1)
  const [wrote] = named('POST /api/apps/v1/customer') as [Span]
  expect(wrote).toMatchObject({ traceId: trace('a').id, parentSpanId: 'a'.repeat(16) })
  expect(receiver.received[0]?.headers.traceparent).toBe(`00-${wrote.traceId}-${wrote.spanId}-01`)
  expect(await plain.stop()).toBe(0)
})
