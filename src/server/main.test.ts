import { once } from 'node:events'
import { readdir, readFile, stat } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import path from 'node:path'
import { expect, inject, test } from 'vitest'
import { freePort } from '../../tests/support/free-port.ts'
import { beginTokenRequest, untilPortIsClosed } from '../../tests/support/half-request.ts'
import { sendRaw } from '../../tests/support/send-raw.ts'
import { startProcess, temporaryFolder } from '../../tests/support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../../tests/support/test-database.ts'

interface Demo {
  install_id: string
  client_id: string
  client_secret: string
}

const getToken = async (base: string, demo: Demo) => {
  const reply = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(demo),
  })
  return ((await reply.json()) as { data: { token: string } }).data.token
}

test('an invalid setting stops the start and is named', async () => {
  const server = startProcess({ PORT: 'eighty', DATA_DIR: await temporaryFolder() })
  expect(await server.ended()).toBe(1)
  expect(server.output()).toContain('PORT must be a whole number from 0 to 65535, not "eighty"')
})

const shownId = (reply: string) => /^x-request-id: (\S+)/im.exec(reply)?.[1]

/** Loading the demo store is slow: the first test does it, and the next one reuses it. */
const demoFolder = temporaryFolder()
let tokenOfFirstStart: string

test('a port in use is reported with a free one, before anything is created', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const folder = path.join(await temporaryFolder(), 'data')
  const server = startProcess({ DATA_DIR: folder, PORT: String(port), DATABSE_URL: 'postgresql://nowhere/shop' })
  expect(await server.ended()).toBe(1)
  expect(server.output()).toMatch(new RegExp(`Port ${port} of 127.0.0.1 is already in use.* Try PORT=\\d+\\.`))
  expect(server.output()).toContain('Warning: DATABSE_URL is not a setting: did you mean DATABASE_URL?')
  await expect(stat(folder)).rejects.toThrow('ENOENT')
  other.close()

  const elsewhere = startProcess({ DATA_DIR: folder, HOST: '192.0.2.1' })
  expect(await elsewhere.ended()).toBe(1)
  expect(elsewhere.output()).toContain('192.0.2.1 is not an address of this machine')
  await expect(stat(folder)).rejects.toThrow('ENOENT')
})

test('the first start creates everything; a second server names the owner of the data; the shutdown is clean', async () => {
  const folder = await demoFolder
  const first = startProcess({ DATA_DIR: folder })
  const base = await first.ready()
  expect((await fetch(`${base}/permission`)).status).toBe(200)

  const second = startProcess({ DATA_DIR: folder })
  expect(await second.ended()).toBe(1)
  expect(second.output()).toContain(`pid ${first.child.pid}`)
  expect((await fetch(`${base}/permission`)).status).toBe(200)

  const demo: Demo = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8'))
  expect((await stat(path.join(folder, 'demo.json'))).mode & 0o777).toBe(0o600)
  expect((await stat(path.join(folder, 'token-secret'))).mode & 0o777).toBe(0o600)
  for (const word of [demo.install_id, demo.client_id, demo.client_secret, 'curl -sS --fail-with-body'])
    expect(first.output()).toContain(word)
  const [, site = '', code] = /Console +(http\S+)\/welcome#(\S+)/.exec(first.output()) ?? []
  const redeemed = await fetch(`${site}/api/link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(site).origin },
    body: JSON.stringify({ code, email: 'amina@shop.example', password: 'correct horse battery' }),
  })
  expect(redeemed.status).toBe(200)
  const cookie = redeemed.headers.get('set-cookie')?.split(/[=;]/)[1] ?? ''
  expect(cookie).toHaveLength(43)
  const token = await getToken(base, demo)
  const headers = { authorization: `Bearer ${token}`, 'x-request-id': 'of-the-caller.1' }
  const listed = await fetch(`${base}/product?page_size=2`, { headers })
  expect(listed.status).toBe(200)
  await fetch(`${base}/nowhere`, { headers: { 'x-request-id': '"not harmless"' } })
  const unroutable = await fetch(`${base}/%zz`, { headers: { 'x-request-id': 'bad-url' } })
  const port = Number(new URL(base).port)
  const unreadable = await sendRaw(port, 'NONSENSE\r\n\r\n')
  const tooLong = await sendRaw(port, `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)

  expect(await first.stop('SIGINT')).toBe(0)
  const lines = first
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{"level"'))
    .map((line) => JSON.parse(line))
  expect(lines.find(({ request_id }) => request_id === 'of-the-caller.1')).toEqual({
    level: 30,
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
    request_id: 'of-the-caller.1',
    method: 'GET',
    route: '/api/apps/v1/product',
    status: 200,
    ms: expect.any(Number),
    app: demo.client_id,
    installation: demo.install_id,
  })
  for (const secret of ['correct horse battery', cookie]) expect(first.output()).not.toContain(secret)
  const nowhere = lines.find(({ status }) => status === 404)
  expect(nowhere).toMatchObject({ route: null, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  const rejections = lines.filter(({ status }) => status === 400 || status === 431)
  const shown = { level: 30, time: expect.any(String), route: null }
  expect(unroutable.status).toBe(400)
  expect(rejections).toEqual([
    { ...shown, request_id: 'bad-url', method: 'GET', status: 400 },
    { ...shown, request_id: shownId(unreadable), method: null, status: 400, reason: 'HPE_INVALID_METHOD' },
    { ...shown, request_id: shownId(tooLong), method: null, status: 431, reason: 'HPE_HEADER_OVERFLOW' },
  ])
  await expect(readFile(path.join(folder, 'postgres/postmaster.pid'))).rejects.toThrow('ENOENT')

  tokenOfFirstStart = token
})

test('after a restart tokens are still valid; a service that other machines can reach shows neither metrics nor the demo store’s secret', async () => {
  const folder = await demoFolder
  const settings = { DATA_DIR: folder, HOST: '0.0.0.0', METRICS: 'auto', DEMO: 'true' }
  const server = startProcess(settings)
  const site = (await server.ready()).replace('/api/apps/v1', '')
  const demo: Demo = JSON.parse(await readFile(path.join(folder, 'demo.json'), 'utf8'))
  expect(server.output(), 'there is an operator now').toMatch(/Console +http\S+\/console\n/)
  const reply = await fetch(`${site}/api/apps/v1/auth/me`, {
    headers: { authorization: `Bearer ${tokenOfFirstStart}` },
  })
  expect(reply.status).toBe(200)
  expect(server.output()).toContain('Warning: DEMO=true')
  expect(server.output()).not.toContain(demo.client_secret)
  for (const page of ['/docs', '/docs/openapi.json']) {
    const text = await (await fetch(site + page)).text()
    expect(text.length).toBeGreaterThan(500)
    expect(text).not.toContain(demo.client_secret)
  }
  expect((await fetch(`${site}/metrics`)).status).toBe(404)
  // Another program on this machine may use the port; then the service warns and continues without it.
  if (!server.output().includes('No metrics: 127.0.0.1:9464 is already in use'))
    expect(await (await fetch('http://127.0.0.1:9464/metrics')).text()).toContain('http_request_duration_seconds')
  expect(await getToken(`${site}/api/apps/v1`, demo)).toMatch(/^eyJ/)
  expect(await server.stop()).toBe(0)

  const later = startProcess({ ...settings, DEMO: 'false' })
  const base = await later.ready()
  expect(later.output()).toContain('app of the demo store is disabled')
  const refused = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(demo),
  })
  expect(refused.status).toBe(401)
  expect(await later.stop()).toBe(0)
})

/** On a migrated database, which is faster; these tests do not depend on it. */
const startOnClone = async (settings: Record<string, string> = {}) => {
  const DATABASE_URL = databaseUrl(await cloneDatabase())
  return startProcess({ DATABASE_URL, DATA_DIR: await temporaryFolder(), ...settings })
}

test('no secret is logged, and a request in flight is answered before the server stops', async () => {
  const secret = 'the-secret-that-signs-tokens-0123456789'
  const server = await startOnClone({ LOG_LEVEL: 'trace', TOKEN_SECRET: secret })
  const base = await server.ready()
  await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_id: 'somebody', client_secret: 'sk_a-secret-value' }),
  })
  await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from('somebody:sk_a-secret-value').toString('base64')}` },
  })
  await fetch(`${base}/auth/me?access_token=abc.def.ghi`, { headers: { authorization: 'Bearer abc.def.ghi' } })
  const call = await beginTokenRequest(base)
  const stopped = server.stop()
  await untilPortIsClosed(base)
  call.finish()
  expect(await call.status).toBe(401)
  expect(await stopped).toBe(0)
  const log = server.output()
  expect(log).toContain('"route":"/api/apps/v1/auth/get-token"')
  expect(log).toContain('"status":401')
  for (const word of [
    'sk_a-secret-value',
    Buffer.from('somebody:sk_a').toString('base64').slice(0, 12),
    'abc.def.ghi',
    secret,
  ])
    expect(log).not.toContain(word)
})

test('a server that has just started has not loaded what few requests need', async () => {
  const folder = await temporaryFolder()
  // Node lists all modules in it when the process ends.
  const server = await startOnClone({ NODE_V8_COVERAGE: folder })
  expect((await fetch(`${await server.ready()}/permission`)).status).toBe(200)
  expect(await server.stop()).toBe(0)

  const [file = ''] = await readdir(folder)
  const { result }: { result: { url: string }[] } = JSON.parse(await readFile(path.join(folder, file), 'utf8'))
  const packages = result.flatMap(({ url }) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? [])
  expect(packages).toEqual(expect.arrayContaining(['fastify', 'pg']))
  expect(packages.filter((name) => LOADED_WHEN_NEEDED.test(name))).toEqual([])
})

/** Pictures and files, phone numbers, S3, backups, assistants, the page of the documentation, compilers of schemas. */
const LOADED_WHEN_NEEDED =
  /^(sharp|@img\/.*|file-type|libphonenumber-js|@aws-sdk\/.*|tar-stream|@modelcontextprotocol\/.*|@scalar\/.*|ajv)$/

test('several HTTP processes share one port and their rate counters, and stop together', async () => {
  const port = await freePort()
  const server = await startOnClone({ WORKERS: '2', PORT: String(port) })
  const base = await server.ready()
  expect(base).toBe(`http://127.0.0.1:${port}/api/apps/v1`)
  const replies = await Promise.all(Array.from({ length: 40 }, () => fetch(`${base}/permission`)))
  expect(replies.every(({ status }) => status === 200)).toBe(true)
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(metrics).toMatch(/http_request_duration_seconds_count\{[^}]*permission[^}]*\} 40\b/)
  expect(await server.stop()).toBe(0)
})

/** A proxy to the test database that can be closed and opened. */
const startDatabaseProxy = async () => {
  const { host, port, connectionString } = inject('server')
  const url = connectionString ? new URL(connectionString) : undefined
  const target = url
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : host?.startsWith('/')
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: host as string, port: port as number }
  const server = createServer((client) => {
    const upstream = connect(target)
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const open = (server.address() as AddressInfo).port
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return { port: open, open: () => new Promise<void>((resolve) => server.listen(open, '127.0.0.1', resolve)), server }
}

test('the start waits for an external database, which keeps the secret that all nodes share', async () => {
  const { database, connectionString, user, password } = { ...inject('server'), ...(await cloneDatabase()) }
  const proxy = await startDatabaseProxy()
  const url = new URL(connectionString ?? `postgresql://${user}:${password ?? ''}@127.0.0.1/${database}`)
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  const folder = await temporaryFolder()
  const settings = { DATA_DIR: folder, DATABASE_URL: url.toString() }
  const first = startProcess(settings)
  await expect.poll(first.output).toContain(`Waiting for PostgreSQL at 127.0.0.1:${proxy.port}/`)
  await proxy.open()
  const second = startProcess(settings)
  const [one, other] = await Promise.all([first.ready(), second.ready()])
  expect(first.output()).not.toContain('Demo store')
  await expect.poll(first.output).toMatch(/no store yet.*\n.* store create .*\n.* app create .*\n.* install create /)
  await expect(readFile(path.join(folder, 'token-secret'))).rejects.toThrow('ENOENT')
  expect((await fetch(one.replace('/api/apps/v1', '/readyz'))).status).toBe(200)
  expect((await fetch(other.replace('/api/apps/v1', '/readyz'))).status).toBe(200)
  expect(await first.stop()).toBe(0)
  expect(await second.stop()).toBe(0)
  proxy.server.close()
})
