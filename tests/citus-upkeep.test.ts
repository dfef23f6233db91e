import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { withUntimedDatabase } from '../src/core/storage/connect.ts'
import type { Db } from '../src/core/storage/database.ts'
import { distribute } from '../src/core/storage/distribute.ts'
import { detectDistribution } from '../src/core/storage/distributed.ts'
import { checkDistribution } from '../src/doctor/check-distribution.ts'
import { seedShop } from './resilience/seeded-shop.ts'
import { startTestApi, type TestApi } from './support/api.ts'
import { findShard, isOnCitus, moveStore, ownFunctions } from './support/citus.ts'
import { addProduct } from './support/products.ts'
import { createEmptyDatabase } from './support/test-database.ts'

/** On a machine that is busy with something else, a multiple of the slowest request before. */
const maxRequestMs = (slowestBefore: number) => Math.max(1_000, 3 * slowestBefore)

const localRows = (db: Db) =>
  checkDistribution(db).then((findings) => findings.find(({ found }) => found.startsWith('The coordinator')))

test.skipIf(!isOnCitus)('the coordinator keeps no row of a store that is distributed, then or earlier', async () => {
  const connection = await createEmptyDatabase()
  await seedShop(connection)
  await withUntimedDatabase(connection, 'test', async ({ db }) => {
    const { rows } = await sql<{ id: string }>`select id from store`.execute(db)
    await distribute(db, 2)
    await detectDistribution(connection)
    expect(await localRows(db)).toMatchObject({ state: 'ok' })
    expect((await sql`select from store where id = ${rows[0]?.id}`.execute(db)).rows).toHaveLength(1)

    await sql`create table left_over (store_id uuid primary key)`.execute(db)
    await sql`insert into left_over select id from store`.execute(db)
    await sql`select create_distributed_table('left_over', 'store_id', colocate_with => 'orders')`.execute(db)
    expect(await localRows(db)).toMatchObject({ state: 'fault', found: expect.stringContaining(': left_over.') })
    await distribute(db)
    expect(await localRows(db)).toMatchObject({ state: 'ok' })
    expect((await sql`select store_id from left_over`.execute(db)).rows).toEqual([{ store_id: rows[0]?.id }])
  })
})

test.skipIf(!isOnCitus)(
  'doctor reports workers that cannot split a shard under writes, until a superuser distributes',
  async () => {
    const { db } = await startTestApi()
    const splits = () =>
      checkDistribution(db).then((findings) => findings.find(({ found }) => found.includes('isolate')))
    expect(await splits()).toMatchObject({ state: 'ok' })
    await sql`select run_command_on_workers('drop event trigger storefront_identify_shard')`.execute(db)
    expect(await splits()).toMatchObject({ state: 'note', fix: expect.stringContaining('superuser') })
    await distribute(db)
    expect(await splits()).toMatchObject({ state: 'ok' })
  },
)

/** Orders and reads of a store, one after the other, until it is stopped. */
const startShopping = (all: ReturnType<TestApi['as']>, variant: string) => {
  const statuses = new Map<number, number>()
  let slowest = 0
  let isOn = true
  const timed = async (call: () => Promise<{ status: number }>) => {
    const started = performance.now()
    const { status } = await call()
    slowest = Math.max(slowest, performance.now() - started)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const shop = async () => {
    while (isOn) {
      await timed(() => all.post('/order', { variants: [{ variant_id: variant, quantity: 1 }] }))
      await timed(() => all.get('/order'))
    }
  }
  const shopping = Promise.all([shop(), shop()])
  const stop = async () => {
    isOn = false
    await shopping
  }
  onTestFinished(stop)
  return {
    statuses,
    slowest: () => slowest,
    reset: () => {
      slowest = 0
    },
    stop,
  }
}

/** Shops that order all the time, in different shards, while the shards of the first are changed. */
const startShops = async () => {
  const api = await startTestApi()
  const { shard } = await findShard(api.db, api.store.id)
  const elsewhere = async (): Promise<TestApi> => {
    const other = await startTestApi()
    return (await findShard(other.db, other.store.id)).shard === shard ? elsewhere() : other
  }
  const other = await elsewhere()
  const { variant } = await addProduct(api, { quantity: 100_000 })
  const { variant: sold } = await addProduct(other, { quantity: 100_000 })
  const shops = [startShopping(api.as(), variant), startShopping(other.as(), sold)]
  return { db: api.db, store: api.store.id, shard, shops }
}

test.skipIf(!isOnCitus)('a shard that moved is named again while orders are placed in it', async () => {
  const { db, store, shops } = await startShops()
  const { shard } = await findShard(db, store)
  await moveStore(db, store)
  expect((await ownFunctions(db)).get(shard)).toBe(0)
  for (const shop of shops) shop.reset()
  await sleep(2_000)
  const before = Math.max(...shops.map(({ slowest }) => slowest()))
  for (const shop of shops) shop.reset()
  await distribute(db)
  for (const shop of shops) {
    await shop.stop()
    expect([...shop.statuses.keys()].sort()).toEqual([200, 201])
    expect(shop.slowest()).toBeLessThan(maxRequestMs(before))
  }
  expect((await ownFunctions(db)).get(shard)).toBeGreaterThan(5)
})
