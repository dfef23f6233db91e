import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addRegisteredApp, decide } from '../../../tests/support/apps.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'
import { refreshApp } from '../apps/refresh-app.ts'
import type { Permission } from '../permissions/catalogue.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

const GRANTED: Permission[] = ['product:view', 'customer:view', 'order:view']

/** A store whose app has permissions, its owner, and the app's developer. */
const shop = async () => {
  const api = await startTestApi()
  const app = await api.install(GRANTED)
  const { id } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', app.client_id)
    .executeTakeFirstOrThrow()
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const developer = await addPerson(api, { role: 'developer', app: app.client_id })
  return {
    api,
    app,
    owner,
    developer,
    ofStore: `/stores/${api.store.id}/permissions`,
    ofApp: `/apps/${id}/permissions`,
    revocation: { installations: [{ id: app.install_id, permissions: ['customer:view'] }] },
  }
}

const revoke = async ({ console }: Person, path: string, given: object) => {
  const { body, text, status } = await console.post(`${path}/revoke`, given)
  expect(status, text).toBe(200)
  expect(body.data.revoked, text).toBe(1)
  return body.data.undo as string[]
}

const permissionsOf = async (api: TestApi, id: string) =>
  (await api.db.selectFrom('installation').select('permissions').where('id', '=', id).executeTakeFirstOrThrow())
    .permissions

const addStaff = (api: TestApi, ...permissions: Permission[]) =>
  addPerson(api, { role: 'staff', store: api.store.id, permissions })

test('a developer does not give the app back what a store has taken from it', async () => {
  const { api, app, owner, developer, ofStore, ofApp, revocation } = await shop()
  const undo = await revoke(owner, ofStore, revocation)
  expect((await developer.console.get(ofApp)).body.data.revoked).toEqual([])
  expect((await developer.console.post(`${ofApp}/restore`, { undo })).body.data.restored).toBe(0)
  expect(await permissionsOf(api, app.install_id)).not.toContain('customer:view')
  expect((await owner.console.post(`${ofStore}/restore`, { undo })).body.data.restored).toBe(1)
  expect(await permissionsOf(api, app.install_id)).toContain('customer:view')
})

test('staff give an app back only what they may do themselves', async () => {
  const { api, app, owner, ofStore, revocation } = await shop()
  const undo = await revoke(owner, ofStore, revocation)
  const staff = await addStaff(api, 'app:install', 'product:view')
  expect(await staff.console.post(`${ofStore}/restore`, { undo })).toFailWith('forbidden')
  expect(await permissionsOf(api, app.install_id)).not.toContain('customer:view')
  const trusted = await addStaff(api, 'app:install', 'customer:view')
  expect((await trusted.console.post(`${ofStore}/restore`, { undo })).body.data.restored).toBe(1)
})

test('whoever loses the right while waiting gives nothing back', async () => {
  const { api, app, owner, ofStore, revocation } = await shop()
  const undo = await revoke(owner, ofStore, revocation)
  const staff = await addStaff(api, 'app:install', 'customer:view')
  const [removed, late] = await allWhileLocked(
    api.db,
    sql`select 1 from membership where store_id = ${api.store.id} and account_id = ${staff.id} for update`,
    [
      () => owner.console.delete(`/stores/${api.store.id}/people/${staff.id}`),
      () => staff.console.post(`${ofStore}/restore`, { undo }),
    ],
  )
  expect(removed?.status).toBe(200)
  expect(late).toFailWith('not_found')
  expect(await permissionsOf(api, app.install_id)).not.toContain('customer:view')
})

test('what was given back is taken away for good: the first undo does not work again', async () => {
  const { api, app, owner, ofStore, revocation } = await shop()
  const [first = ''] = await revoke(owner, ofStore, revocation)
  await owner.console.post(`${ofStore}/restore`, { undo: [first] })
  const [second = ''] = await revoke(owner, ofStore, revocation)
  const use = `/stores/${api.store.id}/installations/${app.install_id}/use`
  expect((await owner.console.get(use)).body.data.revoked).toMatchObject([{ undo: second }])
  expect((await owner.console.post(`${ofStore}/restore`, { undo: [first] })).body.data.restored).toBe(0)
  expect(await permissionsOf(api, app.install_id)).not.toContain('customer:view')
  const both = await owner.console.post(`${ofStore}/restore`, { undo: [first, second] })
  expect(both.body.data.restored).toBe(1)
})

test('nothing is taken, given back or decided in a suspended store, but by operators', async () => {
  const { api, app, owner, developer, ofStore, ofApp, revocation } = await shop()
  const operator = await addPerson(api)
  await sql`insert into permission_request (store_id, installation_id, permissions, asked_by)
    values (${api.store.id}, ${app.install_id}, '{review:view}', 'Amina')`.execute(api.db)
  const undo = await revoke(owner, ofStore, revocation)
  await operator.console.post(`/operator/stores/${api.store.id}/suspend`)
  const asked = `${ofStore}/asked/${app.install_id}`
  expect(await owner.console.post(asked, { permissions: ['review:view'] })).toFailWith('store_suspended')
  expect(await owner.console.post(`${ofStore}/restore`, { undo })).toFailWith('store_suspended')
  const more = { installations: [{ id: app.install_id, permissions: ['order:view'] }] }
  expect(await owner.console.post(`${ofStore}/revoke`, more)).toFailWith('store_suspended')
  expect((await owner.console.get(`${ofStore}/asked`)).body.data.requests).toHaveLength(1)
  expect(await permissionsOf(api, app.install_id)).toEqual(['order:view', 'product:view'])
  expect((await operator.console.post(`${ofStore}/restore`, { undo })).body.data.restored).toBe(1)
  expect((await developer.console.post(`${ofApp}/revoke`, more)).body.data.revoked, 'an app gives up its own').toBe(1)
})

test('what an app has ceased to ask for is not granted by a page that was open before', async () => {
  const { api, owner, ofStore } = await shop()
  const { client_id } = await addRegisteredApp(api)
  expect((await decide(owner, api.store.id, { client_id })).status).toBe(200)
  const { install_id } = (await api.db
    .selectFrom('installation as i')
    .innerJoin('app as a', 'a.id', 'i.app_id')
    .select('i.id as install_id')
    .where('a.client_id', '=', client_id)
    .executeTakeFirstOrThrow()) as { install_id: string }
  await sql`insert into permission_request (store_id, installation_id, permissions, asked_by)
    values (${api.store.id}, ${install_id}, '{order:view,product:update}', 'Amina')`.execute(api.db)
  const { egress } = api.services.webhooks
  const { manifest } = await api.db
    .selectFrom('app_manifest as m')
    .innerJoin('app as a', 'a.id', 'm.app_id')
    .select('m.manifest')
    .where('a.client_id', '=', client_id)
    .executeTakeFirstOrThrow()
  const permissions = { required: ['product:view'], optional: ['product:update'] }
  await refreshApp(api.db, egress, client_id, { ...(manifest as object), permissions })
  const path = `${ofStore}/asked/${install_id}`
  expect(await owner.console.post(path, { permissions: ['order:view'] })).toBeRefused(422, 'permissions')
  expect(await permissionsOf(api, install_id)).toEqual(['product:view'])
  const decided = await owner.console.post(path, { permissions: ['product:update'] })
  expect(decided.body.data).toEqual({ granted: ['product:update'], declined: ['order:view'] })
})

test('what an app asks for while its earlier request is decided is not lost', async () => {
  const { api, app, owner, developer, ofStore, ofApp } = await shop()
  await sql`insert into permission_use (store_id, day, installation_id, permission, used, refused)
    select ${api.store.id}, current_date, ${app.install_id}, name, 0, 1
    from unnest('{review:view,product:update}'::text[]) name`.execute(api.db)
  const ask = (permission: string) =>
    developer.console.post(`${ofApp}/ask`, { installation_id: app.install_id, permissions: [permission] })
  expect((await ask('review:view')).status).toBe(200)
  const [decided, asked] = await allWhileLocked(
    api.db,
    sql`select 1 from app where client_id = ${app.client_id} for update`,
    [
      () => owner.console.post(`${ofStore}/asked/${app.install_id}`, { permissions: ['review:view'] }),
      () => ask('product:update'),
    ],
  )
  expect(asked?.status).toBe(200)
  expect(decided).toBeRefused(422, 'permissions')
  const { requests } = (await owner.console.get(`${ofStore}/asked`)).body.data
  expect(requests).toMatchObject([{ permissions: ['product:update'] }])
  expect(await permissionsOf(api, app.install_id)).not.toContain('review:view')
})
