import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import {
  addRegisteredApp,
  authorizationRequest,
  decide,
  LOCAL_APPS,
  newProof,
  obtainCode,
  REDIRECT,
  sendForm,
  startAppSite,
} from '../../../tests/support/apps.ts'
import { addPerson, storeCaller } from '../../../tests/support/console.ts'

let api: TestApi
let owner: Awaited<ReturnType<typeof addPerson>>
beforeAll(async () => {
  api = await startTestApi(LOCAL_APPS)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
})

let clients = 0

/** A client that nobody registered, such as a program on the computers of several people of a store. */
const addPublicClient = async () => {
  const site = await startAppSite()
  const client_id = `${site.origin}/client.json`
  site.documents.set('/client.json', { client_id, client_name: `Desk ${++clients}`, redirect_uris: [REDIRECT] })
  return client_id
}

const useCode = (client_id: string, code: string, verifier: string) =>
  sendForm(api, '/oauth/token', {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri: REDIRECT,
    code,
    code_verifier: verifier,
  })

const signIn = async (person: typeof owner, client_id: string, scope: string) => {
  const { code, verifier } = await obtainCode(person, api.store.id, client_id, { scope })
  const reply = await useCode(client_id, code, verifier)
  expect(reply.status, reply.text).toBe(200)
  return reply.body as { access_token: string; refresh_token: string; scope: string; install_id: string }
}

const callerWith = (token: string) => api.anonymous.with({ authorization: `Bearer ${token}` })

const statusOf = async (token: string, path: string) => (await callerWith(token).get(path)).status

const addStaff = (...permissions: string[]) => addPerson(api, { role: 'staff', store: api.store.id, permissions })

test('through a public client nobody can do more than they may themselves, whatever the store has granted it', async () => {
  const client_id = await addPublicClient()
  const ofOwner = await signIn(owner, client_id, 'product:view order:view')
  expect(await statusOf(ofOwner.access_token, '/order')).toBe(200)

  const staff = await addStaff('app:install', 'product:view')
  // The client may see orders in this store, and this person may not.
  const request = authorizationRequest(client_id, newProof().challenge, { scope: 'product:view order:view' })
  expect(await decide(staff, api.store.id, request)).toFailWith('forbidden')
  const ofStaff = await signIn(staff, client_id, 'product:view')
  expect(ofStaff.scope).toBe('product:view')
  expect(await statusOf(ofStaff.access_token, '/product')).toBe(200)
  expect(await callerWith(ofStaff.access_token).get('/order')).toFailWith('forbidden')
  const refreshed = await sendForm(api, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id,
    refresh_token: ofStaff.refresh_token,
  })
  expect(refreshed.body.scope).toBe('product:view')
  expect(await callerWith(refreshed.body.access_token).get('/order')).toFailWith('forbidden')
  expect(await statusOf(ofOwner.access_token, '/order')).toBe(200)
})

test('whoever loses their place in a store loses the clients that they let in, and nobody else does', async () => {
  const client_id = await addPublicClient()
  const staff = await addStaff('app:install', 'product:view')
  const ofStaff = await signIn(staff, client_id, 'product:view')
  const ofOwner = await signIn(owner, client_id, 'product:view')
  expect(await statusOf(ofStaff.access_token, '/product')).toBe(200)
  await api.db.deleteFrom('membership').where('account_id', '=', staff.id).execute()
  await expect.poll(() => statusOf(ofStaff.access_token, '/product')).toBe(403)
  const refreshed = await sendForm(api, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id,
    refresh_token: ofStaff.refresh_token,
  })
  expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant'])
  expect(await statusOf(ofOwner.access_token, '/product')).toBe(200)
})

test('an app with a secret gets a code only from somebody who may do all that it may', async () => {
  const app = await addRegisteredApp(api)
  await obtainCode(owner, api.store.id, app.client_id, { permissions: ['order:view'] })
  const staff = await addStaff('app:install', 'product:view')
  const request = authorizationRequest(app.client_id, newProof().challenge)
  const { consent } = (await staff.console.get(`/authorize?${new URLSearchParams(request)}`)).body.data
  expect(consent.stores[0].missing).toEqual(['order:view'])
  expect(await decide(staff, api.store.id, request)).toFailWith('forbidden')
  expect(await decide(staff, api.store.id, request, { permissions: ['order:view'] })).toFailWith('forbidden')
  const granted = await api.db
    .selectFrom('installation')
    .select('permissions')
    .where('app_id', '=', app.id)
    .executeTakeFirst()
  expect(granted?.permissions).toEqual(['order:view', 'product:view'])
  const codes = await api.db.selectFrom('oauth_code').select('app_id').where('app_id', '=', app.id).execute()
  expect(codes).toHaveLength(1)
})

test('a second use of a code ends the refresh tokens of the first as well', async () => {
  const client_id = await addPublicClient()
  const { code, verifier } = await obtainCode(owner, api.store.id, client_id, { scope: 'product:view' })
  const first = await useCode(client_id, code, verifier)
  expect((await useCode(client_id, code, verifier)).body.error).toBe('invalid_grant')
  const { refresh_token } = first.body
  const refreshed = await sendForm(api, '/oauth/token', { grant_type: 'refresh_token', client_id, refresh_token })
  expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant'])
  expect(await callerWith(first.body.access_token).get('/product')).toFailWith('token_revoked')
})

test('codes and tokens of an installation that was removed are worth nothing, after a new installation too', async () => {
  const client_id = await addPublicClient()
  const kept = await signIn(owner, client_id, 'product:view')
  const late = await obtainCode(owner, api.store.id, client_id, { scope: 'product:view' })
  const people = await storeCaller(api, owner)
  expect((await people.delete(`/app/${encodeURIComponent(client_id)}`)).status).toBe(200)
  expect((await useCode(client_id, late.code, late.verifier)).body.error).toBe('invalid_grant')
  const again = await signIn(owner, client_id, 'product:view')
  expect(again.install_id).not.toBe(kept.install_id)
  expect((await useCode(client_id, late.code, late.verifier)).body.error).toBe('invalid_grant')
  expect(await statusOf(kept.access_token, '/product')).toBeGreaterThanOrEqual(401)
  const refresh = { grant_type: 'refresh_token', client_id, refresh_token: kept.refresh_token }
  expect((await sendForm(api, '/oauth/token', refresh)).body.error).toBe('invalid_grant')
  expect(await statusOf(again.access_token, '/product')).toBe(200)
  const rows = await api.db
    .selectFrom('oauth_code')
    .select('code_hash')
    .where('installation_id', '=', kept.install_id)
    .execute()
  expect(rows).toEqual([])
})
