import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addRegisteredApp, decide } from '../../../tests/support/apps.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { allWhileLocked, whileLocked } from '../../../tests/support/waiting.ts'

// A request may wait for a lock while somebody removes what it is about.

const idOf = async ({ db }: TestApi, client_id: string) =>
  (await db.selectFrom('app').select('id').where('client_id', '=', client_id).executeTakeFirstOrThrow()).id

const addOwner = (api: TestApi) => addPerson(api, { role: 'owner', store: api.store.id })

const removal = (client_id: string) => sql`delete from app where client_id = ${client_id}`

test('an app passes on only what it may still do when it installs another one', async () => {
  const api = await startTestApi()
  const giver = await api.install(['app:install', 'product:view', 'product:update'])
  const owner = await addOwner(api)
  const token = await api.getToken(giver, { install_id: giver.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  for (const permission of ['product:update', 'app:install']) {
    const { client_id } = await addRegisteredApp(api)
    const revocation = { installations: [{ id: giver.install_id, permissions: [permission] }] }
    const [late, taken] = await allWhileLocked(
      api.db,
      sql`select 1 from app where client_id = ${client_id} for update`,
      [
        () => caller.post(`/app/${client_id}/install`, { permissions: ['product:update'] }),
        () => owner.console.post(`/stores/${api.store.id}/permissions/revoke`, revocation),
      ],
    )
    expect(taken?.status).toBe(200)
    expect(late).toFailWith('forbidden')
  }
})

test('an app that is removed while somebody agrees to it is not found', async () => {
  const api = await startTestApi()
  const owner = await addOwner(api)
  const { client_id } = await addRegisteredApp(api)
  const reply = await whileLocked(api.db, removal(client_id), () => decide(owner, api.store.id, { client_id }))
  expect(reply).toFailWith('not_found')
})

test('an app that is removed while it is uninstalled, narrowed or narrows itself is not found', async () => {
  const api = await startTestApi()
  const owner = await addOwner(api)
  const app = await api.install(['product:view', 'order:view'])
  const token = await api.getToken(app, { install_id: app.install_id })
  const revocation = { installations: [{ id: app.install_id, permissions: ['order:view'] }] }
  const other = await api.as('app:uninstall')
  const [uninstalled, revoked, narrowed] = await allWhileLocked(api.db, removal(app.client_id), [
    () => other.delete(`/app/${app.client_id}`),
    () => owner.console.post(`/stores/${api.store.id}/permissions/revoke`, revocation),
    () => api.anonymous.with({ authorization: `Bearer ${token}` }).put('/app/self', { permissions: [] }),
  ])
  for (const reply of [uninstalled, revoked]) expect(reply).toFailWith('not_found')
  // On a busy machine its token may be checked after the removal.
  expect(['not_found', 'token_revoked']).toContain(narrowed?.body.code)
})

test('a store is not asked on behalf of an app that is uninstalled meanwhile', async () => {
  const api = await startTestApi()
  const app = await api.install(['product:view'])
  const developer = await addPerson(api, { role: 'developer', app: app.client_id })
  await sql`insert into permission_use (store_id, day, installation_id, permission, used, refused)
    values (${api.store.id}, current_date, ${app.install_id}, 'order:view', 0, 1)`.execute(api.db)
  const path = `/apps/${await idOf(api, app.client_id)}/permissions/ask`
  const reply = await whileLocked(api.db, sql`delete from installation where id = ${app.install_id}`, () =>
    developer.console.post(path, { installation_id: app.install_id, permissions: ['order:view'] }),
  )
  expect(reply).toFailWith('not_found')
})

test('nobody is invited to an app or a store that is removed meanwhile', async () => {
  const api = await startTestApi()
  const operator = await addPerson(api)
  const app = await api.install([])
  const ofApp = await whileLocked(api.db, removal(app.client_id), () =>
    operator.console.post('/operator/invitations', { email: 'a@x.example', role: 'developer', app: app.client_id }),
  )
  expect(ofApp).toBeRefused(422, 'email')
  const ofStore = await whileLocked(api.db, sql`delete from store where id = ${api.store.id}`, () =>
    operator.console.post(`/stores/${api.store.id}/invitations`, { email: 'b@x.example', role: 'owner' }),
  )
  expect(ofStore).toFailWith('not_found')
  expect(await api.db.selectFrom('invitation').selectAll().where('store_id', '=', api.store.id).execute()).toEqual([])
})

test('a view of a store that is removed meanwhile is not saved', async () => {
  const api = await startTestApi()
  const owner = await addOwner(api)
  const reply = await whileLocked(api.db, sql`delete from store where id = ${api.store.id}`, () =>
    owner.console.put('/views', { store_id: api.store.id, list: 'orders', name: 'Mine', query: '' }),
  )
  expect(reply).toFailWith('not_found')
})
