import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { SessionTokenError, verifySessionToken } from '../../../client/src/session-tokens.ts'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addRegisteredApp, LOCAL_APPS, manifestOf, obtainCode } from '../../../tests/support/apps.ts'
import { addPerson, storeCaller } from '../../../tests/support/console.ts'
import { startReceiver } from '../../../tests/support/receiver.ts'
import { createInstallation } from '../auth/create-installation.ts'
import { disableApp } from '../auth/disable-app.ts'
import { RETRY_RULES } from '../webhooks/retries.ts'
import { deleteOldAppRows } from './lifecycle.ts'
import { checkManifest } from './manifest.ts'
import { findLifecycleGeneration } from './queries.ts'
import { replaceManifest } from './refresh-app.ts'
import { createSessionTokens } from './session-tokens.ts'

/** Nodes of one service share their secret. */
const settings = { ...LOCAL_APPS, TOKEN_SECRET: 'the same secret on both of the nodes' }
const options = { pollMs: 50, retries: { ...RETRY_RULES, delaysMs: [30, 30, 30] } }

let api: TestApi
let owner: Awaited<ReturnType<typeof addPerson>>
beforeAll(async () => {
  api = await startTestApi(settings, undefined, options)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
})

const callerOf = async (app: { client_id: string; client_secret: string }, install_id: string) =>
  api.anonymous.with({ authorization: `Bearer ${await api.getToken(app, { install_id })}` })

const addInstalled = async (permissions: string[] = ['product:view'], changes = {}) => {
  const app = await addRegisteredApp(api, changes)
  const { install_id } = await createInstallation(api.db, app.client_id, api.store.id, permissions)
  return { ...app, install_id }
}

const lifecycleEvents = async () => {
  const reply = await api.as('app:install').get('/event?types=app.*&page_size=100')
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data.events as { type: string; resource: { id: string } }[]
}

const typesOf = async (app: { id: string }) =>
  (await lifecycleEvents()).filter(({ resource }) => resource.id === app.id).map(({ type }) => type)

test('a store sees its apps and those that are listed, with any of the permissions of apps', async () => {
  const installed = await addInstalled(['product:view'], {
    permissions: { required: ['product:view', 'order:view'], optional: [] },
  })
  const listed = await addRegisteredApp(api)
  const unlisted = await addRegisteredApp(api, {}, 'unlisted')
  const disabled = await addRegisteredApp(api)
  await disableApp(api.db, disabled.client_id)
  const { apps } = (await api.as('app:boot').get('/app')).body.data
  const find = ({ client_id }: { client_id: string }) =>
    apps.find((app: { client_id: string }) => app.client_id === client_id)
  expect(find(installed)).toMatchObject({
    install_id: installed.install_id,
    pending: ['order:view'],
    last_used_at: null,
  })
  expect(find(listed)).toMatchObject({ install_id: null, pending: [], state: 'listed', required: ['product:view'] })
  expect([find(unlisted), find(disabled)]).toEqual([undefined, undefined])
  const icon = await fetch(find(listed).icon)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/webp'])
  expect(await api.as('product:view').get('/app')).toFailWith('forbidden')
})

test('a missing permission is named in WWW-Authenticate', async () => {
  const reply = await api.as('product:view').get('/order')
  expect(reply).toFailWith('forbidden')
  expect(reply.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="order:view"')
})

test('an app installs another with no more than it may do itself, and cannot widen it', async () => {
  const app = await addRegisteredApp(api)
  const path = `/app/${app.client_id}/install`
  expect(await api.as('app:install').post(path)).toFailWith('forbidden')
  const caller = await api.as('app:install', 'product:view')
  expect(await caller.post(path, { permissions: ['order:view'] })).toFailWith('forbidden')
  expect(await caller.post(path, { permissions: ['file:delete'] })).toBeRefused(422, 'permissions.0')
  const made = await caller.post(path)
  expect(made.status).toBe(201)
  expect(made.body.data.installation.permissions).toEqual(['product:view'])
  expect(await api.as().post(path, { permissions: ['order:view'] })).toBeRefused(422, 'client_id')
  expect(await caller.post('/app/app_unknown/install')).toFailWith('not_found')
  expect(await (await storeCaller(api, owner)).post(path)).toFailWith('forbidden')
  expect(await typesOf(app)).toEqual(['app.installed'])
})

test('an app sees what it may do and what is pending, and can only narrow itself', async () => {
  const app = await addInstalled(['product:view', 'product:update'])
  const caller = await callerOf(app, app.install_id)
  const { installation } = (await caller.get('/app/self')).body.data
  expect(installation).toMatchObject({ install_id: app.install_id, store: { id: api.store.id }, pending: [] })
  expect(await caller.put('/app/self', { permissions: ['product:view', 'order:view'] })).toFailWith('forbidden')
  const narrowed = await caller.put('/app/self', { permissions: ['product:update'] })
  expect(narrowed.body.data.installation).toMatchObject({ permissions: ['product:update'], pending: ['product:view'] })
  expect(await typesOf(app)).toEqual(['app.installed', 'app.permissions_changed'])
})

test('a manifest that asks for more leaves the old rights alone until a person grants the rest', async () => {
  const content = await manifestOf()
  const app = await addInstalled(['product:view'], content)
  const wider = checkManifest({ ...content, permissions: { required: ['product:view', 'order:view'] } })
  await api.db.transaction().execute((db) => replaceManifest(db, app.id, wider, undefined))
  const caller = await callerOf(app, app.install_id)
  expect((await caller.get('/app/self')).body.data.installation).toMatchObject({
    permissions: ['product:view'],
    pending: ['order:view'],
  })
  expect((await caller.get('/product')).status).toBe(200)
  expect(await caller.get('/order')).toFailWith('forbidden')
  const { install_id } = await obtainCode(owner, api.store.id, app.client_id)
  expect(install_id).toBe(app.install_id)
  await expect.poll(async () => (await caller.get('/order')).status).toBe(200)
  expect(await typesOf(app)).toEqual(['app.installed', 'app.permissions_changed'])
})

test('an app that missed every message finds its installations, and what has changed since', async () => {
  const app = await addInstalled()
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app)}` })
  const read = async (cursor = 0) => (await full.get(`/auth/installation?cursor=${cursor}`)).body.data
  const first = await read()
  expect(first.installations).toMatchObject([{ install_id: app.install_id, store: api.store.id, removed_at: null }])
  expect((await read(first.next_cursor)).installations).toEqual([])
  const other = await startTestApi(settings, undefined, options)
  const second = await createInstallation(api.db, app.client_id, other.store.id, ['order:view'])
  expect((await api.as('app:uninstall').delete(`/app/${app.client_id}`)).status).toBe(200)
  const later = await read(first.next_cursor)
  expect(later.installations).toMatchObject([
    { install_id: second.install_id, removed_at: null },
    { install_id: app.install_id, removed_at: expect.any(String) },
  ])
  const small = await full.get('/auth/installation?page_size=1')
  expect(small.body.data).toMatchObject({ has_more: true, installations: [{ install_id: second.install_id }] })
  const bound = api.anonymous.with({
    authorization: `Bearer ${await api.getToken(app, { install_id: second.install_id })}`,
  })
  expect(await bound.get('/auth/installation')).toFailWith('forbidden')
})

test('a session token says who opens the app, and is worth nothing elsewhere or later', async () => {
  const app = await addInstalled(['product:view', 'order:view'], { embed_url: 'https://counter.example/embed' })
  const staff = await addPerson(api, { role: 'staff', store: api.store.id, permissions: ['app:boot', 'product:view'] })
  const { session } = (await (await storeCaller(api, staff)).post(`/app/${app.client_id}/boot`)).body.data
  expect(session.url).toBe('https://counter.example/embed')
  const verify = (more = {}, token = session.session_token) =>
    verifySessionToken(token, { issuer: api.origin, clientId: app.client_id, ...more })
  const claims = await verify({ store: api.store.id })
  // What both the installation and the person may do.
  expect(claims).toMatchObject({ sub: staff.id, install_id: app.install_id, permissions: ['product:view'] })
  expect(claims.exp - claims.iat).toBe(60)
  for (const [more, message] of [
    [{ clientId: 'app_other' }, 'another app'],
    [{ store: staff.id }, 'another store'],
    [{ now: Date.now() + 70_000 }, 'expired'],
    // Of a service that has the same keys, at another address.
    [{ issuer: 'https://other.example', fetch: () => fetch(`${api.origin}/.well-known/jwks.json`) }, 'another service'],
  ] as const)
    await expect(verify(more)).rejects.toThrow(message)
  const [head, body, signature] = session.session_token.split('.')
  const forged = Buffer.from(JSON.stringify({ ...claims, sub: owner.id })).toString('base64url')
  await expect(verify({}, `${head}.${forged}.${signature}`)).rejects.toThrow('signature')
  const none = Buffer.from(JSON.stringify({ alg: 'none', kid: 'x' })).toString('base64url')
  for (const token of [
    `${none}.${body}.`,
    `${head}.${body}.!!!`,
    `${head}.${body}`,
    `bnVsbA.${body}.${signature}`,
    `${session.session_token}.more`,
    'é.é.é',
    '',
  ])
    await expect(verify({}, token), token).rejects.toThrow(SessionTokenError)
  expect(await api.anonymous.with({ authorization: `Bearer ${session.session_token}` }).get('/product')).toFailWith(
    'unauthenticated',
  )
  expect(await api.as('product:view').post(`/app/${app.client_id}/boot`)).toFailWith('forbidden')
  expect(await api.as('app:boot').post(`/app/${(await addRegisteredApp(api)).client_id}/boot`)).toFailWith('not_found')
})

test('two keys of session tokens are published around each change, and one at other times', async () => {
  const tokens = createSessionTokens('a secret')
  const day = 24 * 3_600_000
  const change = 230 * 90 * day
  const kids = async (time: number) => (await tokens.publicKeys(time)).map(({ kid }) => kid)
  const [before] = await kids(change - 2 * day)
  const [after] = await kids(change + 2 * day)
  expect(before).not.toBe(after)
  expect((await kids(change - day / 2)).sort()).toEqual([before, after].sort())
  expect((await kids(change + day / 2)).sort()).toEqual([before, after].sort())
  expect(await kids(change + 2 * day)).toHaveLength(1)
  expect((await createSessionTokens('a secret').publicKeys(change + 2 * day))[0]?.kid).toBe(after)
  expect(JSON.stringify(await tokens.publicKeys())).not.toContain('"d"')
})

test('uninstalling ends tokens, streams and webhooks on every node within a second', async () => {
  const node = await startTestApi({ ...settings, DATABASE_POOL: '5' }, undefined, options)
  const receiver = await startReceiver()
  const app = await addInstalled(['customer:view'])
  const caller = await callerOf(app, app.install_id)
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  expect((await caller.post('/webhook', { url: receiver.url, types: ['customer.*'] })).status).toBe(201)
  const ended = [api.origin, node.origin].map(async (origin) => {
    const { body } = await fetch(`${origin}/api/apps/v1/event`, {
      headers: { authorization, accept: 'text/event-stream' },
    })
    let text = ''
    for await (const bytes of body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(bytes).toString()
    return text
  })
  await expect.poll(() => [api, node].map(({ services }) => services.hub.waiting())).toEqual([1, 1])
  expect((await fetch(`${node.origin}/api/apps/v1/customer`, { headers: { authorization } })).status).toBe(200)
  expect((await api.as('app:uninstall').delete(`/app/${app.client_id}`)).status).toBe(200)
  for (const text of await Promise.all(ended)) expect(text).toContain('no longer valid')
  for (const { origin } of [api, node])
    expect((await fetch(`${origin}/api/apps/v1/customer`, { headers: { authorization } })).status).toBe(403)
  await api.as('customer:create').post('/customer', { email: 'after@shop.example' })
  const left = await api.db.selectFrom('webhook').select('id').where('installation_id', '=', app.install_id).execute()
  expect([left, receiver.received.filter(({ event }) => event.type === 'customer.created')]).toEqual([[], []])
  expect(await api.as('app:uninstall').delete(`/app/${app.client_id}`)).toFailWith('not_found')
  const again = await createInstallation(api.db, app.client_id, api.store.id, ['customer:view'])
  expect(again.install_id).not.toBe(app.install_id)
})

test('an app is told of its installation in order, signed, again after failures, and after it is gone', async () => {
  let failures = 2
  const receiver = await startReceiver((_, reply: ServerResponse) => reply.writeHead(failures-- > 0 ? 503 : 204).end())
  const app = await addRegisteredApp(api, { lifecycle_url: receiver.url })
  await obtainCode(owner, api.store.id, app.client_id)
  await obtainCode(owner, api.store.id, app.client_id, { permissions: ['order:view'] })
  expect((await (await storeCaller(api, owner)).delete(`/app/${app.client_id}`)).status).toBe(200)
  await expect.poll(() => receiver.received.length).toBe(5)
  expect(receiver.received.map(({ event }) => event.type)).toEqual([
    'app.installed',
    'app.installed',
    'app.installed',
    'app.permissions_changed',
    'app.uninstalled',
  ])
  const { id, generation } = await findLifecycleGeneration(api.db, app.client_id)
  const verifier = new Verifier(api.services.webhooks.secrets.show({ id, generation }))
  for (const { body, headers } of receiver.received) verifier.verify(body, headers as Record<string, string>)
  const [last] = receiver.received.slice(-1)
  const forged = last?.body.replace('uninstalled', 'installed') as string
  expect(() => verifier.verify(forged, last?.headers as Record<string, string>)).toThrow()
  expect(await typesOf(app)).toEqual(['app.installed', 'app.permissions_changed', 'app.uninstalled'])
})

test('nothing is posted to a private address, however an app writes it', async () => {
  for (const lifecycle_url of ['https://10.0.0.1/hook', 'https://[::ffff:10.0.0.1]/hook', 'https://0x0a000001/hook']) {
    const app = await addInstalled(['product:view'], { lifecycle_url })
    const post = () =>
      api.db.selectFrom('lifecycle_post').select(['status', 'error']).where('app_id', '=', app.id).executeTakeFirst()
    await expect.poll(post).toEqual({ status: null, error: 'address' })
  }
})

test('disabling an app is told to the app and to its stores', async () => {
  const receiver = await startReceiver()
  const app = await addInstalled(['product:view'], { lifecycle_url: receiver.url })
  await disableApp(api.db, app.client_id)
  await expect.poll(() => receiver.received.map(({ event }) => event.type)).toEqual(['app.installed', 'app.disabled'])
  expect(await typesOf(app)).toEqual(['app.installed', 'app.disabled'])
})

test('what is kept of a removed installation goes after 30 days, and not before', async () => {
  const receiver = await startReceiver()
  const app = await addInstalled(['product:view'], { lifecycle_url: receiver.url })
  expect((await api.as('app:uninstall').delete(`/app/${app.client_id}`)).status).toBe(200)
  await expect.poll(() => receiver.received.length).toBe(2)
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app)}` })
  const left = async () => {
    await deleteOldAppRows(api.db)
    const posts = await api.db.selectFrom('lifecycle_post').select('type').where('app_id', '=', app.id).execute()
    return [(await full.get('/auth/installation')).body.data.installations.length, posts.length]
  }
  const age = async (days: number) => {
    const at = new Date(Date.now() - days * 24 * 3_600_000)
    await api.db.updateTable('removed_installation').set({ removed_at: at }).where('app_id', '=', app.id).execute()
    await api.db.updateTable('lifecycle_post').set({ done_at: at }).where('app_id', '=', app.id).execute()
  }
  await expect.poll(left).toEqual([1, 2])
  await age(29)
  expect(await left()).toEqual([1, 2])
  await age(31)
  expect(await left()).toEqual([0, 0])
})
