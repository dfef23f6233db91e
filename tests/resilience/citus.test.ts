import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { expect, test } from 'vitest'
import { addCleanup } from '../support/cleanup.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { missingCustomers, startLoad, untilServed } from './outage-stats.ts'
import { binaries, type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type Shop, seedShop } from './seeded-shop.ts'

const hasCitus = existsSync(path.join(await binaries().catch(() => ''), '..', 'lib', 'citus.so'))
if (!hasCitus) console.log('Not tried on Citus: the PostgreSQL here lacks the extension.')

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const SETTINGS = {
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=disable',
  max_connections: '60',
  max_prepared_transactions: '100',
  max_locks_per_transaction: '256',
}

/** A coordinator and two workers, each a PostgreSQL of its own that can be frozen and killed. */
const startCluster = async () => {
  const nodes = [
    await startPostgres({ settings: SETTINGS }),
    await startPostgres({ settings: SETTINGS }),
    await startPostgres({ settings: SETTINGS }),
  ] as const
  for (const node of nodes) await node.query('create extension citus')
  const [coordinator, ...workers] = nodes
  await coordinator.query(`select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const { port } of workers) await coordinator.query(`select citus_add_node('127.0.0.1', ${port})`)
  return { coordinator, workers }
}

const startDistribute = (coordinator: PostgresServer): ChildProcess => {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [CLI, 'distribute', '--shards', '4'], {
    env: { PATH, HOME, TMPDIR, DATABASE_URL: coordinator.url },
    stdio: 'ignore',
  })
  addCleanup(() => child.kill('SIGKILL'))
  return child
}

const distribute = async (coordinator: PostgresServer) => {
  const [code] = await once(startDistribute(coordinator), 'exit')
  expect(code).toBe(0)
}

const portOf = async (coordinator: PostgresServer, { store }: Shop): Promise<number> => {
  const [found] = await coordinator.query(
    `select n.nodeport from pg_dist_placement p join pg_dist_node n using (groupid)
     where p.shardid = get_shard_id_for_distribution_column('orders', $1::uuid)`,
    [store],
  )
  return found.nodeport
}

const startService = async (coordinator: PostgresServer) => {
  const server = startProcess({
    DATABASE_URL: coordinator.url,
    DATA_DIR: await temporaryFolder(),
    DATABASE_POOL: '8',
    LOG_LEVEL: 'silent',
    DEMO: 'false',
  })
  const base = await server.ready()
  return {
    server,
    callerOf: async (shop: Shop) => createShopCaller(base, await getToken(base, shop.credentials)),
  }
}

const tablesOfCitus = async (coordinator: PostgresServer) =>
  (await coordinator.query('select 1 from pg_dist_partition')).length

test.skipIf(!hasCitus)(
  'a worker is frozen and then killed under load: its stores get 503 in time, others are served, nothing is lost',
  async () => {
    const { coordinator, workers } = await startCluster()
    const first = await seedShop(coordinator.connection)
    await distribute(coordinator)
    const broken = workers[0] as PostgresServer
    const isOnBroken = async (shop: Shop) => (await portOf(coordinator, shop)) === broken.port
    let behind = (await isOnBroken(first)) ? first : undefined
    let beside = behind ? undefined : first
    while (!behind || !beside) {
      const shop = await seedShop(coordinator.connection)
      if (await isOnBroken(shop)) behind = shop
      else beside = shop
    }
    const { server, callerOf } = await startService(coordinator)
    const [lost, served] = [await callerOf(behind), await callerOf(beside)]
    const faults = {
      frozen: [() => broken.signalAll('SIGSTOP'), () => broken.signalAll('SIGCONT')],
      killed: [() => broken.kill(), () => broken.start()],
    } as const
    for (const [name, [fail, restore]] of Object.entries(faults)) {
      const load = { behind: startLoad(lost, 4), beside: startLoad(served, 3) }
      await sleep(2_000)
      await fail()
      await sleep(1_000)
      const servedBefore = load.beside.stats.served
      await sleep(8_000)
      const servedMeanwhile = load.beside.stats.served - servedBefore
      await restore()
      const recovered = await untilServed(lost, 30_000)
      await sleep(1_000)
      const stats = { behind: await load.behind.stop(), beside: await load.beside.stop() }
      expect(stats.behind.wrong).toEqual([])
      expect(stats.behind.unavailable).toBeGreaterThan(0)
      expect(stats.beside.wrong).toEqual([])
      expect(stats.beside.unavailable).toBe(0)
      expect(servedMeanwhile).toBeGreaterThan(20)
      const db = new pg.Client(coordinator.connection)
      await db.connect()
      const acknowledged = [...stats.behind.acknowledged, ...stats.beside.acknowledged]
      const missing = await missingCustomers(db, acknowledged)
      await db.end()
      expect(missing).toEqual([])
      recordResult({
        case: `worker of Citus ${name}`,
        tried: acknowledged.length,
        lost: missing.length,
        note: `${stats.behind.unavailable} told unavailable, others served ${servedMeanwhile} times meanwhile, back ${Math.round(recovered)} ms after`,
      })
    }
    expect(await server.stop()).toBe(0)
  },
)

test.skipIf(!hasCitus)(
  'a database whose distribution was killed halfway is usable, and distributed by the next',
  async () => {
    const { coordinator } = await startCluster()
    const shop = await seedShop(coordinator.connection)
    const child = startDistribute(coordinator)
    const isHalfway = async () =>
      (
        await coordinator.query(`select 1 from pg_stat_activity
        where application_name like 'storefront%' and query like '%create_distributed_table%'`)
      ).length
    await expect.poll(isHalfway, { interval: 10 }).toBe(1)
    await sleep(500)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const rest = () => coordinator.query(`select 1 from pg_stat_activity where application_name like 'storefront%'`)
    await expect.poll(async () => (await rest()).length).toBe(0)
    expect(await tablesOfCitus(coordinator)).toBe(0)

    const write = async (email: string) => {
      const { server, callerOf } = await startService(coordinator)
      const caller = await callerOf(shop)
      expect((await caller.post('/customer', { email })).status).toBe(201)
      const { customers } = (await caller.get('/customer')).body.data
      expect(await server.stop()).toBe(0)
      return customers.map((customer: { email: string }) => customer.email).sort()
    }
    expect(await write('plain@example.com')).toEqual(['plain@example.com'])
    await distribute(coordinator)
    expect(await tablesOfCitus(coordinator)).toBeGreaterThan(50)
    expect(await write('distributed@example.com')).toEqual(['distributed@example.com', 'plain@example.com'])
    recordResult({ case: 'distribution killed halfway', tried: 1, lost: 0 })
  },
)
