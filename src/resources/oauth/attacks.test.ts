import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  addRegisteredApp,
  authorizationRequest,
  decide,
  iconData,
  LOCAL_APPS,
  manifestOf,
  newProof,
  obtainCode,
  REDIRECT,
  sendForm,
  startAppSite,
} from '../../../tests/support/apps.ts'
import { createCaller } from '../../../tests/support/caller.ts'
import { addPerson, consoleCaller, OWN_PAGE } from '../../../tests/support/console.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { checkManifest } from '../apps/manifest.ts'
import { replaceManifest } from '../apps/refresh-app.ts'

let api: TestApi
let owner: Awaited<ReturnType<typeof addPerson>>
beforeAll(async () => {
  api = await startTestApi(LOCAL_APPS)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
})

type App = Awaited<ReturnType<typeof addRegisteredApp>>

const exchange = (app: App, code: string, verifier: string, more: Record<string, string> = {}) =>
  sendForm(api, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id: app.client_id,
    client_secret: app.client_secret,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
    ...more,
  })

const call = (token: string) => api.anonymous.with({ authorization: `Bearer ${token}` }).get('/product')

const ask = (request: Record<string, string>) => owner.console.get(`/authorize?${new URLSearchParams(request)}`)

const installations = (app: { id: string }) =>
  api.db.selectFrom('installation').select('permissions').where('app_id', '=', app.id).execute()

/** What the app is told at its own address. */
const refusalOf = async (request: Record<string, string>) => {
  const { body } = await ask(request)
  expect(body.data.consent).toBeUndefined()
  return Object.fromEntries(new URL(body.data.redirect).searchParams)
}

test('a code works once, and a second use ends the tokens of the first', async () => {
  const app = await addRegisteredApp(api)
  const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
  const first = await exchange(app, code, verifier)
  expect(first.status).toBe(200)
  expect((await call(first.body.access_token)).status).toBe(200)
  const second = await exchange(app, code, verifier)
  expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
  expect(await call(first.body.access_token)).toFailWith('token_revoked')
})

test('of two uses of a code at the same time, none leaves a token that works', async () => {
  const app = await addRegisteredApp(api)
  const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
  // Both are there before either may go on.
  const both = await allWhileLocked(api.db, sql`select 1 from oauth_code where app_id = ${app.id} for update`, [
    () => exchange(app, code, verifier),
    () => exchange(app, code, verifier),
  ])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400])
  const issued = both.find(({ status }) => status === 200)
  expect(await call(issued?.body.access_token)).toFailWith('token_revoked')
})

test('a code of another client, for another address or after a minute gives nothing', async () => {
  const [app, thief] = [await addRegisteredApp(api), await addRegisteredApp(api)]
  const stolen = await obtainCode(owner, api.store.id, app.client_id)
  expect((await exchange(thief, stolen.code, stolen.verifier)).body.error).toBe('invalid_grant')
  // The thief has not used it up.
  expect((await exchange(app, stolen.code, stolen.verifier)).status).toBe(200)

  const moved = await obtainCode(owner, api.store.id, app.client_id)
  const elsewhere = await exchange(app, moved.code, moved.verifier, { redirect_uri: `${REDIRECT}/` })
  expect(elsewhere.body.error).toBe('invalid_grant')

  const old = await obtainCode(owner, api.store.id, app.client_id)
  await api.db
    .updateTable('oauth_code')
    .set({ expires_at: new Date(Date.now() - 1) })
    .where('used_at', 'is', null)
    .execute()
  expect((await exchange(app, old.code, old.verifier)).body.error).toBe('invalid_grant')
})

test('a code cannot be exchanged with a wrong secret, or with none', async () => {
  const app = await addRegisteredApp(api)
  const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
  const wrong = await exchange(app, code, verifier, { client_secret: 'sk_wrong' })
  expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
  const fields = { grant_type: 'authorization_code', client_id: app.client_id, redirect_uri: REDIRECT, code }
  expect((await sendForm(api, '/oauth/token', { ...fields, code_verifier: verifier })).body.error).toBe(
    'invalid_client',
  )
  expect((await exchange(app, code, verifier)).status).toBe(200)
})

test('PKCE cannot be left out, weakened or guessed', async () => {
  const app = await addRegisteredApp(api)
  const { challenge } = newProof()
  const { code_challenge: _, ...without } = authorizationRequest(app.client_id, challenge)
  for (const request of [
    without,
    authorizationRequest(app.client_id, challenge, { code_challenge_method: 'plain' }),
    authorizationRequest(app.client_id, 'short'),
  ])
    expect(await refusalOf(request)).toMatchObject({ error: 'invalid_request', state: 'xyz', iss: api.origin })

  const guessed = await obtainCode(owner, api.store.id, app.client_id)
  expect((await exchange(app, guessed.code, newProof().verifier)).body.error).toBe('invalid_grant')
  const missing = await obtainCode(owner, api.store.id, app.client_id)
  expect((await exchange(app, missing.code, '')).body.error).toBe('invalid_request')
  // The challenge itself is no proof.
  const proof = newProof()
  const reply = await decide(owner, api.store.id, authorizationRequest(app.client_id, proof.challenge))
  const code = new URL(reply.body.data.redirect).searchParams.get('code') as string
  expect((await exchange(app, code, proof.challenge)).body.error).toBe('invalid_grant')
})

test('nobody is sent to an address that differs from the registered one in any way', async () => {
  const app = await addRegisteredApp(api)
  const { challenge } = newProof()
  for (const redirect_uri of [
    `${REDIRECT}/`,
    `${REDIRECT}?next=1`,
    `${REDIRECT}#token`,
    `${REDIRECT}.evil.example`,
    'https://counter.example.evil.example/oauth/callback',
    'https://counter.example:8443/oauth/callback',
    'https://counter.example:443/oauth/callback',
    'https://COUNTER.example/oauth/callback',
    'https://counter.example/OAuth/callback',
    'https://counter.example/oauth%2Fcallback',
    'https://counter.example/oauth/../oauth/callback',
    'https://counter.example@evil.example/oauth/callback',
    'https://user@counter.example/oauth/callback',
    'http://counter.example/oauth/callback',
    'https://counter.example/oauth/callback\\@evil.example',
    '//counter.example/oauth/callback',
    'javascript:alert(1)',
    '',
  ]) {
    const request = authorizationRequest(app.client_id, challenge, { redirect_uri })
    expect(await ask(request), redirect_uri).toBeRefused(422, 'redirect_uri')
    const decision = { request, store: api.store.id, permissions: [], revision: '' }
    expect((await owner.console.post('/authorize', decision)).status, redirect_uri).toBeGreaterThanOrEqual(412)
  }
  const twice = new URLSearchParams(authorizationRequest(app.client_id, challenge))
  twice.append('redirect_uri', 'https://evil.example/')
  expect(await owner.console.get(`/authorize?${twice}`)).toBeRefused(422, 'redirect_uri')
  expect(await installations(app)).toEqual([])
})

test('the answer repeats the state and says who gives it, so that it cannot be mixed up', async () => {
  const app = await addRegisteredApp(api)
  const { answer } = await obtainCode(owner, api.store.id, app.client_id)
  expect(Object.fromEntries(answer)).toMatchObject({ state: 'xyz', iss: api.origin })
  const { body } = await ask(authorizationRequest(app.client_id, newProof().challenge, { state: 'a&b=c' }))
  expect(Object.fromEntries(new URL(body.data.consent.denied).searchParams)).toEqual({
    error: 'access_denied',
    state: 'a&b=c',
    iss: api.origin,
  })
})

test('a foreign page cannot decide for a person, nor frame the page', async () => {
  const app = await addRegisteredApp(api)
  const request = authorizationRequest(app.client_id, newProof().challenge)
  const { revision } = (await ask(request)).body.data.consent
  const decision = { request, store: api.store.id, permissions: [], revision }
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
    expect(await owner.console.post('/authorize', decision, headers)).toFailWith('forbidden')
  // A browser that does not tell which site a request is from.
  const old = createCaller(api.app, api.origin, '/console/api', { cookie: owner.cookie })
  for (const origin of ['https://evil.example', 'null', `${api.origin}.evil.example`])
    expect(await old.post('/authorize', decision, { origin })).toFailWith('forbidden')
  expect(await old.post('/authorize', decision)).toFailWith('forbidden')
  const form = new URLSearchParams({ store: api.store.id }).toString()
  const typed = { ...OWN_PAGE, 'content-type': 'application/x-www-form-urlencoded' }
  expect((await owner.console.post('/authorize', form, typed)).status).toBe(403)
  expect(await consoleCaller(api).post('/authorize', decision)).toFailWith('sign_in_required')
  const page = await api.site.get('/console/authorize')
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  // The page's address holds what the app has sent.
  expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  expect(await installations(app)).toEqual([])
})

test('whoever signed in long ago gives the password again', async () => {
  const app = await addRegisteredApp(api)
  const person = await addPerson(api, { role: 'owner', store: api.store.id })
  await api.db
    .updateTable('session')
    .set({ confirmed_at: new Date(Date.now() - 3_600_000) })
    .where('account_id', '=', person.id)
    .execute()
  const reply = await decide(person, api.store.id, authorizationRequest(app.client_id, newProof().challenge))
  expect(reply).toFailWith('confirmation_required')
  expect(await installations(app)).toEqual([])
})

test('staff can neither install without the right, nor grant what they may not do themselves', async () => {
  const app = await addRegisteredApp(api)
  const request = authorizationRequest(app.client_id, newProof().challenge)
  const staff = (...permissions: string[]) => addPerson(api, { role: 'staff', store: api.store.id, permissions })
  const viewer = await staff('product:view')
  expect(await decide(viewer, api.store.id, request)).toFailWith('forbidden')
  const installer = await staff('app:install', 'order:view')
  expect(await decide(installer, api.store.id, request)).toFailWith('forbidden')
  const able = await staff('app:install', 'product:view')
  expect(await decide(able, api.store.id, request, { permissions: ['order:view'] })).toFailWith('forbidden')
  const stranger = await addPerson(api, { role: 'owner', store: (await startTestApi(LOCAL_APPS)).store.id })
  expect(await decide(stranger, api.store.id, request)).toFailWith('not_found')
  expect(await installations(app)).toEqual([])
  expect((await decide(able, api.store.id, request)).status).toBe(200)
  expect(await installations(app)).toEqual([{ permissions: ['product:view'] }])
})

test('neither the address nor the decision can ask for more than the manifest', async () => {
  const app = await addRegisteredApp(api)
  const { challenge } = newProof()
  for (const scope of ['product:view customer:delete', 'everything', 'product:view,order:view'])
    expect(await refusalOf(authorizationRequest(app.client_id, challenge, { scope }))).toMatchObject({
      error: 'invalid_scope',
    })
  const request = authorizationRequest(app.client_id, challenge, { scope: 'product:view' })
  const more = await decide(owner, api.store.id, request, { permissions: ['order:view'] })
  expect(more).toBeRefused(422, 'permissions')
  expect(await installations(app)).toEqual([])
})

test('what a person has seen is what is granted: a manifest that changes meanwhile is shown again', async () => {
  const content = await manifestOf()
  const app = await addRegisteredApp(api, content)
  const request = authorizationRequest(app.client_id, newProof().challenge)
  const { revision } = (await ask(request)).body.data.consent
  const wider = checkManifest({ ...content, permissions: { required: ['product:view', 'customer:delete'] } })
  await api.db.transaction().execute((db) => replaceManifest(db, app.id, wider, undefined))
  expect(await decide(owner, api.store.id, request, { revision })).toFailWith('version_mismatch')
  expect(await installations(app)).toEqual([])
})

test('a new text, picture or policy of the app is shown again as well, in every language', async () => {
  const content = await manifestOf({ name: 'Steady counter' })
  const app = await addRegisteredApp(api, content)
  const request = authorizationRequest(app.client_id, newProof().challenge)
  let before = content
  for (const change of [
    { description: 'Counts, and tells everybody.' },
    { languages: { fr: { name: 'Compteur de la banque' } } },
    { privacy_url: 'https://counter.example/no-privacy' },
    { icon: await iconData(32, 32) },
    { name: 'Steady bank' },
    { developer: 'The bank' },
    { url: 'https://bank.example/' },
    { redirect_uris: [REDIRECT, 'https://bank.example/'] },
  ]) {
    const { revision } = (await ask(request)).body.data.consent
    before = { ...before, ...change }
    const other = checkManifest(before)
    await api.db.transaction().execute((db) => replaceManifest(db, app.id, other, undefined))
    expect(await decide(owner, api.store.id, request, { revision })).toFailWith('version_mismatch')
  }
  expect(await installations(app)).toEqual([])
})

test('a metadata document is read again before it counts, and never from a private address', async () => {
  const site = await startAppSite()
  const client_id = `${site.origin}/client.json`
  const document = { client_id, client_name: 'Rebinder', redirect_uris: [REDIRECT] }
  site.documents.set('/client.json', document)
  const request = authorizationRequest(client_id, newProof().challenge, { scope: 'product:view' })
  const { revision } = (await ask(request)).body.data.consent
  site.documents.set('/client.json', { ...document, client_name: 'Console of the bank' })
  expect(await decide(owner, api.store.id, request, { revision })).toFailWith('version_mismatch')

  site.documents.set('/client.json', { ...document, client_id: 'https://other.example/client.json' })
  expect(await ask(request)).toBeRefused(422, 'client_id')
  site.documents.set('/client.json', { ...document, client_name: 'Console' })
  expect(await ask(request)).toBeRefused(422, 'name')

  const closed = await startTestApi()
  const person = await addPerson(closed, { role: 'operator' })
  site.documents.set('/client.json', document)
  const { length } = site.requests
  expect(await person.console.get(`/authorize?${new URLSearchParams(request)}`)).toBeRefused(422, 'client_id')
  expect(site.requests).toHaveLength(length)
})

/** A client without a secret that somebody has let in. */
const letInPublicClient = async (name: string) => {
  const site = await startAppSite()
  const client_id = `${site.origin}/client.json`
  site.documents.set('/client.json', { client_id, client_name: name, redirect_uris: [REDIRECT] })
  const { code, verifier } = await obtainCode(owner, api.store.id, client_id, { scope: 'product:view' })
  const fields = { grant_type: 'authorization_code', redirect_uri: REDIRECT, code, code_verifier: verifier }
  const { body } = await sendForm(api, '/oauth/token', { ...fields, client_id })
  return { client_id, tokens: body as { access_token: string; refresh_token: string } }
}

const refreshAs = (client_id: string, refresh_token: string) =>
  sendForm(api, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })

test('a refresh token is replaced by each use; one that comes back late ends the chain', async () => {
  const { client_id, tokens: first } = await letInPublicClient('Chain')
  const refresh = (refresh_token: string) => refreshAs(client_id, refresh_token)
  const second = await refresh(first.refresh_token)
  expect(second.status, second.text).toBe(200)
  // A lost reply: the same token again, at once.
  expect((await refresh(first.refresh_token)).status).toBe(200)
  await api.db
    .updateTable('oauth_refresh')
    .set({ used_at: new Date(Date.now() - 11_000) })
    .where('used_at', 'is not', null)
    .execute()
  expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
  expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant')
  expect(await call(second.body.access_token)).toFailWith('token_revoked')
})

test('a refresh token is worth nothing to another client, which can neither use nor end it', async () => {
  const victim = await letInPublicClient('Victim')
  const thief = await letInPublicClient('Thief')
  const { access_token, refresh_token } = victim.tokens
  expect((await refreshAs(thief.client_id, refresh_token)).body.error).toBe('invalid_grant')
  const registered = await addRegisteredApp(api)
  expect((await refreshAs(registered.client_id, refresh_token)).body.error).toBe('invalid_client')
  for (const token of [refresh_token, access_token])
    expect((await sendForm(api, '/oauth/revoke', { client_id: thief.client_id, token })).status).toBe(200)
  expect((await call(access_token)).status).toBe(200)
  expect((await refreshAs(victim.client_id, refresh_token)).status).toBe(200)
  expect((await sendForm(api, '/oauth/revoke', { client_id: victim.client_id, token: refresh_token })).status).toBe(200)
  expect(await call(access_token)).toFailWith('token_revoked')
})

test('a client can end only its own tokens', async () => {
  const [app, other] = [await addRegisteredApp(api), await addRegisteredApp(api)]
  const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
  const { access_token: token } = (await exchange(app, code, verifier)).body
  const revoke = ({ client_id, client_secret }: App) =>
    sendForm(api, '/oauth/revoke', { client_id, client_secret, token })
  expect((await revoke(other)).status).toBe(200)
  expect((await call(token)).status).toBe(200)
  expect((await revoke(app)).status).toBe(200)
  expect(await call(token)).toFailWith('token_revoked')
  const unknown = { client_id: app.client_id, client_secret: app.client_secret, token: 'whatever' }
  expect((await sendForm(api, '/oauth/revoke', unknown)).status).toBe(200)
})

test('the token endpoint refuses what is given twice, unknown grants, and secrets guessed too often', async () => {
  const app = await addRegisteredApp(api)
  const { client_id, client_secret } = app
  const typed = { 'content-type': 'application/x-www-form-urlencoded' }
  const twice = `grant_type=client_credentials&client_id=${client_id}&client_id=x`
  expect((await api.site.post('/oauth/token', twice, typed)).body.error).toBe('invalid_request')
  const password = { grant_type: 'password', client_id, client_secret }
  expect((await sendForm(api, '/oauth/token', password)).body.error).toBe('unsupported_grant_type')
  const refresh = { grant_type: 'refresh_token', client_id, client_secret, refresh_token: 'rt_x' }
  expect((await sendForm(api, '/oauth/token', refresh)).body.error).toBe('unauthorized_client')
  const other = await api.install(['product:view'])
  const foreign = { grant_type: 'client_credentials', client_id, client_secret, install_id: other.install_id }
  expect((await sendForm(api, '/oauth/token', foreign)).body.error).toBe('invalid_grant')
  expect((await api.site.post('/oauth/token', { grant_type: 'client_credentials' })).status).toBe(400)
  const guess = { grant_type: 'client_credentials', client_id, client_secret: 'sk_guess', install_id: other.install_id }
  for (let n = 0; n < 30; n++) expect((await sendForm(api, '/oauth/token', guess)).status).toBe(401)
  const limited = await sendForm(api, '/oauth/token', foreign)
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, expect.any(String)])
})

test('what is in the address, or in a request object, is no part of a request', async () => {
  const app = await addRegisteredApp(api)
  const { client_id, client_secret } = app
  const { install_id } = await obtainCode(owner, api.store.id, client_id)
  const fields = { grant_type: 'client_credentials', client_id, client_secret, install_id }
  const inAddress = `/oauth/token?${new URLSearchParams(fields)}`
  const reply = await sendForm(api, inAddress, {})
  expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request'])
  expect((await api.site.get(inAddress)).status).toBe(405)
  const issued = await sendForm(api, '/oauth/token', fields)
  expect([issued.status, issued.headers.get('cache-control')]).toEqual([200, 'no-store'])

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const object = `${part({ alg: 'none' })}.${part({ redirect_uri: 'https://evil.example/', scope: 'customer:delete' })}.`
  const { challenge } = newProof()
  const request = authorizationRequest(client_id, challenge, {
    request: object,
    request_uri: 'https://evil.example/request',
    response_mode: 'fragment',
  })
  const { consent } = (await ask(request)).body.data
  expect([consent.returns_to, consent.required]).toEqual(['counter.example', ['product:view']])
  expect(consent.denied).toMatch(/^https:\/\/counter\.example\/oauth\/callback\?error=access_denied&/)
  for (const name of ['client_id', 'scope', 'state', 'code_challenge']) {
    const twice = new URLSearchParams(authorizationRequest(client_id, challenge, { scope: 'product:view' }))
    twice.append(name, 'other')
    expect(await owner.console.get(`/authorize?${twice}`), name).toBeRefused(422, name)
  }
})

test('a disabled app can neither ask for access nor use its codes', async () => {
  const app = await addRegisteredApp(api)
  const { code, verifier } = await obtainCode(owner, api.store.id, app.client_id)
  await api.db.updateTable('app').set({ disabled_at: new Date() }).where('id', '=', app.id).execute()
  expect(await ask(authorizationRequest(app.client_id, newProof().challenge))).toFailWith('not_found')
  const reply = await exchange(app, code, verifier)
  expect([reply.status, reply.body.error]).toEqual([401, 'invalid_client'])
})
