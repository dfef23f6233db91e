import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import { addProduct, stockOf } from '../../tests/support/products.ts'
import { createClient } from './client.ts'
import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts'
import { isReplay } from './request.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'

const failureOf = async (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )

test('concurrent calls request one token', async () => {
  const { client, proxy } = await startClientFixture()
  await Promise.all(Array.from({ length: 20 }, () => client.products.list()))
  expect(proxy.count('GET', '/product')).toBe(20)
  expect(proxy.count('POST', '/auth/get-token')).toBe(1)
})

test('a token is renewed before it expires, once for all waiting calls', async () => {
  const { connect, proxy } = await startClientFixture()
  const client = connect({ tokenTtl: 600 })
  await client.products.list()
  // The token is renewed a minute before it expires.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 575_000 })
  onTestFinished(() => void vi.useRealTimers())
  await Promise.all(Array.from({ length: 10 }, () => client.products.list()))
  expect(proxy.count('POST', '/auth/get-token')).toBe(2)
  // No call was rejected on the way.
  expect(proxy.count('GET', '/product')).toBe(11)
})

test('a token that the server rejects is replaced, once for all waiting calls', async () => {
  const { api, app, proxy } = await startClientFixture()
  let asked = 0
  const getToken = async () => {
    asked += 1
    const token = await api.getToken(app, { install_id: app.install_id, ttl: asked === 1 ? 1 : 60 })
    // The first token has expired by the time it is used. The client does not know its lifetime.
    if (asked === 1) await sleep(1100)
    return token
  }
  const client = createClient({ baseUrl: proxy.baseUrl, getToken, backoff: 10 })
  const replies = await Promise.all(Array.from({ length: 8 }, () => client.customers.list()))
  expect(replies.map(({ customers }) => customers)).toEqual(Array.from({ length: 8 }, () => []))
  expect(asked).toBe(2)
})

test('a new token that is rejected too is an error, not an endless loop', async () => {
  const { proxy } = await startClientFixture()
  const client = createClient({ baseUrl: proxy.baseUrl, token: 'nonsense' })
  const error = await failureOf(client.products.list())
  expect(error).toBeInstanceOf(AuthenticationError)
  expect(proxy.count('GET', '/product')).toBe(2)
})

test('wrong credentials fail without a retry', async () => {
  const { connect, proxy } = await startClientFixture()
  const error = await failureOf(connect({ clientSecret: 'wrong' }).products.list())
  expect(error).toBeInstanceOf(AuthenticationError)
  expect(error).toMatchObject({ status: 401, code: 'invalid_credentials' })
  expect(proxy.seen).toHaveLength(1)
})

test('calls with full access name their installation; a restricted token does not need to', async () => {
  const { api, app, connect, client, proxy } = await startClientFixture()
  const full = connect({ installId: undefined })
  expect(await failureOf(full.products.list())).toMatchObject({ status: 400, code: 'install_required' })
  await addProduct(api, { title: 'Teapot' })
  const here = full.installation(app.install_id)
  expect((await here.products.list()).products).toMatchObject([{ title: 'Teapot' }])
  expect(await failureOf(full.installation(UNKNOWN).products.list())).toMatchObject({ code: 'install_not_granted' })
  expect(await full.me()).toEqual({ app: expect.objectContaining({ client_id: app.client_id }) })
  expect((await client.me()).install_id).toBe(app.install_id)
  // One full access token, one restricted token.
  expect(proxy.count('POST', '/auth/get-token')).toBe(2)
})

test('the permission catalogue needs no token', async () => {
  const { client, proxy } = await startClientFixture()
  expect((await client.permissions.list()).order).toContain('export')
  expect(proxy.seen).toMatchObject([{ path: '/api/apps/v1/permission' }])
  expect(proxy.seen[0]?.headers.authorization).toBeUndefined()
})

test('408, 503, 429 (after Retry-After) and broken connections are retried', async () => {
  const { client, proxy } = await startClientFixture({
    plan: ({ path }, count) => {
      if (!path.endsWith('/product')) return undefined
      return [
        { answer: 503, headers: { 'retry-after': new Date().toUTCString() } },
        { answer: 429, headers: { 'retry-after': '1' } },
        'cut before' as const,
        { answer: 408 },
      ][count - 1]
    },
  })
  const start = performance.now()
  expect((await client.products.list()).products).toEqual([])
  expect(proxy.count('GET', '/product')).toBe(5)
  expect(performance.now() - start).toBeGreaterThan(1000)
})

test('token requests are retried too', async () => {
  const { client, proxy } = await startClientFixture({
    plan: ({ path }, count) => (path.endsWith('/get-token') && count === 1 ? { answer: 503 } : undefined),
  })
  await client.products.list()
  expect(proxy.count('POST', '/auth/get-token')).toBe(2)
})

test('retries stop at their limit, and the last error is thrown', async () => {
  const { connect, proxy } = await startClientFixture({
    plan: ({ path }) => {
      if (path.endsWith('/customer')) return { answer: 503, body: '<h1>Down</h1>' }
      if (path.endsWith('/review')) return 'cut before'
      return path.endsWith('/order') ? { answer: 429, headers: { 'retry-after': '3600' } } : undefined
    },
  })
  const client = connect({ retries: 2 })
  const down = await failureOf(client.customers.list())
  expect(down).toBeInstanceOf(ServerError)
  expect(down).toMatchObject({ status: 503, code: 'unexpected_reply' })
  expect(proxy.count('GET', '/customer')).toBe(3)
  expect(await failureOf(client.reviews.list())).toBeInstanceOf(ConnectionError)
  expect(proxy.count('GET', '/review')).toBe(3)
  // The client does not wait an hour; that is for the program to decide.
  const limited = await failureOf(client.orders.list())
  expect(limited).toBeInstanceOf(RateLimitError)
  expect(limited).toMatchObject({ retryAfter: 3600 })
  expect(proxy.count('GET', '/order')).toBe(1)
})

test('an order whose reply was lost is retried with the same key and placed once', async () => {
  const { api, client, proxy } = await startClientFixture({
    plan: ({ method, path }, count) =>
      method === 'POST' && path.endsWith('/order') && count < 3 ? 'cut after' : undefined,
  })
  const mug = await addProduct(api, { quantity: 10 })
  const order = await client.orders.create({ variants: [{ variant_id: mug.variant, quantity: 2 }] })
  const posts = proxy.seen.filter(({ method, path }) => method === 'POST' && path.endsWith('/order'))
  expect(posts).toHaveLength(3)
  expect(new Set(posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(posts[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  expect((await client.orders.list()).orders.map(({ id }) => id)).toEqual([order.id])
  expect(await stockOf(api, mug.variant)).toBe(8)
})

test('each call gets its own key, unless the caller passes one', async () => {
  const { client } = await startClientFixture()
  await client.orders.create({ customer_city: 'Tunis' })
  await client.orders.create({ customer_city: 'Tunis' })
  expect((await client.orders.list()).orders).toHaveLength(2)
  const once = () => client.orders.create({ customer_city: 'Sfax' }, { idempotencyKey: 'import-17' })
  expect((await once()).id).toBe((await once()).id)
  expect((await client.orders.list()).orders).toHaveLength(3)
})

test('after a lost reply, the client waits for a first attempt that is still in progress', async () => {
  const body = JSON.stringify({ code: 'idempotency_conflict', message: 'Still being worked on.', errors: {} })
  const { client, proxy } = await startClientFixture({
    plan: ({ path }, count) => {
      if (path.endsWith('/order')) return (['cut before', { answer: 409, body }] as const)[count - 1]
      return path.endsWith('/customer') ? { answer: 409, body } : undefined
    },
  })
  await client.orders.create()
  expect(proxy.count('POST', '/order')).toBe(3)
  // Without a lost reply before it, a 409 means that the key belongs to another request.
  expect(await failureOf(client.customers.create({ email: 'a@example.com' }))).toBeInstanceOf(ConflictError)
  expect(proxy.count('POST', '/customer')).toBe(1)
})

test('a request that times out is retried', async () => {
  const { connect, proxy } = await startClientFixture({
    plan: ({ path }, count) => (path.endsWith('/customer') && count === 1 ? { delay: 6000 } : undefined),
  })
  const client = connect({ timeout: 3000 })
  const customer = await client.customers.create({ email: 'amina@example.com' })
  expect(proxy.count('POST', '/customer')).toBe(2)
  expect((await client.customers.list()).customers.map(({ id }) => id)).toEqual([customer.id])
})

test('a rejected request is not retried, and its error names each invalid field', async () => {
  const { connect, client, proxy } = await startClientFixture()
  const invalid = await failureOf(client.customers.create({ email: 'not an email' }))
  expect(invalid).toBeInstanceOf(ValidationError)
  expect(invalid).toBeInstanceOf(ApiError)
  expect(invalid).toMatchObject({ status: 422, code: 'validation_failed', requestId: expect.any(String) })
  expect((invalid as ApiError).fields).toEqual({ email: [expect.any(String)] })
  expect(proxy.count('POST', '/customer')).toBe(1)

  expect(await failureOf(client.products.get(UNKNOWN))).toBeInstanceOf(NotFoundError)
  expect(proxy.count('GET', `/product/${UNKNOWN}`)).toBe(1)

  await client.orders.create({}, { idempotencyKey: 'k' })
  expect(await failureOf(client.orders.create({ customer_city: 'Sfax' }, { idempotencyKey: 'k' }))).toBeInstanceOf(
    ConflictError,
  )
  const { client: viewer } = await startClientFixture({ permissions: ['product:view'] })
  const forbidden = await failureOf(viewer.customers.list())
  expect(forbidden).toBeInstanceOf(ForbiddenError)
  expect((forbidden as ApiError).message).toContain('customer:view')

  const lost = connect({ baseUrl: 'http://127.0.0.1:1/api/apps/v1', retries: 1 })
  expect(await failureOf(lost.permissions.list())).toBeInstanceOf(ConnectionError)
  await expect(client.request('GET', '/product/{id}', { path: { id: '' } })).rejects.toThrow(TypeError)
})

test('an error message names the call, the status and the fields on one line', async () => {
  const { client } = await startClientFixture()
  const invalid = (await failureOf(client.customers.create({ email: 'no' }))) as ApiError
  expect(invalid).toMatchObject({ method: 'POST', path: '/customer', status: 422, code: 'validation_failed' })
  expect(invalid.message).toBe(
    `POST /customer: 422 validation_failed: ${invalid.reason} (email: ${invalid.fields.email?.join(' ')})`,
  )
  const unknown = (await failureOf(client.products.list({ search: 'x' }))) as ApiError
  expect(unknown.path).toBe('/product')
  expect(unknown.message).not.toContain('?')
})

test.each([
  ['', 'is not an address'],
  ['shop.example.com/api/apps/v1', 'is not an address'],
  ['/api/apps/v1', 'works only in a web page'],
  ['ftp://shop.example.com/api/apps/v1', 'does not start with http'],
  ['https://shop.example.com', 'does not end in /api/apps/v1'],
  ['https://shop.example.com/api/apps/v1?x=1', 'has a query'],
])('the base URL "%s" is rejected when the client is created', (baseUrl, why) => {
  expect(() => createClient({ baseUrl, token: 't' })).toThrow(TypeError)
  expect(() => createClient({ baseUrl, token: 't' })).toThrow(why)
})

test('only input that the API ignored is reported', async () => {
  const reported: unknown[] = []
  const { connect } = await startClientFixture()
  const client = connect({ onIgnoredInput: (fields, call) => reported.push([fields, call]) })
  await client.customers.create({ email: 'known@example.com' })
  expect(reported).toEqual([])
  const misspelt = { email: 'amina@example.com', nmae: 'Amina', adress: 'Tunis' }
  await client.customers.create(misspelt)
  expect(reported).toEqual([[['nmae', 'adress'], { method: 'POST', path: '/customer' }]])
})

test('the reply to a repeated call is marked as a replay', async () => {
  const { client } = await startClientFixture()
  const first = await client.orders.create({}, { idempotencyKey: 'again' })
  const second = await client.orders.create({}, { idempotencyKey: 'again' })
  expect(second.id).toBe(first.id)
  expect([isReplay(first), isReplay(second)]).toEqual([false, true])
})

test('a call can be aborted at any time', async () => {
  const { connect, proxy } = await startClientFixture({
    plan: ({ path }) => {
      if (path.endsWith('/customer')) return { delay: 3000 }
      return path.endsWith('/review') ? { answer: 503 } : undefined
    },
  })
  const client = connect()
  const reason = new Error('the person left')
  expect(await failureOf(client.products.list({}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  expect(proxy.seen).toHaveLength(0)

  const during = new AbortController()
  setTimeout(() => during.abort(reason), 300)
  expect(await failureOf(client.customers.list({}, { signal: during.signal }))).toBe(reason)
  const patient = connect({ backoff: 20_000 })
  const waiting = new AbortController()
  setTimeout(() => waiting.abort(reason), 300)
  expect(await failureOf(patient.reviews.list({}, { signal: waiting.signal }))).toBe(reason)
})

test('aborting a call during the token request does not affect other calls', async () => {
  const { client, proxy } = await startClientFixture({
    plan: ({ path }) => (path.endsWith('/get-token') ? { delay: 400 } : undefined),
  })
  const given = failureOf(client.products.list({}, { signal: AbortSignal.timeout(100) }))
  const [error, reply] = await Promise.all([given, client.products.list()])
  expect(error).toMatchObject({ name: 'TimeoutError' })
  expect(reply.products).toEqual([])
  expect(proxy.count('POST', '/auth/get-token')).toBe(1)
})
