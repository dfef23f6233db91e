import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addRegisteredApp } from '../../../tests/support/apps.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { API_PREFIX } from '../../config/config.ts'
import { createInstallation } from '../auth/create-installation.ts'
import { dropOldCalls } from './partitions.ts'
import { createCallRecorder } from './record-calls.ts'
import { createRing } from './ring.ts'
import { READS_PER_SECOND } from './sampling.ts'

const developerOf = async (api: TestApi, client_id: string) => {
  const person = await addPerson(api, { role: 'developer', app: client_id })
  const { apps } = (await person.console.get('/developer/apps')).body.data
  return { ...person, app: apps[0].id as string }
}

const shopOf = async (permissions: Parameters<TestApi['install']>[0]) => {
  const api = await startTestApi()
  const app = await api.install(permissions)
  const token = (await api.anonymous.post('/auth/get-token', app)).body.data.token
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  return { api, app, caller, developer: await developerOf(api, app.client_id) }
}

const logOf = async (api: TestApi, { console, app }: Awaited<ReturnType<typeof developerOf>>, query = '') => {
  await api.services.calls.flush()
  return (await console.get(`/apps/${app}/calls${query}`)).body.data
}

test('every call of a story is in the log of its app, with what went wrong and nothing that was sent', async () => {
  const { api, caller, developer } = await shopOf(['product:view', 'product:create'])
  const secret = 'SECRET-VALUE'
  await caller.get(`/product?search=${secret}`)
  await caller.post(
    '/product',
    { title: secret, [`typed-${1}`]: secret },
    { 'idempotency-key': 'key-1', 'user-agent': 'shop/1' },
  )
  await caller.post('/product', { title: secret, 'typed-1': secret }, { 'idempotency-key': 'key-1' })
  await caller.post('/product', { title: '', price: -1 })
  const id = randomUUID()
  await caller.get(`/product/${id}`, { 'x-request-id': 'my-request' })
  await caller.get('/order')
  await caller.get('/no-such-route')

  const { calls } = await logOf(api, developer)
  expect(calls.map((call: { route: string; status: number }) => [call.route, call.status]).reverse()).toEqual([
    [`${API_PREFIX}/product`, 200],
    [`${API_PREFIX}/product`, 201],
    [`${API_PREFIX}/product`, 201],
    [`${API_PREFIX}/product`, 422],
    [`${API_PREFIX}/product/:id`, 404],
    [`${API_PREFIX}/order`, 403],
    [null, 404],
  ])
  const [, order, missing, refused, replayed, created] = calls
  expect(created).toMatchObject({
    method: 'POST',
    idempotency_key: 'key-1',
    is_replay: false,
    ignored: ['typed-1'],
    agent: 'shop/1',
    store: 'Test store',
    code: null,
    fields: [],
  })
  expect(created.ms).toBeGreaterThan(0)
  expect(created.bytes_in).toBeGreaterThan(20)
  expect(replayed.is_replay).toBe(true)
  expect(refused).toMatchObject({ code: 'validation_failed' })
  expect(refused.fields).toContain('price')
  expect(missing).toMatchObject({ request_id: 'my-request', resource_id: id, code: 'not_found' })
  expect(order).toMatchObject({ code: 'forbidden', permission: 'order:view' })

  const { rows } = await sql`select * from call`.execute(api.db)
  const kept = JSON.stringify(rows)
  for (const never of [secret, '127.0.0.1', 'eyJ', 'Bearer']) expect(kept).not.toContain(never)

  const one = (await developer.console.get(`/apps/${developer.app}/calls/my-request`)).body.data
  expect(one.calls).toEqual([missing])
  const failures = await logOf(api, developer, '?status=4xx&code=forbidden')
  expect(failures.calls).toEqual([order])
  expect((await logOf(api, developer, `?route=${API_PREFIX}/product/:id`)).calls).toEqual([missing])
})

test('pages of the log continue where the one before ended', async () => {
  const { api, caller, developer } = await shopOf([])
  for (let call = 0; call < 60; call++) await caller.get('/order')
  const first = await logOf(api, developer)
  expect(first.calls).toHaveLength(50)
  const second = await logOf(api, developer, `?cursor=${encodeURIComponent(first.next_cursor)}`)
  expect(second.calls).toHaveLength(10)
  expect(second.next_cursor).toBeNull()
  const ids = [...first.calls, ...second.calls].map(({ id }: { id: string }) => id)
  expect(new Set(ids).size).toBe(60)
  expect((await developer.console.get(`/apps/${developer.app}/calls?cursor=x`)).status).toBe(422)
})

test('reads beyond the sample are counted and said to be missing, and writes and failures are all kept', async () => {
  const { api, caller, developer } = await shopOf(['product:view', 'product:create'])
  for (let round = 0; round < 3; round++)
    await Promise.all(Array.from({ length: READS_PER_SECOND * 4 }, () => caller.get('/product')))
  await Promise.all(Array.from({ length: 30 }, (_, n) => caller.post('/product', { title: `Mug ${n}` })))
  await Promise.all(Array.from({ length: 30 }, () => caller.get('/order')))
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await caller.get('/product')
  await api.services.calls.flush()
  const { rows } = await sql<{ reads: number; others: number; skipped: number }>`select
    count(*) filter (where method = 'GET' and status < 400)::int as reads,
    count(*) filter (where method <> 'GET' or status >= 400)::int as others, sum(skipped)::int as skipped
    from call where app_id = ${developer.app}`.execute(api.db)
  const { reads = 0, others = 0, skipped = 0 } = rows[0] ?? {}
  expect(others).toBe(60)
  expect(reads).toBeLessThan(READS_PER_SECOND * 12)
  expect(reads + skipped).toBe(READS_PER_SECOND * 12 + 1)
  const { data } = (await developer.console.get(`/apps/${developer.app}/counts`)).body
  expect(data).toMatchObject({ calls: READS_PER_SECOND * 12 + 61, refused: 30, failed: 0 })
  expect(data.p50).toBeLessThanOrEqual(data.p95)
})

test('every failure of an app is kept, also of calls that name no store', async () => {
  const { api, app, developer } = await shopOf(['product:view'])
  const token = await api.getToken(app)
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const times = READS_PER_SECOND * 2
  await Promise.all(Array.from({ length: times }, () => caller.get('/product')))
  const { calls } = await logOf(api, developer, '?code=install_required')
  const { calls: more } = await logOf(api, developer, '?code=install_required&status=400')
  expect(more).toEqual(calls)
  expect(calls).toHaveLength(times)
})

test('the counts are those of the metrics', async () => {
  await (await startTestApi()).services.calls.flush()
  const api = await startTestApi({ RATE_LIMIT_PER_MINUTE: '1000000' })
  await sql`truncate call_tally`.execute(api.db)
  const caller = await api.as('product:view')
  await Promise.all(Array.from({ length: 200 }, (_, n) => caller.get(n % 3 === 0 ? '/order' : '/product')))
  await api.services.calls.flush()
  const { rows } = await sql<{ route: string; method: string; class: number; calls: number }>`
    select route, method, status_class as class, sum(calls)::int as calls from call_tally where route like '/api/%'
    group by 1, 2, 3`.execute(api.db)
  const counted = Object.fromEntries(rows.map((row) => [`${row.method} ${row.route} ${row.class}`, row.calls]))
  const measured: Record<string, number> = {}
  const lines = (await api.services.metrics.read()).matchAll(
    /^http_request_duration_seconds_count\{method="(\w+)",route="(\/api\/[^"]*)",status="(\d)\d\d"\} (\d+)$/gm,
  )
  for (const [, method, route, digit, calls] of lines) {
    const key = `${method} ${route} ${digit}`
    measured[key] = (measured[key] ?? 0) + Number(calls)
  }
  expect(measured[`GET ${API_PREFIX}/product 2`]).toBe(133)
  expect(counted).toEqual(measured)
})

test('requests that are refused before their route is known are in the log of the service only', async () => {
  const { api, developer } = await shopOf([])
  const { port } = new URL(api.origin)
  const socket = connect(Number(port), '127.0.0.1')
  socket.end('GET /\u0001 nonsense\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  const reply = await fetch(`${api.origin}/api/apps/v1/%zz`, { headers: { 'x-request-id': 'unroutable' } })
  expect(reply.status).toBe(400)
  await api.services.calls.flush()
  const operator = await addPerson(api)
  const { calls } = (await operator.console.get('/calls?status=400')).body.data
  expect(calls).toContainEqual(
    expect.objectContaining({ request_id: 'unroutable', route: null, app: null, code: 'bad_request' }),
  )
  expect(calls.some(({ method }: { method: string | null }) => method === null)).toBe(true)
  expect((await operator.console.get('/calls/unroutable')).body.data.calls).toHaveLength(1)
  expect((await logOf(api, developer)).calls).toEqual([])
  expect((await developer.console.get('/calls')).body.code).toBe('forbidden')
})

test('a full ring drops the oldest lines, and the log says how many', async () => {
  const api = await startTestApi({ CALL_LOG_DAYS: '3' })
  const recorder = createCallRecorder(api.db, pino({ level: 'silent' }), { days: 3, capacity: 10 })
  await sql`truncate call`.execute(api.db)
  for (let n = 0; n < 25; n++) recorder.reject({ request_id: `r${n}`, method: 'POST', status: 400 })
  await recorder.flush()
  await recorder.flush()
  const { rows } = await sql<{ request_id: string; code: string; skipped: number }>`
    select request_id, code, skipped from call order by at, id`.execute(api.db)
  const lines = rows.filter(({ code }) => code !== 'call_log_full')
  // Nobody's installation: twenty a second at most are kept at all, and ten of them fit.
  const lost = rows.filter(({ code }) => code === 'call_log_full').reduce((sum, { skipped }) => sum + skipped, 0)
  expect(lines.length).toBeLessThanOrEqual(10)
  expect(lines.length + lost).toBe(READS_PER_SECOND)
  const operator = await addPerson(api)
  expect((await operator.console.get('/calls')).body.data.lost).toBe(lost)
})

test('a server that stops writes every line that waits, however many it writes at once', async () => {
  const api = await startTestApi({ CALL_LOG_DAYS: '4' })
  const recorder = createCallRecorder(api.db, pino({ level: 'silent' }), { days: 4, atOnce: 3 })
  await sql`truncate call`.execute(api.db)
  for (let n = 0; n < 10; n++) recorder.reject({ request_id: `r${n}`, method: 'POST', status: 400 })
  await recorder.stop()
  const { rows } = await sql<{ lines: number }>`select count(*)::int as lines from call`.execute(api.db)
  expect(rows).toEqual([{ lines: 10 }])
})

test('a ring gives the newest in order, and takes back what could not be used', () => {
  const ring = createRing<number>(3)
  for (const n of [1, 2, 3, 4]) ring.push(n)
  expect(ring.takeDropped()).toBe(1)
  const taken = ring.take(2)
  expect(taken).toEqual([2, 3])
  ring.push(5)
  ring.putBack(taken)
  expect(ring.takeDropped()).toBe(1)
  expect(ring.take(9)).toEqual([3, 4, 5])
})

test('text that PostgreSQL cannot store does not stop the log', async () => {
  const { api, caller, developer } = await shopOf(['product:create'])
  await caller.post('/product', { 'a\0b': 1, '\ud800': 1, title: 'Mug' })
  await caller.post('/product', { title: 'Cup' })
  const { calls } = await logOf(api, developer)
  expect(calls).toHaveLength(2)
})

test('old partitions are dropped, and the oldest first when there is no room', async () => {
  const api = await startTestApi({ CALL_LOG_DAYS: '5' })
  const caller = await api.as()
  await caller.get('/order')
  await api.services.calls.flush()
  const names = async () =>
    (
      await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
        where inhparent = 'call'::regclass order by 1`.execute(api.db)
    ).rows.map(({ name }) => name)
  await sql`create unlogged table call_2026010100 partition of call
    for values from ('2026-01-01T00:00:00Z') to ('2026-01-01T06:00:00Z')`.execute(api.db)
  expect(await dropOldCalls(api.db, { days: 100_000 })).toEqual([])
  expect(await dropOldCalls(api.db, { days: 100_000, isShort: true })).toEqual(['call_2026010100'])
  const [current] = await names()
  expect(await dropOldCalls(api.db, { days: 7, maxBytes: 1 })).toEqual([current])
  // The next line makes its partition again.
  await caller.get('/order')
  await api.services.calls.flush()
  await caller.get('/order')
  await api.services.calls.flush()
  expect(await names()).toEqual([current])
  const persistence = await sql<{
    kind: string
  }>`select relpersistence as kind from pg_class where relname = ${current}`.execute(api.db)
  expect(persistence.rows).toEqual([{ kind: 'u' }])
})

test('CALL_LOG_DAYS=0 keeps neither calls nor counts', async () => {
  const api = await startTestApi({ CALL_LOG_DAYS: '0' })
  await (await api.as('product:view')).get('/product')
  await api.services.calls.flush()
  const { rows } = await sql`select (select count(*)::int from call where store_id = ${api.store.id})
    + (select count(*)::int from call_tally where store_id = ${api.store.id})
    + (select count(*)::int from permission_use where store_id = ${api.store.id}) as rows`.execute(api.db)
  expect(rows).toEqual([{ rows: 0 }])
})

test('errors are grouped by code, route and field, and places in an array are one field', async () => {
  const { api, caller, developer } = await shopOf(['order:create'])
  for (let n = 0; n < 3; n++) await caller.post('/order', { variants: [{ quantity: -1 }, { quantity: -1 }] })
  await caller.get('/product')
  await api.services.calls.flush()
  const { errors } = (await developer.console.get(`/apps/${developer.app}/errors`)).body.data
  expect(errors).toContainEqual(
    expect.objectContaining({
      code: 'validation_failed',
      field: 'variants.*.quantity',
      count: 3,
      stores: 1,
      status: 422,
    }),
  )
  expect(errors).toContainEqual(expect.objectContaining({ code: 'forbidden', permission: 'product:view', count: 1 }))
})

test('retries show keys that were sent again, with their first status, replays and conflicts', async () => {
  const { api, caller, developer } = await shopOf(['product:create'])
  const key = { 'idempotency-key': 'again' }
  await caller.post('/product', { title: 'Mug' }, key)
  await caller.post('/product', { title: 'Mug' }, key)
  await caller.post('/product', { title: 'Cup' }, key)
  await caller.post('/product', { title: 'Cup' }, { 'idempotency-key': 'once' })
  await api.services.calls.flush()
  const { retries } = (await developer.console.get(`/apps/${developer.app}/retries`)).body.data
  expect(retries).toHaveLength(1)
  expect(retries[0]).toMatchObject({
    idempotency_key: 'again',
    status: 201,
    calls: 3,
    replays: 1,
    conflicts: 1,
    method: 'POST',
  })
})

test('unused permissions are found, revoked and given back, but not after somebody has changed them', async () => {
  const { api, app, caller, developer } = await shopOf(['product:view', 'product:delete', 'order:view', 'review:view'])
  await caller.get('/product')
  await caller.get('/customer')
  await caller.post('/webhook', { url: 'https://app.example/hook', types: ['order.*'] })
  await api.services.calls.flush()
  const path = `/apps/${developer.app}/permissions`
  const use = async () => (await developer.console.get(path)).body.data.installations[0]
  const before = await use()
  const by = Object.fromEntries(before.permissions.map((row: { name: string }) => [row.name, row]))
  expect(by['product:view']).toMatchObject({ used: 1, is_granted: true })
  expect(by['customer:view']).toMatchObject({ refused: 1, is_granted: false })
  expect(by['order:view']).toMatchObject({ used: 0, is_for_events: true })
  expect(by['review:view']).toMatchObject({ used: 0, is_for_events: false })

  const unused = ['product:delete', 'review:view']
  const revoke = { installations: [{ id: app.install_id, permissions: unused }] }
  const { body } = await developer.console.post(`${path}/revoke`, revoke)
  expect(body.data).toMatchObject({ revoked: 2, undo: [expect.any(String)] })
  expect((await caller.get('/review')).status).toBe(403)
  const other = await developerOf(api, (await api.install([])).client_id)
  expect(
    (await other.console.post(`/apps/${other.app}/permissions/restore`, { undo: body.data.undo })).body.data.restored,
  ).toBe(0)
  expect((await developer.console.post(`${path}/restore`, { undo: body.data.undo })).body.data.restored).toBe(2)
  expect((await caller.get('/review')).status).toBe(200)
  expect((await developer.console.post(`${path}/restore`, { undo: body.data.undo })).body.data.restored).toBe(0)

  const again = (await developer.console.post(`${path}/revoke`, revoke)).body.data
  await sql`update installation set permissions = '{order:view}' where id = ${app.install_id}`.execute(api.db)
  expect((await developer.console.post(`${path}/restore`, { undo: again.undo })).body.data.restored).toBe(0)
  const { rows } = await sql`select act from audit_entry where app_id = ${developer.app} and act like '%permissions'
    order by at, id`.execute(api.db)
  expect(rows).toEqual([{ act: 'revoke_permissions' }, { act: 'restore_permissions' }, { act: 'revoke_permissions' }])
})

test('a store is asked for what was refused, and grants or declines it; nobody else is asked, and nothing else granted', async () => {
  const { api, app, caller, developer } = await shopOf(['product:view'])
  for (const path of ['/customer', '/order', '/review']) expect((await caller.get(path)).status).toBe(403)
  await api.services.calls.flush()
  const store = api.store.id
  const owner = await addPerson(api, { role: 'owner', store })
  const clerk = await addPerson(api, { role: 'staff', store, permissions: ['app:install', 'order:view'] })
  const path = `/apps/${developer.app}/permissions`
  const asked = `/stores/${store}/permissions/asked`
  const ask = (...permissions: string[]) =>
    developer.console.post(`${path}/ask`, { installation_id: app.install_id, permissions })
  const requests = async () => (await owner.console.get(asked)).body.data.requests
  const decide = (person: typeof owner, ...permissions: string[]) =>
    person.console.post(`${asked}/${app.install_id}`, { permissions })
  const granted = async () =>
    (
      await api.db
        .selectFrom('installation')
        .select('permissions')
        .where('id', '=', app.install_id)
        .executeTakeFirstOrThrow()
    ).permissions

  // What was never refused, what is granted already, and an installation of another app.
  expect(await ask('file:upload')).toBeRefused(422, 'permissions.0')
  expect(await ask('order:view', 'product:view')).toBeRefused(422, 'permissions.1')
  const other = await developerOf(api, (await api.install([])).client_id)
  const foreign = { installation_id: app.install_id, permissions: ['order:view'] }
  expect((await other.console.post(`/apps/${other.app}/permissions/ask`, foreign)).status).toBe(404)
  expect(await requests()).toEqual([])

  expect((await ask('order:view')).status).toBe(200)
  // A later request takes the place of the one before.
  expect((await ask('order:view', 'customer:view', 'review:view')).status).toBe(200)
  expect(await requests()).toMatchObject([
    {
      installation_id: app.install_id,
      asked_by: developer.name,
      permissions: ['customer:view', 'order:view', 'review:view'],
    },
  ])
  const { installations } = (await developer.console.get(path)).body.data
  expect(installations[0].request).toMatchObject({ again_at: null })
  expect((await caller.get('/order')).status).toBe(403)

  // Nobody grants what they may not do themselves, or what was not asked for.
  expect(await decide(clerk, 'order:view', 'customer:view')).toFailWith('forbidden')
  expect(await decide(owner, 'order:view', 'file:upload')).toBeRefused(422, 'permissions')
  expect(await granted()).toEqual(['product:view'])
  expect((await decide(clerk, 'order:view')).body.data).toEqual({
    granted: ['order:view'],
    declined: ['customer:view', 'review:view'],
  })
  expect(await granted()).toEqual(['order:view', 'product:view'])
  expect((await caller.get('/order')).status).toBe(200)
  expect(await requests()).toEqual([])
  expect((await decide(owner, 'customer:view')).status).toBe(404)

  // Declined: the store is left alone for a week.
  expect(await ask('customer:view')).toBeRefused(422, 'permissions')
  await sql`update permission_request set declined_at = now() - interval '8 days'`.execute(api.db)
  expect((await ask('customer:view')).status).toBe(200)
  expect((await decide(owner)).body.data).toEqual({ granted: [], declined: ['customer:view'] })
  expect(await granted()).toEqual(['order:view', 'product:view'])
  const { rows } = await sql<{ act: string }>`select act from audit_entry where app_id = ${developer.app}
    and act like '%permissions' order by at, act`.execute(api.db)
  expect(rows.map(({ act }) => act)).toEqual([
    ...['ask_permissions', 'ask_permissions', 'change_permissions', 'decline_permissions'],
    ...['ask_permissions', 'decline_permissions'],
  ])
})

test('an app with a manifest asks for what that names only', async () => {
  const api = await startTestApi()
  const { client_id, client_secret } = await addRegisteredApp(api, {
    permissions: { required: ['product:view'], optional: ['order:view'] },
  })
  const { install_id } = await createInstallation(api.db, client_id, api.store.id, ['product:view'])
  const token = await api.getToken({ client_id, client_secret }, { install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  for (const path of ['/customer', '/order']) expect((await caller.get(path)).status).toBe(403)
  await api.services.calls.flush()
  const developer = await developerOf(api, client_id)
  const ask = (name: string) =>
    developer.console.post(`/apps/${developer.app}/permissions/ask`, {
      installation_id: install_id,
      permissions: [name],
    })
  expect(await ask('customer:view')).toBeRefused(422, 'permissions.0')
  expect((await ask('order:view')).status).toBe(200)
})

test('what was revoked is listed for a day, until somebody has changed the installation', async () => {
  const { api, app, developer } = await shopOf(['product:view', 'review:view'])
  const path = `/apps/${developer.app}/permissions`
  const revoked = async () => (await developer.console.get(path)).body.data.revoked
  const given = { installations: [{ id: app.install_id, permissions: ['review:view'] }] }
  const { undo } = (await developer.console.post(`${path}/revoke`, given)).body.data
  expect(await revoked()).toMatchObject([{ undo: undo[0], store: 'Test store', permissions: ['review:view'] }])
  await sql`update audit_entry set at = now() - interval '25 hours' where id = ${undo[0]}`.execute(api.db)
  expect(await revoked()).toEqual([])
  await sql`update audit_entry set at = now() where id = ${undo[0]}`.execute(api.db)
  expect((await developer.console.post(`${path}/restore`, { undo })).body.data.restored).toBe(1)
  expect(await revoked()).toEqual([])
})

test('an owner sees and trims what an app may do in the own store only', async () => {
  const { api, app, caller } = await shopOf(['product:view', 'review:view'])
  await caller.get('/product')
  await api.services.calls.flush()
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  const path = `/stores/${api.store.id}`
  const { installations } = (await owner.console.get(`${path}/installations/${app.install_id}/use`)).body.data
  expect(installations).toMatchObject([{ calls: 1, failures: 0, store: 'Test store' }])
  const elsewhere = await startTestApi()
  const foreign = await elsewhere.install(['product:view'])
  const revoke = (id: string) =>
    owner.console.post(`${path}/permissions/revoke`, { installations: [{ id, permissions: ['product:view'] }] })
  expect((await revoke(foreign.install_id)).body.data.revoked).toBe(0)
  expect((await owner.console.get(`${path}/installations/${foreign.install_id}/use`)).status).toBe(404)
  expect((await revoke(app.install_id)).body.data.revoked).toBe(1)
  expect((await caller.get('/product')).status).toBe(403)
})

test('a token of an app is refused to whoever may not have it, with nothing in the audit log, and is gone after five minutes', async () => {
  const { api, app, developer } = await shopOf(['product:view'])
  const ask = (caller: typeof developer.console, body: object = { installation_id: app.install_id }) =>
    caller.post(`/apps/${developer.app}/token`, body)
  const acts = async () =>
    (await sql`select 1 from audit_entry where act = 'app_token' and app_id = ${developer.app}`.execute(api.db)).rows
      .length
  const { token } = (await ask(developer.console)).body.data
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  expect(claims).toMatchObject({ sub: developer.app, ins: app.install_id })
  expect(claims.exp - claims.iat).toBeGreaterThan(298)
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(301)
  expect(claims).not.toHaveProperty('acc')

  const other = await developerOf(api, (await api.install(['order:view'])).client_id)
  const owner = await addPerson(api, { role: 'owner', store: api.store.id })
  for (const stranger of [other, owner]) expect((await ask(stranger.console)).status).toBe(404)
  for (const body of [{}, { installation_id: 7 }, { installation_id: [app.install_id] }, { installation_id: '' }])
    expect((await ask(developer.console, body)).body.code).toBe('validation_failed')
  expect((await ask(developer.console, { installation_id: randomUUID() })).status).toBe(404)
  await sql`update app set disabled_at = now() where id = ${developer.app}`.execute(api.db)
  expect((await ask(developer.console)).body.code).toBe('forbidden')
  await sql`update app set disabled_at = null where id = ${developer.app}`.execute(api.db)
  await sql`delete from app_member where app_id = ${developer.app}`.execute(api.db)
  expect((await ask(developer.console)).status).toBe(404)
  expect(await acts()).toBe(1)
})

test('a developer gets a short token of an installation of the own app, and the audit log says so', async () => {
  const { api, app, developer } = await shopOf(['product:view'])
  const { body } = await developer.console.post(`/apps/${developer.app}/token`, { installation_id: app.install_id })
  expect(body.data.ttl).toBe(300)
  const caller = api.anonymous.with({ authorization: `Bearer ${body.data.token}` })
  expect((await caller.get('/product')).status).toBe(200)
  expect((await caller.get('/order')).status).toBe(403)
  const foreign = await api.install(['order:view'])
  expect(
    (await developer.console.post(`/apps/${developer.app}/token`, { installation_id: foreign.install_id })).status,
  ).toBe(404)
  const operator = await addPerson(api)
  const built = (await operator.console.get('/developer/apps?search=Console')).body.data.apps[0]
  const { rows } = await sql<{ id: string }>`select id from installation where app_id = ${built.id} limit 1`.execute(
    api.db,
  )
  expect((await operator.console.post(`/apps/${built.id}/token`, { installation_id: rows[0]?.id })).status).toBe(404)
  const audit =
    await sql`select actor, store_id from audit_entry where act = 'app_token' and app_id = ${developer.app}`.execute(
      api.db,
    )
  expect(audit.rows).toEqual([{ actor: developer.name, store_id: api.store.id }])
})
