import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { mayStoreReply } from './stored-reply-quota.ts'

const customers = async (api: TestApi) =>
  api.db.selectFrom('customer').select(['email', 'name']).where('store_id', '=', api.store.id).execute()

const key = (value: string) => ({ 'idempotency-key': value })

test('a retry with the same key gets the first reply, and only one write happens', async () => {
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

test('of twenty concurrent retries one writes; the others get its reply or a 409', async () => {
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
  const mine = await api.as('customer:create').post('/customer', { email: 'same@example.com' }, key('k'))
  const theirs = await other.as('customer:create').post('/customer', { email: 'same@example.com' }, key('k'))
  expect(theirs.status).toBe(201)
  expect(theirs.headers.get('idempotency-replayed')).toBeNull()
  expect(theirs.body.data.customer.id).not.toBe(mine.body.data.customer.id)
})

test('a key expires after a day', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await caller.post('/customer', { email: 'old@example.com' }, key('k'))
  await sql`update idempotency set created_at = now() - interval '25 hours' where key = 'k'`.execute(api.db)
  const later = await caller.post('/customer', { email: 'new@example.com' }, key('k'))
  expect(later.status).toBe(201)
  expect(later.headers.get('idempotency-replayed')).toBeNull()
  expect(await customers(api)).toHaveLength(2)
})

test('the write and its stored reply are committed together or not at all', async () => {
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

test('a retry of a write that takes too long gets an error instead of waiting forever', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const [installation] = await api.db
    .selectFrom('installation')
    .select('id')
    .where('store_id', '=', api.store.id)
    .orderBy('created_at', 'desc')
    .execute()
  const reply = await api.db.transaction().execute(async (db) => {
    await db
      .insertInto('idempotency')
      .values({
        store_id: api.store.id,
        installation_id: installation?.id as string,
        key: 'slow',
        request_hash: Buffer.alloc(32),
      })
      .execute()
    return caller.post('/customer', { email: 'slow@example.com' }, key('slow'))
  })
  expect(reply).toFailWith('idempotency_conflict')
  expect(await customers(api)).toEqual([])
})

test('an empty or oversized key is rejected with an error on the header', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  for (const bad of ['', 'k'.repeat(256)])
    expect(await caller.post('/customer', { email: 'x@example.com' }, key(bad))).toBeRefused(422, 'Idempotency-Key')
  expect(await customers(api)).toEqual([])
  await sleep(0)
})

const kept = async (api: TestApi) => {
  const { rows } = await sql<{ keys: number; bytes: number }>`
    select count(*) as keys, coalesce(sum(octet_length(i.body)), 0) as bytes from idempotency i
    join installation n on n.id = i.installation_id where n.store_id = ${api.store.id}`.execute(api.db)
  return rows[0]
}

test('a replay has the ETag of the first reply, even if the resource has changed since', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { id } = (await caller.post('/customer', { email: 'etag@example.com' })).body.data.customer
  const first = await caller.put(`/customer/${id}`, { name: 'Amina' }, key('k'))
  await caller.put(`/customer/${id}`, { name: 'Amel' })
  const again = await caller.put(`/customer/${id}`, { name: 'Amina' }, key('k'))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(first.headers.get('etag')).toMatch(/^"\S+"$/)
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(again.text).toBe(first.text)
})

test('a large reply is not stored but rendered again with the same ETag, and nothing is written twice', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { rows } = await sql<{ id: string }>`insert into orders (store_id, ref, currency, meta_data)
    values (${api.store.id}, 'LARGE', 'TND', jsonb_build_object('note', repeat('x', 300000))) returning id`.execute(
    api.db,
  )
  const path = `/order/${rows[0]?.id}`
  const first = await caller.put(path, { is_archived: true }, key('large'))
  const again = await caller.put(path, { is_archived: true }, key('large'))
  expect(again.status).toBe(200)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await kept(api)).toEqual({ keys: 1, bytes: 0 })
  expect(await caller.put(path, { is_archived: false }, key('large'))).toFailWith('idempotency_conflict')
  await sql`delete from orders where store_id = ${api.store.id}`.execute(api.db)
  expect(await caller.put(path, { is_archived: true }, key('large'))).toFailWith('not_found')
})

test('an installation stores at most 16 MB of replies a day; beyond that every kind of reply is rendered again', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { rows } = await sql<{ id: string }>`select id from installation where store_id = ${api.store.id}
    order by created_at desc`.execute(api.db)
  const installation = rows[0]?.id as string
  const fill = (bytes: number) => {
    let times = 0
    while (mayStoreReply(installation, 'x'.repeat(bytes))) times++
    return times
  }
  expect(fill(256 * 1024 + 1)).toBe(0)
  expect(fill(256 * 1024)).toBe(64)
  expect(mayStoreReply(installation, 'x')).toBe(false)
  expect(mayStoreReply('another', 'x')).toBe(true)
  const again = async (method: 'post' | 'put', path: string, body: unknown) => {
    const first = await caller[method](path, body, key(`${method} ${path}`))
    const second = await caller[method](path, body, key(`${method} ${path}`))
    expect(first.status, first.text).toBeLessThan(300)
    expect(second.headers.get('idempotency-replayed'), path).toBe('true')
    expect(second.headers.get('etag'), path).toBe(first.headers.get('etag'))
    expect({ status: second.status, body: second.body }).toEqual({ status: first.status, body: first.body })
    return first.body.data
  }
  const { product } = await again('post', '/product', { title: 'Mug', default: { price: 5, quantity: 9 } })
  const variants = [{ variant_id: product.default.id, quantity: 2 }]
  const { order } = await again('post', '/order', { status: 'paid', customer_email: 'over@example.com', variants })
  const [line] = order.variants
  await again('put', `/order/delivery/${order.deliveries[0].id}`, { status: 'shipped' })
  await again('post', `/order/${order.id}/return`, { variants: [{ order_variant_id: line.id, quantity: 1 }] })
  await again('post', `/order/${order.id}/refund`, { amount: 1 })
  await again('post', '/customer', { email: 'more@example.com' })
  await again('post', '/review', { product_id: product.id, content: 'Fine', rating: 5, reviewer_name: 'Amel' })
  const { landing_page } = await again('post', '/landing-page', { title: 'Mugs', product_id: product.id })
  expect((await kept(api))?.bytes).toBe(0)
  // Nothing that could be rendered again.
  expect(await again('post', '/order/claim', {})).toEqual({ order: null })
  for (let n = 0; n < 2; n++)
    expect((await caller.delete(`/landing-page/${landing_page.id}`, key('gone'))).body).toEqual({ data: {} })
})

test('a key that a node with a wrong clock has stored is not forgotten early', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const body = { email: 'clock@example.com' }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 25 * 3_600_000 })
  const first = await caller.post('/customer', body, key('clock')).finally(() => vi.useRealTimers())
  expect(first.status).toBe(201)
  const again = await caller.post('/customer', body, key('clock'))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect(await customers(api)).toHaveLength(1)
})
