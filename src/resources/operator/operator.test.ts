import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ACCESS_CHANGE_MS, startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { addPerson, consoleCaller, PASSWORD, storeCaller } from '../../../tests/support/console.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { COMMAND_LINE } from '../accounts/audit.ts'
import { suspendStore } from './manage-stores.ts'

const soon = { timeout: ACCESS_CHANGE_MS + 2_000 }

test('an operator creates a store once, however often the request is sent', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  const body = { id: randomUUID(), name: 'Olive & Thyme', currency: 'TND' }
  const made = await console.post('/operator/stores', body)
  expect(made.body.data.store).toMatchObject({ id: body.id, name: body.name, currency: 'TND', suspended_at: null })
  const again = await Promise.all([console.post('/operator/stores', body), console.post('/operator/stores', body)])
  for (const reply of again) expect(reply.body.data.store.id).toBe(body.id)
  const { stores } = (await console.get('/operator/stores?search=olive')).body.data
  expect(stores.map(({ name }: { name: string }) => name)).toEqual([body.name])
  const audit = (await console.get(`/operator/audit?act=create_store&store_id=${body.id}`)).body.data
  expect(audit.entries).toHaveLength(1)
  expect(await console.post('/operator/stores', { id: randomUUID(), name: 'X', currency: 'tnd' })).toBeRefused(
    422,
    'currency',
  )
  const taken = { id: randomUUID(), name: 'Y', domain: made.body.data.store.domain }
  expect(await console.post('/operator/stores', taken)).toBeRefused(422, 'domain')
})

test('the list of stores says how many orders each has had today, and how many calls and errors in 24 hours', async () => {
  const api = await startTestApi()
  const quiet = await startTestApi()
  const { console } = await addPerson(api)
  const create = () => api.as('order:create').post('/order')
  const before = (await create()).body.data.order
  await sql`update orders set created_at = now() - interval '2 days' where store_id = ${api.store.id}
    and id = ${before.id}`.execute(api.db)
  await create()
  await api.as('order:create').post('/order', { status: 'gone' })
  await api.services.calls.flush()
  // What was called two days ago no longer counts.
  await sql`insert into call_tally (store_id, hour, method, route, status_class, calls, ms)
    values (${api.store.id}, now() - interval '2 days', 'GET', '/order', 5, 7, 1)`.execute(api.db)
  const read = async (store: string) =>
    (await console.get(`/operator/stores?search=${store}`)).body.data.stores as object[]
  const orders = { id: api.store.id, orders_today: 1, apps: 1, people: 0, plan: null }
  expect(await read(api.store.id)).toMatchObject([{ ...orders, calls: 3, errors: 1 }])
  expect(await read(quiet.store.id)).toMatchObject([{ orders_today: 0, calls: 0, errors: 0 }])
})

test('every token of a suspended store is refused, and works again when it is resumed', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const { console } = await addPerson(api)
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const app = api.as('order:view', 'order:create')
  const merchant = await storeCaller(api, owner)
  expect((await app.get('/order')).status).toBe(200)

  const suspended = await console.post(`/operator/stores/${api.store.id}/suspend`)
  expect(suspended.body.data.store.suspended_at).not.toBeNull()
  await expect.poll(async () => (await app.get('/order')).body.code, soon).toBe('store_suspended')
  expect(await app.post('/order', {})).toFailWith('store_suspended')
  expect((await other.as('order:view').get('/order')).status).toBe(200)
  // The merchant still sees the store, and changes nothing.
  expect((await merchant.get('/order')).status).toBe(200)
  expect(await merchant.post('/order', {})).toFailWith('store_suspended')
  expect((await owner.console.get('/me')).body.data.stores).toMatchObject([{ is_suspended: true }])
  const invitation = { email: 'new@shop.example', role: 'owner' }
  const invitations = `/stores/${api.store.id}/invitations`
  expect(await owner.console.post(invitations, invitation)).toFailWith('store_suspended')
  expect((await console.post(invitations, invitation)).status).toBe(200)

  // Twice is the same as once.
  expect((await console.post(`/operator/stores/${api.store.id}/suspend`)).body.data.store.suspended_at).toBe(
    suspended.body.data.store.suspended_at,
  )
  await console.post(`/operator/stores/${api.store.id}/resume`)
  await expect.poll(async () => (await app.get('/order')).status, soon).toBe(200)
  const { entries } = (await console.get(`/operator/audit?store_id=${api.store.id}`)).body.data
  const acts = entries.map(({ act }: { act: string }) => act).filter((act: string) => /store$/.test(act))
  expect(acts).toEqual(['resume_store', 'suspend_store'])
  expect(entries.at(0)).toMatchObject({ subject: 'Test store', store: 'Test store' })
})

test('a store is removed after its name has been typed, with everything that the preview counts', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  await addProduct(api)
  const path = `/operator/stores/${api.store.id}`
  expect((await console.get(path)).body.data.contents).toEqual({ products: 1, orders: 0, customers: 0, files: 0 })
  expect(await console.post(`${path}/removal`, { name: 'Test' })).toBeRefused(422, 'name')
  expect((await console.get(path)).status).toBe(200)
  expect((await console.post(`${path}/removal`, { name: 'Test store' })).status).toBe(200)
  expect(await console.get(path)).toFailWith('not_found')
  const { entries } = (await console.get(`/operator/audit?store_id=${api.store.id}&act=remove_store`)).body.data
  expect(entries).toMatchObject([{ subject: 'Test store', store: null, before: { name: 'Test store' } }])
})

test('an operator renames a store, and the audit log says what changed', async () => {
  const api = await startTestApi()
  const { console, id } = await addPerson(api)
  const path = `/operator/stores/${api.store.id}`
  expect((await console.put(path, { name: 'Sidi Bou' })).body.data.store.name).toBe('Sidi Bou')
  const { entries } = (await console.get(`/operator/audit?account_id=${id}&act=update_store`)).body.data
  expect(entries).toMatchObject([{ before: { name: 'Test store' }, after: { name: 'Sidi Bou' } }])
  expect(await console.put(`/operator/stores/${randomUUID()}`, { name: 'Nobody' })).toFailWith('not_found')
})

test('an operator sees people with their roles, disables them and ends their sessions', async () => {
  const api = await startTestApi()
  const { console, id: own } = await addPerson(api)
  const staff = await addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })
  const listed = (await console.get(`/operator/accounts?search=${staff.email}`)).body.data
  expect(listed.accounts).toMatchObject([
    { id: staff.id, sessions: 1, stores: [{ store: 'Test store', role: 'staff', permissions: ['order:view'] }] },
  ])
  expect((await console.delete(`/operator/accounts/${staff.id}/sessions`)).status).toBe(200)
  expect(await staff.console.get('/me')).toFailWith('sign_in_required')
  // Of one's own sessions, this one stays.
  expect((await console.delete(`/operator/accounts/${own}/sessions`)).status).toBe(200)
  expect((await console.get('/me')).status).toBe(200)

  const disabled = await console.post(`/operator/accounts/${staff.id}/disable`)
  expect(disabled.body.data.account.disabled_at).not.toBeNull()
  const signIn = { email: staff.email, password: PASSWORD }
  expect(await consoleCaller(api).post('/sign-in', signIn)).toFailWith('sign_in_failed')
  expect(await console.post(`/operator/accounts/${staff.id}/link`)).toBeRefused(422, 'account')
  await console.post(`/operator/accounts/${staff.id}/enable`)
  expect((await consoleCaller(api).post('/sign-in', signIn)).status).toBe(200)
  expect(await console.post(`/operator/accounts/${randomUUID()}/disable`)).toFailWith('not_found')
})

test('a role in the console is changed at once or offered with a link, as on the command line', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  const staff = await addPerson(api, { role: 'staff', store: api.store.id, permissions: ['order:view'] })
  const roles = `/operator/accounts/${staff.id}/roles`
  const changed = await console.post(roles, { role: 'owner', store_id: api.store.id })
  expect(changed.body.data.link).toBeNull()
  expect((await staff.console.get('/me')).body.data.stores).toMatchObject([{ role: 'owner' }])
  const { link } = (await console.post(roles, { role: 'operator' })).body.data
  expect((await staff.console.get('/me')).body.data.account.is_operator).toBe(false)
  expect((await staff.console.post('/link/join', { code: link.split('#')[1] })).status).toBe(200)
  expect((await staff.console.get('/me')).body.data.account.is_operator).toBe(true)
  expect((await console.post(`${roles}/removal`, { role: 'operator' })).body.data.account.is_operator).toBe(false)
  expect(await console.post(`${roles}/removal`, { role: 'owner', store_id: api.store.id })).toBeRefused(422, 'role')
  expect(await console.post(roles, { role: 'developer' })).toBeRefused(422, 'role')
})

test('pages of the audit log name everything once, the command line included', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  await suspendStore(api.db, COMMAND_LINE, api.store.id)
  await sql`insert into audit_entry (actor, act, subject, at)
    select 'command line', 'invite', 'guest ' || n, now() - n * interval '1 minute' from generate_series(1, 120) n`.execute(
    api.db,
  )
  const seen: string[] = []
  let cursor = ''
  do {
    const { entries, next_cursor } = (await console.get(`/operator/audit?search=guest${cursor}`)).body.data
    seen.push(...entries.map(({ subject }: { subject: string }) => subject))
    cursor = next_cursor ? `&cursor=${next_cursor}` : ''
  } while (cursor)
  expect(seen).toEqual(Array.from({ length: 120 }, (_, n) => `guest ${n + 1}`))
  const { entries } = (await console.get('/operator/audit?who=command_line&act=suspend_store')).body.data
  expect(entries).toMatchObject([{ actor: 'command line', account_id: null, store_id: api.store.id }])
})

test('the doctor examines the running service, and names the kept texts that it would rewrite', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  type Found = { check: string; state: string; fix?: string; repairs?: { kind: string; texts: number }[] }
  const examine = async () => {
    const reply = await console.post('/operator/doctor')
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data.findings as Found[]
  }
  const findings = await examine()
  const checks = new Set(findings.map(({ check }) => check))
  for (const check of ['settings', 'disk', 'database', 'migrations', 'clock', 'texts', 'files', 'address'])
    expect(checks, check).toContain(check)
  const products = (found: Found[]) =>
    found.find(({ check }) => check === 'texts')?.repairs?.filter(({ kind }) => kind === 'product') ?? []
  expect(products(findings)).toEqual([])
  await api.as().post('/product', { title: 'Mug' })
  await sql`delete from product_text where store_id = ${api.store.id}`.execute(api.db)
  const found = await examine()
  expect(found.find(({ check }) => check === 'texts')?.fix).toContain('--repair')
  expect(products(found)).toEqual([{ kind: 'product', texts: 1 }])
})

test('the system page says what runs, and which jobs wait', async () => {
  const api = await startTestApi()
  const { console } = await addPerson(api)
  const before = (await console.get('/operator/system')).body.data
  expect(before.version).toMatch(/^\d+\.\d+\.\d+/)
  expect(before).toMatchObject({ node: process.version, schema: { pending: [] }, shards: isOnCitus ? [{}, {}] : [] })
  expect(before.schema.latest).not.toBe('')
  expect(before.database.bytes).toBeGreaterThan(1_000_000)
  expect(before.disk.free).toBeGreaterThan(0)
  await sql`insert into lifecycle_post (app_id, change, store_id, install_id, type, permissions, due_at)
    select id, 1000, ${api.store.id}, ${randomUUID()}, 'installed', '{}', now() + interval '1 day' from app limit 1`.execute(
    api.db,
  )
  const receiver = await api.as().post('/webhook', { url: 'https://receiver.example/hook', types: ['*'] })
  await sql`update webhook set failing_since = now(), failures = 3 where store_id = ${api.store.id}`.execute(api.db)
  await sql`insert into webhook_delivery (store_id, webhook_id, position, kind, action, resource_id, state)
    values (${api.store.id}, ${receiver.body.data.webhook.id}, 1, 'order', 'created', ${randomUUID()}, 'waiting')`.execute(
    api.db,
  )
  await sql`insert into schema_migration (version, name, checksum) select 9000, 'later', 'x'`.execute(api.db)
  const { schema, queues } = (await console.get('/operator/system')).body.data
  expect(schema.latest).toBe('later')
  expect(queues.lifecycle_posts).toBe(before.queues.lifecycle_posts + 1)
  expect(queues.webhook_deliveries).toBe(before.queues.webhook_deliveries + 1)
  expect(queues.failing_webhooks).toBe(before.queues.failing_webhooks + 1)
})
