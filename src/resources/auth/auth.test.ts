import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { waitForListeners } from '../../core/storage/listener.ts'
import { ACCESS_CHANNEL } from './access-cache.ts'
import { revokePermissions } from './change-permissions.ts'
import { createInstallation } from './create-installation.ts'
import { disableApp } from './disable-app.ts'
import { enableApp } from './queries.ts'
import { removeInstallation } from './remove-installation.ts'
import { rotateSecret } from './rotate-secret.ts'

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
const UUID = /^[0-9a-f-]{36}$/

test('an app exchanges its credentials for a token that is valid for an hour', async () => {
  const api = await startTestApi()
  const { client_id, client_secret, id } = await api.install(['product:view'])
  const reply = await api.anonymous.post('/auth/get-token', { client_id, client_secret })
  expect(reply.status).toBe(200)
  expect(reply.body.data).toEqual({
    app: { id, client_id, created_at: expect.stringMatching(/^\d{4}-.*Z$/) },
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    ttl: 3600,
  })
  expect(reply.headers.get('cache-control')).toBe('no-store')
})

test('credentials are accepted as Basic authentication', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const reply = await api.anonymous.post('/auth/get-token', undefined, {
    authorization: basic(client_id, client_secret),
  })
  expect(reply.status).toBe(200)
})

test('credentials in the body and in the header must match', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const header = { authorization: basic(client_id, client_secret) }
  const same = await api.anonymous.post('/auth/get-token', { client_id, client_secret }, header)
  expect(same.status).toBe(200)
  const other = await api.anonymous.post('/auth/get-token', { client_id: 'another', client_secret }, header)
  expect(other).toBeRefused(422, 'client_id')
})

test('Basic credentials have the same length limits as those in the body', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const ask = (authorization: string) => api.anonymous.post('/auth/get-token', undefined, { authorization })
  expect(await ask(basic('a'.repeat(256), client_secret))).toBeRefused(422, 'client_id')
  expect(await ask(basic(client_id, 'a\0b'))).toBeRefused(422, 'client_secret')
  expect(await ask(basic(client_id, 'a'.repeat(255)))).toFailWith('invalid_credentials')
  const encoded = Buffer.from(client_id).toString('base64')
  expect(await ask(`Basic ${encoded}`)).toBeRefused(422, 'client_secret')
  const unread = [basic(client_id, client_secret).replace('Basic', 'Digest'), `X${basic(client_id, client_secret)}`]
  for (const header of [...unread, `${basic(client_id, client_secret)} more`])
    expect(await ask(header), header).toBeRefused(422, 'client_id', 'client_secret')
})

test('an error names both missing credentials', async () => {
  const api = await startTestApi()
  expect(await api.anonymous.post('/auth/get-token', {})).toBeRefused(422, 'client_id', 'client_secret')
  expect(await api.anonymous.post('/auth/get-token')).toBeRefused(422, 'client_id', 'client_secret')
})

test.each([0, 86_401, 1.5, 'soon', '1e3', -1])('a ttl of %s is refused', async (ttl) => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  expect(await api.anonymous.post('/auth/get-token', { client_id, client_secret, ttl })).toBeRefused(422, 'ttl')
})

test.each([1, 86_400])('a ttl of %s is granted', async (ttl) => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const reply = await api.anonymous.post('/auth/get-token', { client_id, client_secret, ttl })
  expect(reply.body.data.ttl).toBe(ttl)
})

test('a token expires', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const caller = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { ttl: 1 })}` })
  expect((await caller.get('/auth/me')).status).toBe(200)
  await sleep(1_600)
  const late = await caller.get('/auth/me')
  expect(late).toFailWith('token_expired')
  expect(late.headers.get('www-authenticate')).toContain('invalid_token')
})

test('auth/me shows the installation of a restricted token only', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app)}` })
  expect((await full.get('/auth/me')).body.data).toEqual({
    app: { id: app.id, client_id: app.client_id, created_at: expect.any(String) },
  })
  const bound = api.anonymous.with({
    authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}`,
  })
  expect((await bound.get('/auth/me')).body.data.install_id).toBe(app.install_id)
})

test('a full access token must name an installation of its own app', async () => {
  const api = await startTestApi()
  const mine = await api.install([])
  const theirs = await api.install([])
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(mine)}` })
  const carriers = (install?: string) =>
    full.get('/shipping-carrier', install === undefined ? {} : { 'x-app-install-id': install })
  expect(await carriers()).toFailWith('install_required')
  expect(await carriers('')).toFailWith('install_required')
  expect(await carriers('not-a-uuid')).toFailWith('install_not_granted')
  expect(await carriers(theirs.install_id)).toFailWith('install_not_granted')
  expect((await carriers(mine.install_id)).status).toBe(200)
  expect((await carriers(mine.install_id.toUpperCase())).status).toBe(200)
})

test('one full access token reaches every installation of its app', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const app = await api.install([])
  const second = await createInstallation(api.db, app.client_id, other.store.id, [])
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app)}` })
  for (const install of [app.install_id, second.install_id]) {
    expect((await full.get('/shipping-carrier', { 'x-app-install-id': install })).status).toBe(200)
  }
})

test('a restricted token with the header of another installation is refused', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const other = await api.install([])
  const token = await api.getToken(app, { install_id: app.install_id })
  const bound = api.anonymous.with({ authorization: `Bearer ${token}` })
  expect((await bound.get('/shipping-carrier', { 'x-app-install-id': app.install_id })).status).toBe(200)
  const contradiction = await bound.get('/shipping-carrier', { 'x-app-install-id': other.install_id })
  expect(contradiction).toFailWith('install_not_granted')
})

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const forge = (header: object, claims: object, key: string | Buffer) => {
  const signed = `${part(header)}.${part(claims)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

test('forged, edited and unsigned tokens are refused', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const token = await api.getToken(app)
  const [header, claims, signature] = token.split('.') as [string, string, string]
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const forgeries = [
    forge({ alg: 'HS256' }, read, 'a guessed key that is long enough to be one'),
    forge({ alg: 'HS512' }, read, ''),
    `${part({ alg: 'none' })}.${claims}.`,
    `${part({ alg: 'none' })}.${claims}.${signature}`,
    `${header}.${part({ ...read, exp: read.exp + 9999 })}.${signature}`,
    `${header}.${claims}.${signature.slice(0, -2)}AA`,
    `${header}.${claims}`,
    'garbage',
    '',
  ]
  for (const forgery of forgeries) {
    const reply = await api.anonymous.get('/auth/me', { authorization: `Bearer ${forgery}` })
    expect(reply, forgery).toFailWith('unauthenticated')
    expect(reply.headers.get('www-authenticate')).toContain('Bearer')
  }
  expect(await api.anonymous.get('/auth/me')).toFailWith('unauthenticated')
  expect(await api.anonymous.get('/auth/me', { authorization: `Basic ${token}` })).toFailWith('unauthenticated')
})

/** Two servers on one database, to check that changes reach both. */
const twoNodes = async () => {
  const secret = { TOKEN_SECRET: 'the same secret on both nodes, long enough' }
  const api = await startTestApi({ ...secret, MAX_UPLOAD_MB: '1' })
  const other = await startTestApi({ ...secret, MAX_UPLOAD_MB: '2' })
  const app = await api.install([])
  const token = await api.getToken(app, { install_id: app.install_id })
  const headers = { authorization: `Bearer ${token}` }
  const ask = () => Promise.all([api, other].map((node) => node.anonymous.get('/shipping-carrier', headers)))
  expect((await ask()).map(({ status }) => status)).toEqual([200, 200])
  return { api, app, ask }
}

test('a disabled app is refused at once on every node, and its old tokens stay revoked', async () => {
  const { api, app, ask } = await twoNodes()
  await disableApp(api.db, app.client_id)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (const reply of await ask()) expect(reply).toFailWith('token_revoked')
  const { client_id, client_secret } = app
  const refused = await api.anonymous.post('/auth/get-token', { client_id, client_secret })
  expect(refused).toFailWith('invalid_credentials')
  await enableApp(api.db, app.client_id)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (const reply of await ask()) expect(reply).toFailWith('token_revoked')
  expect((await api.anonymous.post('/auth/get-token', { client_id, client_secret })).status).toBe(200)
})

test('a rotated secret replaces the old one at once; tokens stay valid unless revoked', async () => {
  const { api, app, ask } = await twoNodes()
  const rotated = await rotateSecret(api.db, app.client_id, { revokeTokens: false })
  // Before the change can have been announced.
  expect((await api.anonymous.post('/auth/get-token', rotated)).status).toBe(200)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  const { client_id, client_secret } = app
  expect(await api.anonymous.post('/auth/get-token', { client_id, client_secret })).toFailWith('invalid_credentials')
  expect((await api.anonymous.post('/auth/get-token', rotated)).status).toBe(200)
  for (const reply of await ask()) expect(reply.status).toBe(200)
  await rotateSecret(api.db, app.client_id, { revokeTokens: true })
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (const reply of await ask()) expect(reply).toFailWith('token_revoked')
})

test('a removed installation is refused at once on every node', async () => {
  const { api, app, ask } = await twoNodes()
  await removeInstallation(api.db, app.install_id)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  for (const reply of await ask()) expect(reply).toFailWith('install_not_granted')
})

test('a revoked permission takes effect at once', async () => {
  const api = await startTestApi()
  const app = await api.install(['order:view', 'product:view'])
  const left = await revokePermissions(api.db, app.install_id, ['order:view'])
  expect(left.permissions).toEqual(['product:view'])
})

test('the secret is stored only as a hash', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await api.install([])
  const row = await api.db.selectFrom('app').selectAll().where('client_id', '=', client_id).executeTakeFirstOrThrow()
  expect(JSON.stringify({ ...row, secret_hash: row.secret_hash.toString('latin1') })).not.toContain(client_secret)
  expect(row.id).toMatch(UUID)
})
