import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { form } from '../../../tests/support/uploads.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

/** Sends the start of a request, then a byte at a time until the server closes. Returns everything received. */
const sendSlowly = (port: number, beginning: string) =>
  new Promise<string>((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(beginning))
    const timer = setInterval(() => socket.write('1'), 100)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(timer)
      resolve(answer)
    })
  })

test('unknown routes and methods answer 404 and 405 whatever the body', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const bodies: [unknown, Record<string, string>][] = [
    [form({ metadata: '{}' }), {}],
    ['a=b', FORM_TYPE],
    ['{broken', JSON_TYPE],
    ['x'.repeat(5 * 1024 * 1024), JSON_TYPE],
  ]
  for (const caller of [all, api.anonymous])
    for (const [body, type] of bodies) {
      expect(await caller.post('/nothing-here', body, type)).toFailWith('not_found')
      const wrong = await caller.send('PUT', '/product', body, type)
      expect(wrong).toFailWith('method_not_allowed')
      expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST')
      expect(wrong.body.message).toBe('PUT is not allowed here: use GET, HEAD or POST.')
    }
})

test('an unsupported Content-Type is rejected with the list of accepted types', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const rejectionOf = async (path: string, body: unknown, type: Record<string, string>) => {
    const reply = await all.post(path, body, type)
    expect(reply).toFailWith('unsupported_media_type')
    return reply.body.message
  }
  const text = { 'content-type': 'text/plain' }
  expect(await rejectionOf('/order', 'a', text)).toBe('This endpoint takes application/json, not text/plain.')
  expect(await rejectionOf('/product', 'a', text)).toBe(
    'This endpoint takes multipart/form-data or application/json, not text/plain.',
  )
  expect(await rejectionOf('/file', '{}', JSON_TYPE)).toBe(
    'This endpoint takes multipart/form-data, not application/json.',
  )
  expect(await rejectionOf('/customer', form({ metadata: '{}' }), {})).toMatch(
    /^This endpoint takes application\/json, not multipart\/form-data/,
  )
  expect(await rejectionOf('/order', new Uint8Array([123, 125]), {})).toBe(
    'This endpoint takes application/json, and the request has no Content-Type.',
  )
})

test('an empty body of any type counts as no body', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', '']) {
    const reply = await all.post('/order', '', type ? { 'content-type': type } : {})
    expect(reply.status, `${type}: ${reply.text}`).toBe(201)
    expect(await all.post('/customer', '', { 'content-type': type })).toBeRefused(422, 'email')
    const product = await all.post('/product', '', { 'content-type': type })
    if (type.startsWith('multipart')) expect(product).toFailWith('bad_request')
    else expect(product).toBeRefused(422, 'title')
  }
})

test('invalid JSON is reported with line and column, in a body and in metadata', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const broken = '{\n  "title": "Mug",\n  "price": 1,,\n}'
  const body = await all.post('/order', broken, JSON_TYPE)
  expect(body).toFailWith('bad_request')
  expect(body.body.message).toBe('The body must be valid JSON: syntax error at line 3, column 14.')
  const metadata = await all.post('/product', form({ metadata: broken }))
  expect(metadata).toBeRefused(400, 'metadata')
  expect(metadata.body.errors.metadata[0]).toContain('line 3, column 14')
})

test('a body of more than 200,000 values is rejected before it is parsed', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const many = `{"x":[${'{},'.repeat(250_000)}{}]}`
  const order = await all.post('/order', many, JSON_TYPE)
  expect(order).toFailWith('payload_too_large')
  expect(order.body.message).toContain('200,000 values')
  expect(await all.post('/product', form({ metadata: many }))).toFailWith('payload_too_large')
})

test('get-token accepts bodies up to 16 kB', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const padded = (bytes: number) => {
    const body = JSON.stringify({ client_id, client_secret, padding: '' })
    return body.replace('"padding":"', `"padding":"${'x'.repeat(bytes - body.length)}`)
  }
  const post = (body: string) => api.anonymous.post('/auth/get-token', body, JSON_TYPE)
  expect((await post(padded(16 * 1024))).status).toBe(200)
  const larger = await post(padded(16 * 1024 + 1))
  expect(larger).toFailWith('payload_too_large')
  expect(larger.body.message).toBe('The request body may have at most 16 kB.')
})

/** Runs in its own process: in the same one, the reply would be read before the next byte is sent. */
const SENDER = `
  const { calls, times } = JSON.parse(process.argv[1])
  const large = Buffer.alloc(24 * 1024 * 1024, 32)
  const send = ([method, url, headers]) =>
    fetch(url, { method, headers, body: large }).then(({ status }) => status, ({ cause }) => cause?.code ?? 'failed')
  const seen = []
  for (const call of calls) {
    const outcomes = new Set()
    for (let time = 0; time < times; time++) outcomes.add(await send(call))
    seen.push([...outcomes])
  }
  console.log(JSON.stringify(seen))`

test('a client refused mid-upload still receives the error response', async () => {
  const api = await startTestApi()
  const app = await api.install(['order:create', 'product:create'])
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const url = (path: string) => `${api.origin}/api/apps/v1${path}`
  const calls = [
    ['POST', url('/order'), JSON_TYPE],
    ['POST', url('/nothing-here'), JSON_TYPE],
    ['PUT', url('/product'), JSON_TYPE],
    ['POST', url('/order'), { ...JSON_TYPE, authorization }],
    ['POST', url('/auth/get-token'), JSON_TYPE],
    ['POST', url('/order'), { ...FORM_TYPE, authorization }],
    ['POST', url('/order'), { ...JSON_TYPE, authorization, 'content-encoding': 'gzip' }],
    ['POST', url('/product'), { 'content-type': 'multipart/form-data', authorization }],
    ['POST', url('/%zz'), JSON_TYPE],
  ]
  const sent = await promisify(execFile)(process.execPath, ['-e', SENDER, JSON.stringify({ calls, times: 6 })])
  expect(JSON.parse(sent.stdout)).toEqual([[401], [404], [405], [413], [413], [415], [415], [400], [400]])
})

test('a request whose body is not needed is answered at once and its connection closed', async () => {
  const api = await startTestApi()
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n`
  const answers = await Promise.all([
    sendSlowly(api.port, `${head('POST /api/apps/v1/order')}Content-Length: 100000\r\n\r\n{`),
    sendSlowly(api.port, `${head('POST /api/apps/v1/nothing')}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`),
    sendSlowly(api.port, `${head('DELETE /api/apps/v1/auth/get-token')}Content-Length: 100000\r\n\r\n{`),
    sendSlowly(api.port, `${head('GET /api/apps/v1/permission')}Content-Length: 100000\r\n\r\n{`),
  ])
  expect(answers.map((answer) => Number(answer.split(' ')[1]))).toEqual([401, 404, 405, 200])
  for (const answer of answers) expect(answer.toLowerCase()).toContain('\r\nconnection: close\r\n')
})

test('a rejected request with a small body keeps its connection open', async () => {
  const api = await startTestApi()
  const reply = await api.anonymous.post('/order', {})
  expect(reply).toFailWith('unauthenticated')
  expect(reply.headers.get('connection')).toBe('keep-alive')
})

test('a second metadata field is rejected at once, and nothing is written', async () => {
  const api = await startTestApi()
  const app = await api.install(['product:create', 'product:update'])
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const part = '--x\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n'
  const begin = (path: string) =>
    `POST /api/apps/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 50000000\r\n` +
    `Content-Type: multipart/form-data; boundary=x\r\n\r\n${part}{"title":"Mug"}\r\n${part}{`
  const created = await sendSlowly(api.port, begin('/product'))
  expect(created).toMatch(/^HTTP\/1\.1 422 [\s\S]*"metadata":\["must be given once"\]/)
  const updated = await sendSlowly(api.port, begin(`/product/${randomUUID()}/update`))
  expect(updated).toMatch(/^HTTP\/1\.1 404 /)
  expect((await api.as('product:view').get('/product')).body.data.pagination.total).toBe(0)
})

test('the text fields of a form may have 4 MB in total', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const metadata = (bytes: number) => `{"title":"Mug","x":"${'x'.repeat(bytes - '{"title":"Mug","x":""}'.length)}"}`
  expect((await all.post('/product', form({ metadata: metadata(4 * 1024 * 1024) }))).status).toBe(201)
  const larger = await all.post('/product', form({ metadata: metadata(4 * 1024 * 1024 + 1) }))
  expect(larger).toFailWith('payload_too_large')
  expect(larger.body.message).toBe('The text fields of a form may have at most 4 MB in total.')
  const alt = (times: number) => form({ alt: Array(times).fill('x'.repeat(60_000)), file: Buffer.from('abc') })
  expect(await all.post('/file', alt(60))).toBeRefused(422, 'alt')
  expect(await all.post('/file', alt(80))).toFailWith('payload_too_large')
})
