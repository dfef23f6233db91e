import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { freePort } from '../../../tests/support/free-port.ts'
import { sendRaw } from '../../../tests/support/send-raw.ts'
import { buildApp } from '../../app.ts'
import { openMetrics } from './metrics.ts'

const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))

test('every route declares who may call it, and rejects everybody else', async () => {
  const api = await startTestApi()
  const routes = api.app.routeTable
  expect(routes.length).toBeGreaterThan(8)
  for (const { method, url, config } of routes) {
    expect(Boolean(config.permission) !== Boolean(config.access), `${method} ${url}`).toBe(true)
    if (config.access === 'open' || method === 'HEAD') continue
    const path = url.replace(/:\w+/g, '00000000-0000-7000-8000-000000000000')
    const reply = await api.site.send(method, path)
    // Console writes are rejected before the session is checked.
    const refused = method === 'GET' ? 'sign_in_required' : 'forbidden'
    expect(reply, `${method} ${url}`).toFailWith(
      ['account', 'operator'].includes(config.access ?? '') ? refused : 'unauthenticated',
    )
  }
})

test('a route that does not declare who may call it prevents the start', async () => {
  const api = await startTestApi()
  const fresh = await buildApp(api.services)
  expect(() => fresh.get('/forgotten', async () => 'secret')).toThrow('must declare who may call it')
  await fresh.close()
})

test('the root redirects to the documentation, and the API root lists its links', async () => {
  const api = await startTestApi()
  for (const method of ['GET', 'HEAD']) {
    const home = await fetch(`${api.origin}/`, { method, redirect: 'manual' })
    expect([home.status, home.headers.get('location')]).toEqual([302, 'docs'])
  }
  expect((await fetch(api.origin)).url).toBe(`${api.origin}/docs`)

  for (const path of ['', '/', '?anything']) {
    const reply = await api.anonymous.get(path)
    expect(reply.status).toBe(200)
    const { name, version, links } = reply.body.data
    expect({ name, version }).toEqual({ name: 'Storefront Apps API', version: 'v1' })
    expect(links.documents).toBe(`${api.origin}/docs`)
  }
  const { body, headers } = await api.anonymous.get('')
  for (const [link, address] of Object.entries(body.data.links)) {
    const status = (await fetch(address as string)).status
    expect([link, status]).toEqual([link, { get_token: 405, me: 401 }[link] ?? 200])
  }
  expect((await api.anonymous.get('', { 'if-none-match': headers.get('etag') as string })).status).toBe(304)
  expect((await api.anonymous.send('HEAD', '')).status).toBe(200)
  expect((await api.anonymous.post('')).headers.get('allow')).toBe('GET, HEAD')
})

test('an unknown path is 404, a wrong method is 405 with an Allow header', async () => {
  const api = await startTestApi()
  expect(await api.anonymous.get('/nothing-here')).toFailWith('not_found')
  expect(await api.site.get('/elsewhere')).toFailWith('not_found')
  const wrong = await api.anonymous.delete('/auth/get-token')
  expect(wrong).toFailWith('method_not_allowed')
  expect(wrong.headers.get('allow')).toBe('POST')
  expect((await api.anonymous.post('/permission')).headers.get('allow')).toBe('GET, HEAD')
})

test('every reply has a request id, the caller’s own if it is safe', async () => {
  const api = await startTestApi()
  expect((await api.anonymous.get('/permission')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect((await api.anonymous.get('/nothing')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  const own = await api.anonymous.get('/permission', { 'x-request-id': 'order-42.a_b' })
  expect(own.headers.get('x-request-id')).toBe('order-42.a_b')
  const hostile = await api.anonymous.get('/permission', { 'x-request-id': '<script>' })
  expect(hostile.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('invalid JSON, wrong content types and oversized bodies have different errors', async () => {
  const api = await startTestApi()
  const send = (body: string | Uint8Array, type: string) =>
    api.anonymous.post('/auth/get-token', body, { 'content-type': type })
  expect(await send('{"client_id":', 'application/json')).toFailWith('bad_request')
  expect(await send(new Uint8Array([0x22, 0xff, 0x22]), 'application/json')).toFailWith('bad_request')
  expect(await send('a=b', 'application/x-www-form-urlencoded')).toFailWith('unsupported_media_type')
  expect(await send('hello', 'text/plain')).toFailWith('unsupported_media_type')
  expect(await send(`{"client_id":"${'x'.repeat(5 * 1024 * 1024)}"}`, 'application/json')).toFailWith(
    'payload_too_large',
  )
})

test('a body that is not an object is rejected with an error on body', async () => {
  const api = await startTestApi()
  for (const body of ['[]', '"text"', '5', 'null']) {
    const reply = await api.anonymous.post('/auth/get-token', body, { 'content-type': 'application/json' })
    expect(reply.status, body).toBe(422)
  }
})

test('bad percent-encoding, oversized headers and malformed requests get the usual error body', async () => {
  const api = await startTestApi()
  expect(await api.site.get('/api/apps/v1/%zz')).toFailWith('bad_request')
  const long = await sendRaw(api.port, `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect(long).toMatch(/^HTTP\/1.1 431 /)
  expect(long).toMatch(/x-request-id: [0-9a-f-]{36}/i)
  expect(bodyOf(long)).toEqual({ code: 'bad_request', message: expect.any(String), errors: {} })
  const garbage = await sendRaw(api.port, 'NONSENSE\r\n\r\n')
  expect(garbage).toMatch(/^HTTP\/1.1 400 /)
  expect(bodyOf(garbage)).toEqual({ code: 'bad_request', message: expect.any(String), errors: {} })
})

test('unknown fields and parameters are ignored, and named', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const reply = await api.anonymous.post('/auth/get-token?debug=1&x[]=2', {
    client_id,
    client_secret,
    id: 'mine',
    scope: { deep: true },
  })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-ignored-input')).toBe('debug, x, id, scope')
  const plain = await api.anonymous.post('/auth/get-token', { client_id, client_secret })
  expect(plain.headers.get('x-ignored-input')).toBeNull()
})

test('the list of ignored input stays short and is safe in a header', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field_${index}`, 1]))
  const reply = await api.anonymous.post('/auth/get-token', { client_id, client_secret, 'a\r\nb: c': 1, é: 2, ...many })
  expect(reply.status).toBe(200)
  expect(reply.headers.get('x-ignored-input')?.length).toBeLessThanOrEqual(1024)
  expect(reply.headers.get('x-ignored-input')).toContain('a%0D%0Ab:%20c, %C3%A9')
  expect(reply.headers.get('b')).toBeNull()
})

test('a name that is half of a surrogate pair is ignored and named like any other', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const [path, body, status] of [
    ['/order', '{"\\ud800":1}', 201],
    ['/customer', '{"email":"half@pair.example","a\\udc00":{"x":1}}', 201],
    ['/product', '{"title":"Half","default":{"\\ud83d":1}}', 201],
  ] as const) {
    const reply = await all.post(path, body, { 'content-type': 'application/json' })
    expect(reply.status, reply.text).toBe(status)
    expect(reply.headers.get('x-ignored-input')).toContain('%EF%BF%BD')
  }
})

test('all errors of a request are reported at once, in sentences', async () => {
  const api = await startTestApi()
  const reply = await api.anonymous.post('/auth/get-token', {
    client_id: 7,
    client_secret: '',
    install_id: 'x',
    ttl: 0,
  })
  expect(reply.body).toEqual({
    code: 'validation_failed',
    message: expect.any(String),
    errors: {
      client_id: ['must be a string of 1 to 255 characters'],
      client_secret: ['must be a string of 1 to 255 characters'],
      install_id: ['must be a UUID'],
      ttl: ['must be a whole number from 1 to 86400'],
    },
  })
})

test('text that PostgreSQL cannot store is rejected by field', async () => {
  const api = await startTestApi()
  const nul = await api.anonymous.post('/auth/get-token', { client_id: 'a\0b', client_secret: 'x' })
  expect(nul).toBeRefused(422, 'client_id')
  const lone = await api.anonymous.post('/auth/get-token', { client_id: 'a\ud800b', client_secret: 'x' })
  expect(lone).toBeRefused(422, 'client_id')
})

test('a read has an ETag, and If-None-Match with it gets 304', async () => {
  const api = await startTestApi()
  const first = await api.anonymous.get('/permission')
  const etag = first.headers.get('etag') as string
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await api.anonymous.get('/permission', { 'if-none-match': known })
    expect(again.status, known).toBe(304)
    expect(again.text).toBe('')
    expect(again.headers.get('etag')).toBe(etag)
  }
  expect((await api.anonymous.get('/permission', { 'if-none-match': '"other"' })).status).toBe(200)
})

test('large replies are compressed on request, small ones are not', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { headers } = await caller.get('/country', { 'accept-encoding': 'gzip' })
  expect(headers.get('content-encoding')).toBe('gzip')
  expect(headers.get('vary')).toContain('accept-encoding')
  const small = await caller.get('/shipping-carrier', { 'accept-encoding': 'gzip, br' })
  expect(small.headers.get('content-encoding')).toBeNull()
  const plain = await caller.get('/country', { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBeNull()
  expect(plain.body.data.countries).toHaveLength(249)
})

test('HEAD answers as GET does, without the body', async () => {
  const api = await startTestApi()
  const reply = await api.anonymous.send('HEAD', '/permission')
  expect(reply.status).toBe(200)
  expect(reply.text).toBe('')
  expect(Number(reply.headers.get('content-length'))).toBeGreaterThan(100)
})

test('countries are listed by name with everything about them', async () => {
  const api = await startTestApi()
  const { countries } = (await api.as('product:view').get('/country')).body.data
  expect(countries.find(({ id }: { id: string }) => id === 'TN')).toEqual({
    id: 'TN',
    code: 'TN',
    iso3: 'TUN',
    name: 'Tunisia',
    phone_code: '+216',
    currency: 'TND',
  })
})

test('the permission catalogue is public and complete', async () => {
  const api = await startTestApi()
  const { permissions } = (await api.anonymous.get('/permission')).body.data
  expect(Object.keys(permissions)).toHaveLength(16)
  expect(permissions.order).toEqual(['view', 'create', 'update', 'delete', 'export'])
  expect(permissions.landing_page).toEqual(['view', 'create', 'update', 'delete', 'publish'])
  expect(permissions.file).toEqual(['browse', 'upload', 'delete'])
  expect(permissions.app).toEqual(['install', 'uninstall', 'boot'])
  expect(permissions.plan).toEqual(['switch'])
})

test('health, readiness and metrics answer outside the API', async () => {
  const api = await startTestApi({ METRICS: 'on' })
  expect((await api.site.get('/healthz')).body).toEqual({ status: 'alive' })
  expect((await api.site.get('/readyz')).body).toEqual({ status: 'ready' })
  await api.anonymous.get('/permission')
  const { text } = await api.site.get('/metrics')
  expect(text).toMatch(
    /http_request_duration_seconds_count\{method="GET",route="\/api\/apps\/v1\/permission",status="200"\} \d+/,
  )
  expect(text).toContain('database_pool_connections{state="waiting"} 0')
  expect(text).toContain('nodejs_eventloop_lag_seconds')
  expect(text).not.toMatch(/version/i)
  expect(text).toMatch(/^nodejs_active_resources\{/m)
})

const hasPromtool = spawnSync('promtool', ['--version']).status === 0

test.skipIf(!hasPromtool)("Prometheus's linter finds nothing to say about the metrics", async () => {
  const api = await startTestApi({ METRICS: 'on' })
  await api.as().get('/order')
  const { text } = await api.site.get('/metrics')
  const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' })
  expect({ status, said: `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
})

test('the public port has no metrics unless configured', async () => {
  for (const METRICS of ['auto', 'off'])
    expect(await (await startTestApi({ METRICS })).site.get('/metrics')).toFailWith('not_found')
})

test('calls over the rate limit get 429, and each reply has the remaining number', async () => {
  const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '5' })
  const caller = await api.as('product:view')
  const replies = []
  // Twelve calls exceed a limit of five even if a new minute starts in between.
  for (let call = 0; call < 12; call++) replies.push(await caller.get('/shipping-carrier'))
  expect(replies[0]?.headers.get('x-ratelimit-limit')).toBe('5')
  expect(replies[0]?.headers.get('x-ratelimit-remaining')).toBe('4')
  const limited = replies.find(({ status }) => status === 429)
  expect(limited).toFailWith('rate_limited')
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(limited?.headers.get('x-ratelimit-remaining')).toBe('0')
  const other = await api.as('order:view')
  expect((await other.get('/shipping-carrier')).status).toBe(200)
})

test('rejected calls count too, and their replies have the remaining number', async () => {
  const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '5' })
  const caller = await api.as('product:view')
  const calls = [
    () => caller.get('/order'),
    () => caller.send('PATCH', '/order'),
    () => caller.get('/no-such-thing'),
    () => caller.get('/product/no-such-id'),
    () => caller.get('/product?page=x'),
  ]
  const replies = []
  for (const call of [...calls, ...calls, ...calls]) replies.push(await call())
  expect(replies.slice(0, 5).map(({ status }) => status)).toEqual([403, 405, 404, 404, 422])
  for (const { headers } of replies) {
    expect(headers.get('x-ratelimit-limit')).toBe('5')
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^[0-4]$/)
    expect(Number(headers.get('x-ratelimit-reset'))).toBeGreaterThan(0)
  }
  expect(replies.map(({ status }) => status)).toContain(429)
  // Unauthenticated calls get no rate headers and count for nobody.
  const unauthenticated = api.anonymous.with({ authorization: 'Bearer a.b.c' })
  expect((await unauthenticated.get('/no-such-thing')).headers.get('x-ratelimit-limit')).toBeNull()
})

test('compression follows Accept-Encoding', async () => {
  const api = await startTestApi()
  const encodingFor = async (path: string, accepted: string) =>
    (await api.site.get(path, { 'accept-encoding': accepted })).headers.get('content-encoding')
  const answers: [accepted: string, encoding: string | null][] = [
    ['gzip;q=0', null],
    ['br;q=0, gzip;q=0.0', null],
    ['*;q=0', null],
    ['identity, gzip;q=0.5', null],
    ['gzip;q=0, *', 'br'],
    ['br;q=0, *', 'gzip'],
    ['gzip, br;q=0.2', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'br'],
  ]
  const [, script] = /src="(docs\/[^"]+)"/.exec((await api.site.get('/docs')).text) ?? []
  for (const path of ['/api/apps/v1/permission', '/openapi.json', `/${script}`])
    for (const [accepted, encoding] of answers)
      expect(await encodingFor(path, accepted), `${path} for ${accepted}`).toBe(
        path.endsWith('permission') ? null : encoding,
      )
})

test('without a limit, no rate headers are sent', async () => {
  const api = await startTestApi()
  const reply = await api.as('product:view').get('/shipping-carrier')
  expect(reply.headers.get('x-ratelimit-limit')).toBeNull()
})

test('two Host headers, and a request line without a version, are refused', async () => {
  const { port } = await startTestApi()
  const get = (first: string, ...headers: string[]) =>
    sendRaw(port, [first, ...headers, 'Connection: close', '', ''].join('\r\n'))
  for (const path of ['/healthz', '/api/apps/v1/permission', '/nowhere']) {
    expect(await get(`GET ${path} HTTP/1.1`, 'Host: a', 'hOST: b')).toMatch(/^HTTP\/1\.1 400 [\s\S]*two Host headers/)
    expect(await get(`GET ${path} HTTP/1.1`, 'Host: a', 'Host: a')).toMatch(/^HTTP\/1\.1 400 /)
    expect(await get(`GET ${path}`, 'Host: a')).toMatch(/^HTTP\/1\.1 400 [\s\S]*must end with a version/)
  }
  expect(await get('GET /healthz HTTP/1.1', 'Host: a')).toMatch(/^HTTP\/1\.1 200 /)
  expect(await get('GET /healthz HTTP/1.0')).toMatch(/^HTTP\/1\.1 200 /)
})

test('metrics are served under the names of the service only, on the public port and on their own', async () => {
  const { port } = await startTestApi({ METRICS: 'on', BASE_URL: 'https://shop.example' })
  const own = await freePort()
  const address = { host: '127.0.0.1', port: own }
  const stop = await openMetrics(
    address,
    async () => 'up 1\n',
    () => {},
    'https://shop.example',
  )
  const get = (to: number, host: string) =>
    sendRaw(to, `GET /metrics HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  try {
    for (const to of [port, own]) {
      for (const host of ['127.0.0.1:9464', '[::1]:9464', 'localhost', 'metrics:9464', 'Shop.Example', '10.0.0.5'])
        expect(await get(to, host), host).toMatch(/^HTTP\/1\.1 200 /)
      for (const host of [
        'evil.example',
        'evil.example:9464',
        'shop.example.evil.example',
        '127.0.0.1.evil.example',
        '',
      ])
        expect(await get(to, host), host).toMatch(/^HTTP\/1\.1 403 /)
      expect(await get(to, 'localhost\r\nHost: localhost')).toMatch(/^HTTP\/1\.1 400 /)
    }
  } finally {
    await stop()
  }
})
