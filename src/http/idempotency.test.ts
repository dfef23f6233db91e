import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

const customers = async (api: TestApi) =>
  api.db.selectFrom('customer').select(['email', 'name']).where('store_id', '=', api.store.id).execute()

const key = (value: string) => ({ 'idempotency-key': value })

test('the same key and request give the first answer again and write once', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const body = { email: 'amina@example.com', name: 'Amina' }
  const first = await caller.post('/customer', body, key('k1'))
  const again = await caller.post('/customer', body, key('k1'))
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.status).toBe(201)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await customers(api)).toHaveLength(1)
})

test('another request under the same key is a conflict and writes nothing', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await caller.post('/customer', { email: 'one@example.com' }, key('k'))
  const other = await caller.post('/customer', { email: 'two@example.com' }, key('k'))
  expect(other).toFailWith('idempotency_conflict')
  expect(await customers(api)).toEqual([{ email: 'one@example.com', name: '' }])
})

test('twenty twins at once write once; each gets the one answer or is told to wait', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const replies = await Promise.all(
    Array.from({ length: 20 }, () => caller.post('/customer', { email: 'twin@example.com' }, key('twins'))),
  )
  const answered = replies.filter(({ status }) => status === 201)
  expect(answered.length).toBeGreaterThan(0)
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1)
  expect(answered.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
  for (const reply of replies.filter(({ status }) => status !== 201)) expect(reply).toFailWith('idempotency_conflict')
  expect(await customers(api)).toHaveLength(1)
})

test('a refused request leaves its key free for the corrected one', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  expect(await caller.post('/customer', { email: 'not an address' }, key('k'))).toBeRefused(422, 'email')
  expect((await caller.post('/customer', { email: 'right@example.com' }, key('k'))).status).toBe(201)
})

test('a key belongs to its installation', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mine = await (await api.as('customer:create')).post('/customer', { email: 'same@example.com' }, key('k'))
  const theirs = await (await other.as('customer:create')).post('/customer', { email: 'same@example.com' }, key('k'))
  expect(theirs.status).toBe(201)
  expect(theirs.headers.get('idempotency-replayed')).toBeNull()
  expect(theirs.body.data.customer.id).not.toBe(mine.body.data.customer.id)
})

test('after a day a key is free again', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await caller.post('/customer', { email: 'old@example.com' }, key('k'))
  await sql`update idempotency set created_at = now() - interval '25 hours' where key = 'k'`.execute(api.db)
  const later = await caller.post('/customer', { email: 'new@example.com' }, key('k'))
  expect(later.status).toBe(201)
  expect(later.headers.get('idempotency-replayed')).toBeNull()
  expect(await customers(api)).toHaveLength(2)
})

test('the answer is kept by the transaction of the write: both or neither', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await sql`create function refuse_answers() returns trigger language plpgsql as
    $$ begin raise exception 'no room for answers'; end $$`.execute(api.db)
  await sql`create trigger refuse_answers before update on idempotency
    for each row execute function refuse_answers()`.execute(api.db)
  const reply = await caller.post('/customer', { email: 'half@example.com' }, key('k'))
  await sql`drop trigger refuse_answers on idempotency`.execute(api.db)
  await sql`drop function refuse_answers`.execute(api.db)
  expect(reply).toFailWith('server_error')
  expect(await customers(api)).toEqual([])
  expect((await caller.post('/customer', { email: 'half@example.com' }, key('k'))).status).toBe(201)
})

test('a twin of a write that takes too long is told so instead of waiting for ever', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const [installation] = await api.db
    .selectFrom('installation')
    .select('id')
    .where('store_id', '=', api.store.id)
    .execute()
  const reply = await api.db.transaction().execute(async (db) => {
    await db
      .insertInto('idempotency')
      .values({ installation_id: installation?.id as string, key: 'slow', request_hash: Buffer.alloc(32) })
      .execute()
    return caller.post('/customer', { email: 'slow@example.com' }, key('slow'))
  })
  expect(reply).toFailWith('idempotency_conflict')
  expect(await customers(api)).toEqual([])
})

test('a key that is empty or too long is refused by name', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  for (const bad of ['', 'k'.repeat(256)])
    expect(await caller.post('/customer', { email: 'x@example.com' }, key(bad))).toBeRefused(422, 'Idempotency-Key')
  expect(await customers(api)).toEqual([])
  await sleep(0)
})
