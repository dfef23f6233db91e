import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'

const EVERYWHERE = ['x-content-type-options', 'content-security-policy', 'x-frame-options', 'referrer-policy']

const BANNERS = ['server', 'x-powered-by', 'via']

const PAGES = ['/healthz', '/openapi.json', '/nothing', '/api/apps/v1/permission', '/api/apps/v1/product', '/%zz']

const preflight = (api: TestApi, path: string, origin: string, method = 'PUT') =>
  api.site.send('OPTIONS', path, undefined, {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization,if-match',
  })

test('every reply forbids framing, MIME sniffing and referrers, and none names the server software', async () => {
  const api = await startTestApi()
  for (const path of PAGES) {
    const { headers } = await api.site.get(path)
    for (const name of EVERYWHERE) expect(headers.get(name), `${path} ${name}`).not.toBeNull()
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
    for (const name of BANNERS) expect(headers.get(name), `${path} ${name}`).toBeNull()
  }
})

test('the reply to a malformed request has the same headers', async () => {
  const { port } = await startTestApi()
  const answer = await new Promise<string>((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'))
    socket
      .on('data', (chunk) => (text += chunk))
      .on('close', () => resolve(text))
      .on('error', reject)
  })
  for (const name of EVERYWHERE) expect(answer.toLowerCase()).toContain(`\r\n${name}: `)
})

test('a public picture can be embedded in other sites', async () => {
  const api = await startTestApi()
  const bytes = { name: 'a.png', bytes: await picture() }
  const file = await upload(api, { file: bytes, fileable_type: 'product', fileable_id: (await addProduct(api)).id })
  const { headers } = await api.site.get(new URL(file.permanent_url).pathname)
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  expect((await api.anonymous.get('/permission')).headers.get('cross-origin-resource-policy')).toBe('same-origin')
})

test('an unexpected error reveals nothing of the code', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await api.db.schema.alterTable('customer').renameTo('patron').execute()
  try {
    const reply = await all.get('/customer')
    expect(reply).toFailWith('server_error')
    expect(reply.text).not.toMatch(/\.ts|\.js|node_modules|select |relation|patron|at /i)
  } finally {
    await api.db.schema
      .alterTable('patron' as 'customer')
      .renameTo('customer')
      .execute()
  }
})

test('without CORS_ORIGIN no other origin is allowed', async () => {
  const api = await startTestApi()
  expect(await preflight(api, '/api/apps/v1/permission', 'https://admin.example', 'GET')).toFailWith(
    'method_not_allowed',
  )
  const reply = await api.anonymous.get('/permission', { origin: 'https://admin.example' })
  expect(reply.status).toBe(200)
  expect([...reply.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('the configured origins may call from a browser, others may not', async () => {
  const api = await startTestApi({ CORS_ORIGIN: 'https://admin.example, http://localhost:5173/' })
  const asked = await preflight(api, '/api/apps/v1/order/1', 'https://admin.example')
  expect(asked.status).toBe(204)
  expect(asked.text).toBe('')
  expect(asked.headers.get('access-control-allow-origin')).toBe('https://admin.example')
  expect(asked.headers.get('access-control-allow-methods')).toBe('DELETE, GET, HEAD, PUT')
  expect(asked.headers.get('access-control-allow-credentials')).toBeNull()
  const headers = asked.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
  for (const name of [
    'authorization',
    'x-app-install-id',
    'idempotency-key',
    'if-match',
    'content-type',
    'traceparent',
  ])
    expect(headers).toContain(name)

  const reply = await api.anonymous.get('/order', { origin: 'http://localhost:5173' })
  expect(reply).toFailWith('unauthenticated')
  expect(reply.headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
  const exposed = reply.headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
  for (const name of [
    'etag',
    'x-request-id',
    'x-ignored-input',
    'retry-after',
    'x-ratelimit-limit',
    'idempotency-replayed',
  ])
    expect(exposed).toContain(name)

  for (const origin of ['https://evil.example', 'null', 'https://admin.example.evil.example', 'http://admin.example']) {
    expect(await preflight(api, '/api/apps/v1/order/1', origin), origin).toFailWith('method_not_allowed')
    const refused = await api.anonymous.get('/permission', { origin })
    expect(refused.headers.get('access-control-allow-origin'), origin).toBeNull()
    expect(refused.headers.get('vary'), origin).toContain('Origin')
  }
  expect(await preflight(api, '/api/apps/v1/nothing', 'https://admin.example')).toFailWith('not_found')

  // Without Access-Control-Request-Method it is not a preflight, so OPTIONS is an ordinary method.
  const options = await api.site.send('OPTIONS', '/api/apps/v1/order/1', undefined, { origin: 'https://admin.example' })
  expect(options).toFailWith('method_not_allowed')
  expect(options.headers.get('allow')).toBe('DELETE, GET, HEAD, PUT')
  expect((await api.site.get('/openapi.json')).text).not.toContain('"/*"')
})

test('with an asterisk every origin may call', async () => {
  const api = await startTestApi({ CORS_ORIGIN: '*' })
  const asked = await preflight(api, '/api/apps/v1/auth/get-token', 'https://anywhere.example', 'POST')
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe('*')
  expect((await api.anonymous.get('/permission')).headers.get('access-control-allow-origin')).toBe('*')
})
