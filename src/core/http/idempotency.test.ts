import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { allWhileLocked, untilOneWaits } from '../../../tests/support/waiting.ts'
import { transact } from '../storage/database.ts'
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
  expect(other.body.message).toBe('This Idempotency-Key was used for another request: choose a new key.')
  expect(await customers(api)).toEqual([{ email: 'one@example.com', name: '' }])
})

test('another path or method under the same key is another request, whatever the body', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const add = async (email: string) => (await caller.post('/customer', { email })).body.data.customer.id
  const [one, two] = [await add('one@example.com'), await add('two@example.com')]
  expect((await caller.put(`/customer/${one}`, { name: 'Amina' }, key('path'))).status).toBe(200)
  expect(await caller.put(`/customer/${two}`, { name: 'Amina' }, key('path'))).toFailWith('idempotency_conflict')
  expect((await caller.put(`/customer/${one}`, {}, key('method'))).status).toBe(200)
  expect(await caller.delete(`/customer/${one}`, key('method'))).toFailWith('idempotency_conflict')
  expect(await customers(api)).toHaveLength(2)
  expect((await caller.get(`/customer/${two}`)).body.data.customer.name).toBe('')
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
  const again = await caller.post('/customer', { email: 'new@example.com' }, key('k'))
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(later.text)
})

test('of two requests that find a key expired, one takes it over and the other gets its reply', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await caller.post('/customer', { email: 'old@example.com' }, key('k'))
  const ours = sql`store_id = ${api.store.id} and key = 'k'`
  await sql`update idempotency set created_at = now() - interval '25 hours' where ${ours}`.execute(api.db)
  const post = () => caller.post('/customer', { email: 'new@example.com' }, key('k'))
  const lock = sql`select from idempotency where ${ours} for update`
  const replies = await allWhileLocked(api.db, lock, [post, post])
  expect(replies.map(({ status }) => status)).toEqual([201, 201])
  expect(replies.map(({ headers }) => headers.get('idempotency-replayed')).sort()).toEqual([null, 'true'])
  expect(replies[0]?.text).toBe(replies[1]?.text)
  expect(await customers(api)).toHaveLength(2)
})

test('an expired key that is deleted while a request looks at it is free', async ({ skip }) => {
  skip(isOnCitus, 'Citus refuses a trigger that deletes rows of all stores')
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  await caller.post('/customer', { email: 'old@example.com' }, key('k'))
  const ours = sql`store_id = ${api.store.id} and key = 'k'`
  await sql`update idempotency set created_at = now() - interval '25 hours' where ${ours}`.execute(api.db)
  // As the cleanup does, between the two statements of the request.
  await sql`create function delete_expired_keys() returns trigger language plpgsql as $$ begin
    delete from idempotency where created_at < now() - interval '24 hours'; return null; end $$`.execute(api.db)
  await sql`create trigger delete_expired_keys after insert on idempotency
    for each statement execute function delete_expired_keys()`.execute(api.db)
  const post = () => caller.post('/customer', { email: 'new@example.com' }, key('k'))
  const [first, again] = [await post(), await post()]
  await sql`drop function delete_expired_keys cascade`.execute(api.db)
  expect(first.status).toBe(201)
  expect(first.headers.get('idempotency-replayed')).toBeNull()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await customers(api)).toHaveLength(2)
})

test('a new key costs two statements: one claims it, one stores the reply', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  const sent = await statementsOf(() => caller.post('/customer', { email: 'new@example.com' }, key('k')))
  expect(sent.filter((text) => text.includes('"idempotency"'))).toEqual([
    expect.stringMatching(/^insert into/),
    expect.stringMatching(/^update/),
  ])
})

test('a write without a key is committed as a whole or not at all, and needs no transaction if it is one statement', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  await sql`create function refuse_variants() returns trigger language plpgsql as
    $$ begin raise exception 'no room for variants'; end $$`.execute(api.db)
  await sql`create trigger refuse_variants before insert on variant
    for each row execute function refuse_variants()`.execute(api.db)
  const reply = await caller.post('/product', { title: 'Mug', default: { price: 5 } })
  await sql`drop trigger refuse_variants on variant`.execute(api.db)
  await sql`drop function refuse_variants`.execute(api.db)
  expect(reply).toFailWith('server_error')
  expect((await caller.get('/product')).body.data.products).toEqual([])
  const sent = await statementsOf(() => caller.post('/customer', { email: 'one@example.com' }))
  expect(sent.filter((text) => /^(begin|commit)/i.test(text))).toEqual([])
  expect(await customers(api)).toHaveLength(1)
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
  expect(reply.body.message).toBe('Another request with this Idempotency-Key is still running.')
  expect(await customers(api)).toEqual([])
})

test('a write with a key waits as long for another write as one without', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { id } = (await caller.post('/customer', { email: 'busy@example.com' })).body.data.customer
  const { changed } = await transact(api.db, async (db) => {
    await sql`select from customer where store_id = ${api.store.id} and id = ${id} for update`.execute(db)
    const changed = caller.put(`/customer/${id}`, { name: 'Amina' }, key('k'))
    await untilOneWaits(api.db)
    // Longer than it would have waited for its key.
    await sleep(2_200)
    return { changed }
  })
  expect((await changed).status).toBe(200)
  expect(await customers(api)).toEqual([{ email: 'busy@example.com', name: 'Amina' }])
})

test('an empty or oversized key is rejected with an error on the header', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:create')
  for (const bad of ['', 'k'.repeat(256)]) {
    const reply = await caller.post('/customer', { email: 'x@example.com' }, key(bad))
    expect(reply).toBeRefused(422, 'Idempotency-Key')
    expect(reply.body.errors['Idempotency-Key']).toEqual(['must be 1 to 255 characters'])
  }
  expect(await customers(api)).toEqual([])
  expect((await caller.post('/customer', { email: 'x@example.com' }, key('k'.repeat(255)))).status).toBe(201)
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
  for (let n = 0; n < 2; n++) {
    const gone = await caller.delete(`/landing-page/${landing_page.id}`, key('gone'))
    expect(gone.body).toEqual({ data: {} })
    expect(gone.headers.get('etag')).toBeNull()
  }
  const page = { title: 'Mugs', product_id: product.id }
  const late = await caller.post('/landing-page', page, key('post /landing-page'))
  expect(late).toFailWith('not_found')
  expect(late.body.message).toBe('There is no such landing page.')
})

test('a reply with a secret is not stored, and a retry gets it again', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const post = () => caller.post('/webhook', { url: 'https://receiver.example/hook', types: ['*'] }, key('k'))
  const [first, again] = [await post(), await post()]
  expect(first.body.data.webhook.secret).toMatch(/^whsec_/)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  expect(await kept(api)).toEqual({ keys: 1, bytes: 0 })
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
