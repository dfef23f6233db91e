import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { missingCustomers, type OutageStats, startLoad, untilServed } from './outage-stats.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, readMetric, type Shop, type ShopCaller, seedShop } from './seeded-shop.ts'

const POOL = 6

let postgres: PostgresServer
let shop: Shop
let base: string
let caller: ShopCaller
/** What the server started last has logged. */
let log: () => string

const serveFrom = async (settings: Record<string, string>) => {
  const server = startProcess({
    DATA_DIR: await temporaryFolder(),
    DATABASE_POOL: String(POOL),
    LOG_LEVEL: 'error',
    ...settings,
  })
  log = server.output
  const base = await server.ready()
  return { server, base, caller: createShopCaller(base, await getToken(base, shop.credentials)) }
}

beforeAll(async () => {
  postgres = await startPostgres({ settings: { max_connections: '20' } })
  shop = await seedShop(postgres.connection)
  ;({ base, caller } = await serveFrom({ DATABASE_URL: postgres.url }))
})

/** All connections are returned to the pool, and no transaction is left open. */
const expectNoLeak = async (base: string, most = POOL + 1) => {
  const state = async () => ({
    open: await readMetric(base, 'database_pool_connections', 'open'),
    idle: await readMetric(base, 'database_pool_connections', 'idle'),
    waiting: await readMetric(base, 'database_pool_connections', 'waiting'),
  })
  await expect.poll(async () => (await state()).waiting).toBe(0)
  await expect.poll(async () => ((now) => now.open - now.idle)(await state())).toBe(0)
  expect((await state()).open).toBeLessThanOrEqual(POOL)
  await expect.poll(postgres.connections).toBeLessThanOrEqual(most)
  expect(await postgres.leftOpen()).toBe(0)
}

/** Waits until the service has recovered, and for some load after that. */
const waitForRecovery = async (load: ReturnType<typeof startLoad>, caller: ShopCaller, patienceMs?: number) => {
  const recovered = await untilServed(caller, patienceMs)
  await sleep(300)
  return { stats: await load.stop(), recovered }
}

const recordOutage = async (what: string, stats: OutageStats, recoveredMs: number) => {
  const db = new pg.Client(postgres.connection)
  await db.connect()
  const missing = await missingCustomers(db, stats.acknowledged)
  await db.end()
  expect({ wrong: stats.wrong, missing }).toEqual({ wrong: [], missing: [] })
  recordResult({
    case: what,
    tried: stats.asked,
    lost: missing.length,
    note: `${stats.unavailable} answered 503, served again after ${Math.round(recoveredMs)} ms`,
  })
}

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') process.stderr.write(`The server's log ends with:\n${log().slice(-20_000)}\n`)
  await postgres.start()
})

test('while PostgreSQL is killed the service answers 503, and it recovers afterwards', async () => {
  const load = startLoad(caller)
  await sleep(500)
  await postgres.kill()
  await sleep(1_500)
  await postgres.start()
  const { stats, recovered } = await waitForRecovery(load, caller)
  expect(stats.unavailable).toBeGreaterThan(0)
  await expectNoLeak(base)
  await recordOutage('PostgreSQL killed under load', stats, recovered)
})

test('a clean restart of PostgreSQL causes nothing worse than a 503', async () => {
  const load = startLoad(caller)
  await sleep(500)
  await postgres.restart()
  const { stats, recovered } = await waitForRecovery(load, caller)
  await expectNoLeak(base)
  await recordOutage('PostgreSQL restarted under load', stats, recovered)
})

test('while PostgreSQL is frozen for 20 seconds, no request waits that long', async () => {
  const load = startLoad(caller)
  await sleep(300)
  postgres.signalAll('SIGSTOP')
  try {
    await sleep(20_000)
  } finally {
    postgres.signalAll('SIGCONT')
  }
  const { stats, recovered } = await waitForRecovery(load, caller)
  expect(stats.unavailable).toBeGreaterThan(0)
  await expectNoLeak(base)
  await recordOutage('PostgreSQL frozen for 20 s', stats, recovered)
})

test('without a free PostgreSQL connection the service answers 503, and it recovers once there is one', async () => {
  // The service's connections are terminated, so that others can take their slots.
  const strangers: pg.Client[] = []
  await postgres.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'storefront%'`,
  )
  for (;;) {
    const client = new pg.Client(postgres.connection)
    client.on('error', () => {})
    try {
      await client.connect()
      strangers.push(client)
    } catch {
      break
    }
  }
  const load = startLoad(caller)
  await sleep(2_500)
  const during = { ...load.stats }
  for (const client of strangers) await client.end()
  const { stats, recovered } = await waitForRecovery(load, caller)
  expect(during.unavailable).toBeGreaterThan(0)
  await expectNoLeak(base)
  await recordOutage('PostgreSQL out of connections', stats, recovered)
})

test.skipIf(!hasPgbouncer)(
  'behind pgbouncer in transaction mode it recovers too, and a revocation takes effect within a second',
  async () => {
    const pooler = await startPgbouncer(postgres.port)
    const behind = await serveFrom({ DATABASE_URL: pooler.url, DATABASE_PREPARE: 'false' })
    const load = startLoad(behind.caller)
    await sleep(700)
    await postgres.kill()
    await sleep(1_500)
    await postgres.start()
    // The pooler may hold every statement back until PostgreSQL answers again: then nobody gets a 503.
    const { stats, recovered } = await waitForRecovery(load, behind.caller)

    expect((await behind.caller.get('/order')).status).toBe(200)
    await postgres.query('update installation set permissions = $1', [['product:view']])
    await sleep(1_200)
    expect((await behind.caller.get('/order')).status).toBe(403)
    await postgres.query('update installation set permissions = $1', [PERMISSIONS])
    expect(await postgres.leftOpen()).toBe(0)
    expect(await behind.server.stop()).toBe(0)
    await recordOutage('PostgreSQL killed behind pgbouncer', stats, recovered)
  },
)

test.skipIf(!hasPgbouncer)(
  'behind a pgbouncer that makes clients wait for PostgreSQL, its outage is answered with 503 in time too',
  async () => {
    // By default it holds statements back for two minutes.
    const pooler = await startPgbouncer(postgres.port, { waits: '' })
    const behind = await serveFrom({ DATABASE_URL: pooler.url, DATABASE_PREPARE: 'false' })
    const load = startLoad(behind.caller)
    await sleep(700)
    await postgres.kill()
    await sleep(12_000)
    await postgres.start()
    // It looks for PostgreSQL every 15 seconds.
    const { stats, recovered } = await waitForRecovery(load, behind.caller, 60_000)
    expect(stats.unavailable).toBeGreaterThan(0)
    expect(await behind.server.stop()).toBe(0)
    await recordOutage('PostgreSQL down for 12 s behind pgbouncer with its default waits', stats, recovered)
  },
)
