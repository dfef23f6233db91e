import { createHmac, randomBytes } from 'node:crypto'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test, vi } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { waitForListeners } from '../../src/core/storage/listener.ts'
import { ACCESS_CHANNEL } from '../../src/resources/auth/access-cache.ts'
import { disableApp } from '../../src/resources/auth/disable-app.ts'
import { enableApp } from '../../src/resources/auth/queries.ts'
import { deriveKey } from '../../src/resources/auth/secrets.ts'
import { startHttpServer } from '../../src/server/http-server.ts'
import { startTestApi } from '../support/api.ts'
import { addCleanup } from '../support/cleanup.ts'
import { temporaryFolder } from '../support/server-process.ts'
import { recordResult } from './results-table.ts'
import { getToken } from './seeded-shop.ts'

const TOKEN_SECRET = 'a secret of the operator, 32 bytes or more'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signed with the server's own key, to test the checks other than the signature. */
const signed = (header: object, claims: object, hash = 'sha256') => {
  const text = `${part(header)}.${part(claims)}`
  const key = deriveKey(TOKEN_SECRET, 'tokens')
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`
}

const start = async () => {
  const api = await startTestApi({ TOKEN_SECRET })
  const app = await api.install([])
  const token = await api.getToken(app)
  const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  const me = (token: string) => api.anonymous.get('/auth/me', { authorization: `Bearer ${token}` })
  return { api, app, token, claims, me }
}

test('a token is valid for one algorithm and one issuer only, whatever its header says', async () => {
  const { claims, me } = await start()
  expect((await me(signed({ alg: 'HS256' }, claims))).status).toBe(200)
  const { exp, gen, sub, iss, ...rest } = claims
  const confused = [
    signed({ alg: 'none' }, claims),
    signed({ alg: 'HS512' }, claims, 'sha512'),
    signed({ alg: 'HS384' }, claims, 'sha384'),
    signed({ alg: 'RS256' }, claims),
    signed({ alg: 'ES256' }, claims),
    signed({ alg: ['HS256'] }, claims),
    signed({ alg: 'hs256' }, claims),
    signed({ alg: 'HS256', crit: ['x'], x: 1 }, claims),
    signed({ alg: 'HS256', b64: false, crit: ['b64'] }, claims),
    signed({}, claims),
    signed({ alg: 'HS256' }, { ...claims, iss: 'somebody' }),
    signed({ alg: 'HS256' }, { exp, gen, sub, ...rest }),
    signed({ alg: 'HS256' }, { gen, sub, iss, ...rest }),
    signed({ alg: 'HS256' }, { exp, sub, iss, ...rest }),
    signed({ alg: 'HS256' }, { exp, gen, iss, ...rest }),
    signed({ alg: 'HS256' }, { ...claims, exp: 'never' }),
    `${signed({ alg: 'HS256' }, claims)}.${randomBytes(8).toString('base64url')}`,
  ]
  for (const token of confused) expect(await me(token), token).toFailWith('unauthenticated')
  const jwk = { kty: 'oct', k: Buffer.from('mine').toString('base64url') }
  const own = `${part({ alg: 'HS256', jwk, jku: 'https://evil.example/keys', kid: '../../dev/null' })}.${part(claims)}`
  const mine = `${own}.${createHmac('sha256', 'mine').update(own).digest('base64url')}`
  expect(await me(mine)).toFailWith('unauthenticated')
  recordResult({ case: 'tokens: wrong algorithms and claims', tried: confused.length + 1, lost: 0 })
})

test('clock skew does not extend the lifetime of a token', async () => {
  const { claims, me } = await start()
  const now = Math.floor(Date.now() / 1000)
  expect(await me(signed({ alg: 'HS256' }, { ...claims, exp: now - 1 }))).toFailWith('token_expired')
  expect(await me(signed({ alg: 'HS256' }, { ...claims, exp: now }))).toFailWith('token_expired')
  expect(await me(signed({ alg: 'HS256' }, { ...claims, nbf: now + 600 }))).toFailWith('unauthenticated')
  recordResult({ case: 'tokens: clock skew', tried: 3, lost: 0 })
})

test('a token lives from one second to one day, and no longer', async () => {
  const { api, app, me } = await start()
  const { client_id, client_secret } = app
  const ask = (ttl: unknown) => api.anonymous.post('/auth/get-token', { client_id, client_secret, ttl })
  for (const ttl of [0, -1, 86_401, 1.5, 'soon', '1e3', 1e21])
    expect(await ask(ttl), String(ttl)).toBeRefused(422, 'ttl')
  expect((await ask(86_400)).body.data.ttl).toBe(86_400)
  const { token } = (await ask(1)).body.data
  await sleep(1_100)
  expect(await me(token)).toFailWith('token_expired')
  expect(await me(token)).toFailWith('token_expired')
  recordResult({ case: 'tokens: lifetimes', tried: 9, lost: 0 })
})

test('a revoked token stays invalid when the app is enabled again', async () => {
  const { api, app, token, me } = await start()
  expect((await me(token)).status).toBe(200)
  await disableApp(api.db, app.client_id)
  await enableApp(api.db, app.client_id)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (let replay = 0; replay < 20; replay++) expect(await me(token)).toFailWith('token_revoked')
  expect((await me(await api.getToken(app))).status).toBe(200)
  recordResult({ case: 'tokens: replayed after a revocation', tried: 20, lost: 0 })
})

/** A proxy to the test database that can silently cut off the listening connection only. */
const startListenerProxy = async () => {
  const { host, port, connectionString } = inject('server')
  const url = connectionString ? new URL(connectionString) : undefined
  const target = url
    ? { host: url.hostname, port: Number(url.port || 5432) }
    : host?.startsWith('/')
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: host as string, port: port as number }
  const wire = { port: 0, isCut: false, listeners: 0 }
  const server = createServer((client) => {
    const upstream = connect(target)
    let listens = false
    client.once('data', (hello) => {
      listens = hello.includes('storefront listener')
      if (listens) wire.listeners++
    })
    client.on('data', (bytes) => (wire.isCut && listens) || upstream.write(bytes))
    upstream.on('data', (bytes) => (wire.isCut && listens) || client.write(bytes))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const)
      one.on('close', () => other.destroy()).on('error', () => other.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  addCleanup(() => server.close())
  wire.port = (server.address() as AddressInfo).port
  return wire
}

test('a revoked token is rejected within a second although the listening connection is half open', async () => {
  const wire = await startListenerProxy()
  const api = await startTestApi()
  const { connectionString, ...connection } = api.connection
  const url = connectionString ? new URL(connectionString) : undefined
  if (url) {
    url.hostname = '127.0.0.1'
    url.port = String(wire.port)
  }
  const through = url ? { connectionString: url.href } : { ...connection, host: '127.0.0.1', port: wire.port }
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder() })
  const server = await startHttpServer(config, through)
  addCleanup(server.close)
  const app = await api.install([])
  const at = `http://127.0.0.1:${server.port}/api/apps/v1`
  const ask = async (token: string) =>
    (await fetch(`${at}/auth/me`, { headers: { authorization: `Bearer ${token}` } })).status
  let slowest = 0
  let tried = 0
  // At various intervals after the last ping and the last query.
  for (const phase of [0, 130, 260, 390, 520, 800]) {
    await enableApp(api.db, app.client_id)
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    // While the server has no listening connection, it may take the app for disabled for up to a second.
    const token = await vi.waitFor(() => getToken(at, app), 10_000)
    await expect.poll(() => ask(token)).toBe(200)
    await sleep(phase)
    wire.isCut = true
    expect(await ask(token)).toBe(200)
    await disableApp(api.db, app.client_id)
    const revoked = performance.now()
    while ((await ask(token)) === 200 && performance.now() - revoked < 8_000) tried++
    slowest = Math.max(slowest, performance.now() - revoked)
    wire.isCut = false
  }
  // One second, plus what a slow machine takes.
  expect(slowest).toBeLessThan(1_000 + 3_000)
  // The server notices and opens another connection.
  await expect.poll(() => wire.listeners).toBeGreaterThan(1)
  const note = `dead after ${Math.round(slowest)} ms at most`
  recordResult({ case: 'tokens: revoked while the listener is half open', tried, lost: 0, note })
})
