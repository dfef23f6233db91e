import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addPerson, consoleCaller, cookieOf, PASSWORD, storeCaller } from '../../../tests/support/console.ts'
import { COMMAND_LINE } from './audit.ts'
import { grantRole, revokeRole } from './change-role.ts'
import { MAX_STAFF_ROLES } from './schema.ts'

type Person = Awaited<ReturnType<typeof addPerson>>

const owner = (api: TestApi) => addPerson(api, { role: 'owner', store: api.store.id })
const staff = (api: TestApi) => addPerson(api, { role: 'staff', store: api.store.id, permissions: ['review:view'] })
const rolesOf = (api: TestApi) => `/stores/${api.store.id}/roles`
const personPath = (api: TestApi, { id }: Person) => `/stores/${api.store.id}/people/${id}`
const newEmail = () => `${randomUUID()}@shop.example`

const addRole = async (api: TestApi, by: Person, name: string, permissions: string[]) => {
  const reply = await by.console.post(rolesOf(api), { name, permissions })
  expect(reply.status, reply.text).toBe(200)
  return { ...reply.body.data.role, path: `${rolesOf(api)}/${reply.body.data.role.id}` }
}

const listed = async (api: TestApi, by: Person) => (await by.console.get(`/stores/${api.store.id}/people`)).body.data

const acts = async (api: TestApi) =>
  api.db
    .selectFrom('audit_entry')
    .select(['act', 'actor', 'subject', 'before', 'after'])
    .where('store_id', '=', api.store.id)
    .orderBy('id')
    .execute()

test('a role is given, and its change counts at once for everybody who has it', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await staff(api)
  const packer = await addRole(api, amina, ' Packer ', ['order:view', 'order:update'])
  expect(packer).toMatchObject({ name: 'Packer', permissions: ['order:update', 'order:view'], version: 1, people: 0 })
  const given = await amina.console.put(personPath(api, bilel), { role: 'staff', role_id: packer.id })
  expect(given.body.data.person).toMatchObject({
    role: 'staff',
    role_id: packer.id,
    permissions: ['order:update', 'order:view'],
  })
  const email = newEmail()
  const invited = await amina.console.post(`/stores/${api.store.id}/invitations`, {
    email,
    role: 'staff',
    role_id: packer.id,
  })
  expect(invited.body.data.invitation).toMatchObject({
    role_id: packer.id,
    permissions: ['order:update', 'order:view'],
  })
  expect((await listed(api, amina)).roles).toMatchObject([{ id: packer.id, people: 2 }])
  const calls = await storeCaller(api, bilel)
  await expect.poll(async () => (await calls.get('/order')).status).toBe(200)
  expect(await calls.get('/product')).toFailWith('forbidden')

  const changed = await amina.console.put(packer.path, { permissions: ['product:view'], version: 1 })
  expect(changed.body.data.role).toMatchObject({ version: 2, permissions: ['product:view'], people: 2 })
  await expect.poll(async () => (await calls.get('/order')).status).toBe(403)
  await expect.poll(async () => (await calls.get('/product')).status).toBe(200)
  expect((await bilel.console.get('/me')).body.data.stores[0].permissions).toEqual(['product:view'])
  // The invited person gets the role as it is now, and follows it.
  const code = invited.body.data.link.split('#')[1]
  const reply = await consoleCaller(api).post('/link', { code, password: PASSWORD })
  const karim = consoleCaller(api, cookieOf(reply))
  expect((await karim.get('/me')).body.data.stores[0].permissions).toEqual(['product:view'])
  await amina.console.put(packer.path, { permissions: ['customer:view'] })
  expect((await karim.get('/me')).body.data.stores[0].permissions).toEqual(['customer:view'])

  // Permissions of one's own replace the role.
  await amina.console.put(personPath(api, bilel), { role: 'staff', permissions: ['review:view'] })
  expect((await listed(api, amina)).roles).toMatchObject([{ people: 1 }])
  await amina.console.put(personPath(api, bilel), { role: 'staff', role_id: packer.id })
  await amina.console.put(personPath(api, bilel), { role: 'owner' })
  expect((await listed(api, amina)).people).toContainEqual(
    expect.objectContaining({ account_id: bilel.id, role: 'owner', role_id: null }),
  )
  expect((await acts(api)).filter(({ act }) => /role|grant|accept/.test(act)).slice(2)).toMatchObject([
    { act: 'create_role', actor: amina.name, subject: 'Packer' },
    { act: 'grant', before: { permissions: ['review:view'] }, after: { role: 'staff', named: 'Packer' } },
    { act: 'change_role', before: { permissions: ['order:update', 'order:view'] }, after: { name: 'Packer' } },
    { act: 'accept_invitation', after: { named: 'Packer', invited: email } },
    { act: 'change_role', after: { permissions: ['customer:view'] } },
    { act: 'grant', before: { named: 'Packer' }, after: { permissions: ['review:view'] } },
    { act: 'grant' },
    { act: 'grant', before: { named: 'Packer' }, after: { role: 'owner' } },
  ])
})

test('who has a deleted role keeps its permissions, or gets another role of the store', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await staff(api)
  const packer = await addRole(api, amina, 'Packer', ['order:view'])
  const agent = await addRole(api, amina, 'Agent', ['customer:view', 'order:view'])
  await amina.console.put(personPath(api, bilel), { role: 'staff', role_id: packer.id })
  await amina.console.post(`/stores/${api.store.id}/invitations`, {
    email: newEmail(),
    role: 'staff',
    role_id: packer.id,
  })
  const elsewhere = await startTestApi()
  const foreign = await addRole(elsewhere, await owner(elsewhere), 'Foreign', ['order:view'])
  for (const replacement of [foreign.id, packer.id, randomUUID()])
    expect(await amina.console.delete(`${packer.path}?replacement=${replacement}`)).toBeRefused(422, 'replacement')
  const deleted = await amina.console.delete(`${packer.path}?replacement=${agent.id}`)
  expect(deleted.body.data).toEqual({ people: 2 })
  expect(await amina.console.delete(packer.path)).toFailWith('not_found')
  const after = await listed(api, amina)
  expect(after.roles).toMatchObject([{ name: 'Agent', people: 2 }])
  expect(after.invitations[0]).toMatchObject({ role_id: agent.id })
  expect((await amina.console.delete(agent.path)).body.data).toEqual({ people: 2 })
  const kept = await listed(api, amina)
  expect(kept.roles).toEqual([])
  for (const one of [kept.people[1], kept.invitations[0]])
    expect(one).toMatchObject({ role: 'staff', role_id: null, permissions: ['customer:view', 'order:view'] })
  const entries = (await acts(api)).filter(({ act }) => act === 'delete_role')
  expect(entries).toMatchObject([
    { subject: 'Packer', before: { permissions: ['order:view'] }, after: { people: 2, now: 'Agent' } },
    { subject: 'Agent', after: { people: 2 } },
  ])
})

test('roles that make no sense are refused, and nothing changes', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await staff(api)
  const packer = await addRole(api, amina, 'Packer', ['order:view'])
  const second = await addRole(api, amina, 'Agent', ['order:view'])
  const create = (body: object) => amina.console.post(rolesOf(api), body)
  expect(await create({ name: 'PACKER', permissions: ['order:view'] })).toBeRefused(422, 'name')
  expect(await create({ name: '  ', permissions: ['order:view'] })).toBeRefused(422, 'name')
  expect(await create({ name: 'x'.repeat(61), permissions: ['order:view'] })).toBeRefused(422, 'name')
  expect(await create({ name: 'Empty', permissions: [] })).toBeRefused(422, 'permissions')
  expect(await create({ name: 'Odd', permissions: ['order:fly'] })).toBeRefused(422, 'permissions.0')
  expect(await create({ permissions: 'order:view' })).toBeRefused(422, 'name', 'permissions')
  expect(await amina.console.put(second.path, { name: 'packer' })).toBeRefused(422, 'name')
  expect(await amina.console.put(second.path, { permissions: [] })).toBeRefused(422, 'permissions')
  expect(await amina.console.put(second.path, { name: 'Late', version: 7 })).toFailWith('version_mismatch')
  const change = (body: object) => amina.console.put(personPath(api, bilel), body)
  expect(await change({ role: 'owner', role_id: packer.id })).toBeRefused(422, 'role_id')
  expect(await change({ role: 'staff', role_id: packer.id, permissions: ['order:view'] })).toBeRefused(422, 'role_id')
  expect(await change({ role: 'staff', role_id: randomUUID() })).toBeRefused(422, 'role_id')
  expect(await change({ role: 'staff', role_id: 'Packer' })).toBeRefused(422, 'role_id')
  expect((await listed(api, amina)).roles.map(({ name, version }: Record<string, unknown>) => [name, version])).toEqual(
    [
      ['Agent', 1],
      ['Packer', 1],
    ],
  )
  expect((await listed(api, amina)).people[1]).toMatchObject({ role_id: null, permissions: ['review:view'] })
  // Two who add roles at once do not exceed the limit together.
  await sql`insert into staff_role (store_id, name, permissions) select ${api.store.id}, 'Role ' || n, '{order:view}'
    from generate_series(1, ${MAX_STAFF_ROLES - 3}) n`.execute(api.db)
  const replies = await Promise.all(
    ['One', 'Two', 'Three'].map((name) => create({ name, permissions: ['order:view'] })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422])
})

test('nobody widens what they may do through a role: not staff, not a stranger, not an owner who was removed', async () => {
  const api = await startTestApi()
  const elsewhere = await startTestApi()
  const amina = await owner(api)
  const bilel = await owner(api)
  const karim = await staff(api)
  const stranger = await owner(elsewhere)
  const packer = await addRole(api, amina, 'Packer', ['order:view'])
  await amina.console.put(personPath(api, karim), { role: 'staff', role_id: packer.id })
  // Also not the role that one has.
  const wider = { permissions: ['order:view', 'app:install', 'plan:switch'] }
  expect(await karim.console.put(packer.path, wider)).toFailWith('forbidden')
  expect(await karim.console.post(rolesOf(api), { name: 'All', ...wider })).toFailWith('forbidden')
  expect(await karim.console.delete(packer.path)).toFailWith('forbidden')
  for (const path of [packer.path, `${rolesOf(elsewhere)}/${packer.id}`]) {
    expect(await stranger.console.put(path, wider), path).toFailWith('not_found')
    expect(await stranger.console.delete(path), path).toFailWith('not_found')
  }
  // A role of another store gives nothing here.
  const foreign = await addRole(elsewhere, stranger, 'Everything', ['order:view', 'plan:switch'])
  expect(await amina.console.put(personPath(api, karim), { role: 'staff', role_id: foreign.id })).toBeRefused(
    422,
    'role_id',
  )
  expect(
    await amina.console.post(`/stores/${api.store.id}/invitations`, {
      email: newEmail(),
      role: 'staff',
      role_id: foreign.id,
    }),
  ).toBeRefused(422, 'role_id')
  const operator = await addPerson(api)
  const given = { role: 'staff', store_id: api.store.id, role_id: foreign.id }
  expect(await operator.console.post(`/operator/accounts/${karim.id}/roles`, given)).toBeRefused(422, 'role_id')
  const own = { ...given, role_id: packer.id }
  expect((await operator.console.post(`/operator/accounts/${karim.id}/roles`, own)).status).toBe(200)

  // What an owner was allowed when the request came has been taken away while it waited.
  const done: Promise<{ text: string }>[] = []
  await api.db.transaction().execute(async (db) => {
    await sql`select 1 from membership where store_id = ${api.store.id} order by account_id for update`.execute(db)
    const waiting = async () => {
      const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(api.db)
      return rows[0]?.waiting
    }
    done.push(bilel.console.put(packer.path, wider))
    done.push(bilel.console.put(personPath(api, karim), { role: 'owner' }))
    await expect.poll(waiting).toBe(2)
    await sql`update membership set role = 'staff', permissions = '{order:view}'
      where store_id = ${api.store.id} and account_id = ${bilel.id}`.execute(db)
  })
  for (const reply of await Promise.all(done)) expect(reply).toFailWith('forbidden')
  const { people, roles } = await listed(api, amina)
  expect(roles).toMatchObject([{ permissions: ['order:view'], people: 1 }])
  expect(people).toContainEqual(expect.objectContaining({ account_id: karim.id, role: 'staff', role_id: packer.id }))

  // While a store is suspended, its owners change nothing.
  await sql`update store set suspended_at = now() where id = ${api.store.id}`.execute(api.db)
  expect(await amina.console.put(packer.path, wider)).toFailWith('store_suspended')
  expect((await operator.console.put(packer.path, { name: 'Packers' })).status).toBe(200)
})

test('somebody joins, the role changes and is deleted at once: nobody is left with what the role no longer says', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await staff(api)
  for (const replaced of [true, false]) {
    const agent = await addRole(api, amina, `Agent ${replaced}`, ['customer:view'])
    const packer = await addRole(api, amina, `Packer ${replaced}`, ['order:view'])
    const { body } = await amina.console.post(`/stores/${api.store.id}/invitations`, {
      email: newEmail(),
      role: 'staff',
      role_id: packer.id,
    })
    const [changed, , joined, deleted] = await Promise.all([
      amina.console.put(packer.path, { permissions: ['product:view'], version: 1 }),
      amina.console.put(personPath(api, bilel), { role: 'staff', role_id: packer.id }),
      consoleCaller(api).post('/link', { code: body.data.link.split('#')[1], password: PASSWORD }),
      amina.console.delete(`${packer.path}${replaced ? `?replacement=${agent.id}` : ''}`),
    ])
    expect(joined.status, joined.text).toBe(200)
    expect(deleted.status, deleted.text).toBe(200)
    const { stores } = (await consoleCaller(api, cookieOf(joined)).get('/me')).body.data
    const last = changed.status === 200 ? 'product:view' : 'order:view'
    expect(stores[0].permissions, changed.text).toEqual([replaced ? 'customer:view' : last])
  }
  const { rows } = await sql<{ lost: number }>`select count(*)::int as lost from membership m
    where m.store_id = ${api.store.id} and m.role = 'staff' and m.role_id is null and m.permissions = '{}'`.execute(
    api.db,
  )
  expect(rows[0]?.lost, 'nobody is left without anything').toBe(0)
})

test('the command line takes single permissions of a role as permissions of ones own', async () => {
  const api = await startTestApi()
  const amina = await owner(api)
  const bilel = await staff(api)
  const packer = await addRole(api, amina, 'Packer', ['order:view', 'order:update'])
  const grant = { role: 'staff' as const, store: api.store.id }
  await grantRole(api.db, COMMAND_LINE, bilel.email, { ...grant, role_id: packer.id })
  await revokeRole(api.db, COMMAND_LINE, bilel.email, { ...grant, permissions: ['order:update'] })
  const one = async () =>
    (await listed(api, amina)).people.find(({ account_id }: Record<string, string>) => account_id === bilel.id)
  expect(await one()).toMatchObject({ role_id: null, permissions: ['order:view'] })
  await grantRole(api.db, COMMAND_LINE, bilel.email, { ...grant, role_id: packer.id })
  await grantRole(api.db, COMMAND_LINE, bilel.email, { ...grant, permissions: ['product:view'] })
  expect(await one()).toMatchObject({ role_id: null, permissions: ['order:update', 'order:view', 'product:view'] })
})
