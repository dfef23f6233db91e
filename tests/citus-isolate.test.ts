import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { API_PREFIX, readConfig } from '../src/config/config.ts'
import { withUntimedDatabase } from '../src/core/storage/connect.ts'
import type { Db } from '../src/core/storage/database.ts'
import { distribute } from '../src/core/storage/distribute.ts'
import { startHttpServer } from '../src/server/http-server.ts'
import { createShopCaller, getToken, type Shop, type ShopCaller, STOCK, seedShop } from './resilience/seeded-shop.ts'
import { findShard, isOnCitus, isolateStore, ownFunctions } from './support/citus.ts'
import { addCleanup } from './support/cleanup.ts'
import { expectOrderTextsToFitRows } from './support/kept-texts.ts'
import { temporaryFolder } from './support/server-process.ts'
import { cloneDatabase } from './support/test-database.ts'

/** On a machine that is busy with something else too. */
const MAX_MS = 8_000

/** A shop whose writers go on until they are stopped. What is told unavailable is sent again, with the same key. */
const startWriters = (caller: ShopCaller, shop: Shop) => {
  const wrong: string[] = []
  const done = { orders: [] as string[], customers: [] as string[], title: '' }
  const counts = { unavailable: 0, slowest: 0 }
  let isOn = true
  const insist = async (method: string, path: string, body?: object) => {
    const headers = { 'idempotency-key': randomUUID() }
    for (;;) {
      const reply = await caller.send(method, path, body, method === 'GET' ? {} : headers)
      counts.slowest = Math.max(counts.slowest, reply.ms)
      if (reply.status < 300) return reply.body.data
      if (reply.status !== 503 || !reply.headers.has('retry-after')) wrong.push(`${method} ${path}: ${reply.text}`)
      if (reply.status !== 503) return undefined
      counts.unavailable++
      await sleep(200)
    }
  }
  const order = async () => {
    const customer_email = `${done.orders.length % 3}@example.com`
    const variants = [{ variant_id: shop.hat.variant, quantity: 1 }]
    const made = await insist('POST', '/order', { customer_email, variants })
    if (made) done.orders.push(made.order.id)
    if (made) await insist('GET', `/order/${made.order.id}`)
    await insist('GET', '/order')
  }
  const update = async () => {
    const title = `Mug ${randomUUID()}`
    if (await insist('POST', `/product/${shop.mug.id}/update`, { title })) done.title = title
    await insist('GET', '/product')
  }
  const register = async () => {
    const made = await insist('POST', '/customer', { email: `${randomUUID()}@example.com` })
    if (made) done.customers.push(made.customer.id)
  }
  const writers = [order, update, register].map(async (write) => {
    while (isOn) await write()
  })
  const stop = async () => {
    isOn = false
    await Promise.all(writers)
  }
  addCleanup(stop)
  return { wrong, done, counts, stop }
}

type Writers = ReturnType<typeof startWriters>

/** Whatever was acknowledged is there, once, and what is counted agrees with the rows. */
const expectWritesIn = async (db: Db, { store, hat, mug }: Shop, { done }: Writers) => {
  const ids = async (table: string) =>
    (await sql<{ id: string }>`select id from ${sql.table(table)} where store_id = ${store}`.execute(db)).rows.map(
      ({ id }) => id,
    )
  expect((await ids('orders')).sort()).toEqual([...done.orders].sort())
  expect(await ids('customer')).toEqual(expect.arrayContaining(done.customers))
  const n = done.orders.length
  const buyers = Math.min(n, 3)
  const { rows } = await sql`
    select (select count(*)::int from customer where store_id = ${store}) as customers,
      (select sum(delta)::int from tally where store_id = ${store} and kind = 'orders' and facet = '') as orders,
      (select sum(delta)::int from tally where store_id = ${store} and kind = 'customer' and facet = '') as counted,
      (select sum(order_count)::int from customer where store_id = ${store}) as placed,
      (select quantity from variant where store_id = ${store} and id = ${hat.variant}) as left,
      (select title from product where store_id = ${store} and id = ${mug.id}) as title`.execute(db)
  const customers = done.customers.length + buyers
  const expected = { customers, orders: n, counted: customers, placed: n, left: STOCK - n, title: done.title }
  expect(rows).toEqual([expected])
  await expectOrderTextsToFitRows(db, store)
}

/** Tables of stores of which PostgreSQL could not tell a worker that takes over a shard which row was changed. */
const withoutIdentity = (db: Db) =>
  sql<{ name: string }>`select c.relname::text as name from pg_catalog.pg_dist_partition p
    join pg_class c on c.oid = p.logicalrelid
    where p.partmethod = 'h' and c.relreplident <> 'f' and not exists (
      select from pg_index i where i.indrelid = c.oid and (i.indisreplident or i.indisprimary and c.relreplident = 'd'))`
    .execute(db)
    .then(({ rows }) => rows.map(({ name }) => name))

/** Shards that write whole rows to the log, although they have a primary key. */
const wholeRowShards = async (db: Db) => {
  const { rows } = await sql<{ count: number }>`select sum(result::int)::int as count from run_command_on_workers(
    $$select count(*) from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
      where c.relreplident = 'f' and c.relnamespace = 'public'::regnamespace$$)`.execute(db)
  return rows[0]?.count
}

test.skipIf(!isOnCitus)(
  'a store gets a shard of its own while three stores write: nothing is lost, nobody waits long or gets an error',
  async () => {
    const connection = await cloneDatabase()
    // As an operator runs it: tests wait longer for the database otherwise.
    const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder(), DATABASE_POOL: '6' })
    const server = await startHttpServer(config, connection)
    addCleanup(server.close)
    const base = `http://127.0.0.1:${server.port}${API_PREFIX}`
    await withUntimedDatabase(connection, 'test', async ({ db }) => {
      expect(await withoutIdentity(db)).toEqual([])
      const isolated = await seedShop(connection)
      const before = await findShard(db, isolated.store)
      const seedWhere = async (isBeside: boolean): Promise<Shop> => {
        const shop = await seedShop(connection)
        return ((await findShard(db, shop.store)).shard === before.shard) === isBeside ? shop : seedWhere(isBeside)
      }
      const shops = [isolated, await seedWhere(true), await seedWhere(false)]
      const writing: { shop: Shop; writers: Writers }[] = []
      for (const shop of shops) {
        const caller = createShopCaller(base, await getToken(base, shop.credentials))
        writing.push({ shop, writers: startWriters(caller, shop) })
      }
      await sleep(2_000)
      await isolateStore(db, isolated.store)
      await sleep(2_000)
      for (const { writers } of writing) await writers.stop()
      expect(writing.flatMap(({ writers }) => writers.wrong)).toEqual([])
      for (const { shop, writers } of writing) {
        expect(writers.counts.slowest).toBeLessThan(MAX_MS)
        expect(writers.done.orders.length).toBeGreaterThan(5)
        await expectWritesIn(db, shop, writers)
      }

      const { shard } = await findShard(db, isolated.store)
      expect(shard).not.toBe(before.shard)
      expect((await findShard(db, (shops[1] as Shop).store)).shard).not.toBe(shard)
      expect((await ownFunctions(db)).get(shard)).toBe(0)
      expect(await wholeRowShards(db)).toBeGreaterThan(50)
      await distribute(db)
      expect(await wholeRowShards(db)).toEqual(0)
      for (const { shop } of writing) {
        const { shard } = await findShard(db, shop.store)
        expect((await ownFunctions(db)).get(shard)).toBeGreaterThan(5)
        const caller = createShopCaller(base, await getToken(base, shop.credentials))
        const variants = [{ variant_id: shop.hat.variant, quantity: 1 }]
        expect((await caller.post('/order', { variants })).status).toBe(201)
      }
    })
  },
)
