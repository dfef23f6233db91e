import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { distribute } from '../src/core/storage/distribute.ts'
import { startTestApi } from './support/api.ts'
import { findShard, isOnCitus, moveStore, ownFunctions } from './support/citus.ts'
import { expectOrderTextsToFitRows } from './support/kept-texts.ts'
import { addProduct } from './support/products.ts'
import { startReceiver } from './support/receiver.ts'

test.skipIf(!isOnCitus)('orders are placed while their shard moves to another worker, and none is lost', async () => {
  const api = await startTestApi()
  const { db, store } = api
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 1_000 })
  const placed: number[] = []
  const place = async () => {
    const customer_email = `${placed.length % 3}@example.com`
    const reply = await all.post('/order', { customer_email, variants: [{ variant_id: variant, quantity: 1 }] })
    placed.push(reply.status)
  }
  await place()
  const { shard } = await findShard(db, store.id)
  expect(Math.min(...(await ownFunctions(db)).values())).toBeGreaterThan(5)

  let isMoving = true
  const callers = [0, 1].map(async () => {
    while (isMoving) await place()
  })
  await moveStore(db, store.id)
  isMoving = false
  await Promise.all(callers)
  await place()

  expect(new Set(placed)).toEqual(new Set([201]))
  const counted = await sql<{ orders: number; counted: number; spent: number; left: number }>`
    select (select count(*) from orders where store_id = ${store.id}) as orders,
      (select sum(delta)::int from tally where store_id = ${store.id} and kind = 'orders' and facet = '') as counted,
      (select sum(order_count)::int from customer where store_id = ${store.id}) as spent,
      (select quantity from variant where store_id = ${store.id} and id = ${variant}) as left`.execute(db)
  const n = placed.length
  expect(counted.rows).toEqual([{ orders: n, counted: n, spent: n, left: 1_000 - n }])
  await expectOrderTextsToFitRows(db, store.id)

  expect((await ownFunctions(db)).get(shard)).toBe(0)
  await distribute(db)
  expect((await ownFunctions(db)).get(shard)).toBeGreaterThan(5)
  await place()
  expect(placed.at(-1)).toBe(201)
})

test.skipIf(!isOnCitus)(
  'a write that waits too long for a shard that is moved is told unavailable, not that its key is in use',
  async () => {
    const api = await startTestApi()
    const { db, store } = api
    const all = await api.as()
    const create = () => all.post('/customer', { email: 'waits@example.com' }, { 'idempotency-key': 'waits' })
    await db.transaction().execute(async (db) => {
      // What Citus does when the move comes to its end.
      await sql`select lock_shard_metadata(7, array_agg(shardid)) from pg_dist_shard s
        where get_shard_id_for_distribution_column(s.logicalrelid, ${store.id}::uuid) = s.shardid`.execute(db)
      const refused = await create()
      expect(refused).toFailWith('unavailable')
      expect(refused.headers.has('retry-after')).toBe(true)
    })
    expect((await create()).status).toBe(201)
  },
)

/** The fields of a customer, one after the other, so that the sequence of their events can be told. */
const FIELDS = ['name', 'phone', 'address', 'city', 'postal_code'] as const

test.skipIf(!isOnCitus)(
  'what changes while nobody reads, and the shard moves there and back, is in the feed in turn',
  async () => {
    const api = await startTestApi({ WEBHOOKS: 'off' })
    const { db, store } = api
    const all = await api.as()
    const read = async (query = '') => (await all.get(`/event?types=customer.*${query}`)).body.data
    // From either worker: numbers of one are all higher than those of the other.
    for (const start of ['first', 'second']) {
      // Every read of changes lets the next ones be numbered from there.
      for (let n = 0; n < 4; n++) {
        await all.post('/customer', { email: `${start}${n}@example.com` })
        await read()
      }
      const { next_cursor } = await read('&limit=250')
      const made = await all.post('/customer', { email: `${start}@example.com` })
      const { id } = made.body.data.customer
      for (const field of FIELDS) {
        expect((await all.put(`/customer/${id}`, { [field]: '12345678' })).status).toBe(200)
        if (field === 'name' || field === 'address') await moveStore(db, store.id)
      }
      expect((await all.delete(`/customer/${id}`)).status).toBe(200)
      const { events } = await read(`&cursor=${next_cursor}`)
      expect(events.map(({ type, changed }: { type: string; changed: string[] }) => [type, ...changed])).toEqual([
        ['customer.created'],
        ...FIELDS.map((field) => ['customer.updated', field]),
        ['customer.deleted'],
      ])
      await moveStore(db, store.id)
    }
  },
)

test.skipIf(!isOnCitus)('replies and webhooks show what changes after the shard has moved', async () => {
  const api = await startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, { pollMs: 20, idleMs: 60 })
  const { db, store } = api
  const all = await api.as()
  const receiver = await startReceiver()
  const hook = await all.post('/webhook', { url: receiver.url, types: ['customer.updated'], payload: 'full' })
  expect(hook.status, hook.text).toBe(201)
  const { id } = (await all.post('/customer', { email: 'moved@example.com' })).body.data.customer
  const names: string[] = []
  const rename = async (name: string) => {
    expect((await all.put(`/customer/${id}`, { name })).status).toBe(200)
    names.push(name)
    // The second reply is remembered, and the third is it.
    for (let n = 0; n < 3; n++) {
      expect((await all.get('/customer')).body.data.customers).toMatchObject([{ name }])
      expect((await all.get(`/customer/${id}`)).body.data.customer.name).toBe(name)
    }
    const arrived = () => receiver.received.map(({ event }) => event.data.name)
    await expect.poll(arrived, { timeout: 20_000 }).toEqual(names)
  }
  await rename('before')
  for (const place of ['there', 'back', 'there again']) {
    await moveStore(db, store.id)
    await rename(place)
    await rename(`still ${place}`)
  }
})

test.skipIf(!isOnCitus)(
  'an order has the currency of its store, although both change after the shard has moved',
  async () => {
    const api = await startTestApi()
    const { db, store } = api
    const all = await api.as()
    const { variant } = await addProduct(api, { quantity: 100 })
    await moveStore(db, store.id)
    let currency = 'TND'
    for (let n = 0; n < 6; n++) {
      const other = currency === 'TND' ? 'EUR' : 'TND'
      const [placed, changed] = await Promise.all([
        all.post('/order', { variants: [{ variant_id: variant, quantity: 1 }] }),
        all.put('/setting', { currency: other }),
      ])
      expect(placed.status, placed.text).toBe(201)
      expect([200, 422]).toContain(changed.status)
      currency = (await all.get('/setting')).body.data.setting.currency
      expect(placed.body.data.order.currency).toBe(currency)
      await sql`delete from orders where store_id = ${store.id}`.execute(db)
    }
  },
)
