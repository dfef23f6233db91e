import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { withUntimedDatabase } from '../../src/core/storage/connect.ts'
import { createApp } from '../../src/resources/auth/create-app.ts'
import { createInstallation } from '../../src/resources/auth/create-installation.ts'
import { PERMISSIONS } from '../../src/resources/permissions/catalogue.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, readMetric, type ShopCaller, seedShop } from './seeded-shop.ts'

const run = promisify(execFile)
const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

const SECONDS = 4
const MAX_LAG = 2

let primary: PostgresServer
let standby: PostgresServer
let nodes: { base: string; writer: ShopCaller; reader: ShopCaller }[]
let product: string

beforeAll(async () => {
  primary = await startPostgres()
  const shop = await seedShop(primary.connection)
  product = shop.mug.id
  const other = await withUntimedDatabase(primary.connection, 'test', async ({ db }) => {
    const { client_id, client_secret } = await createApp(db, 'Reader')
    const { install_id } = await createInstallation(db, client_id, shop.store, PERMISSIONS)
    return { client_id, client_secret, install_id }
  })
  standby = await startPostgres({ standbyOf: primary.port })
  const settings = {
    DATABASE_URL: primary.url,
    DATABASE_REPLICA_URL: standby.url,
    READ_YOUR_WRITES_SECONDS: String(SECONDS),
    REPLICA_MAX_LAG_SECONDS: String(MAX_LAG),
    DATA_DIR: await temporaryFolder(),
    LOG_LEVEL: 'silent',
  }
  const servers = [startProcess(settings), startProcess(settings)]
  nodes = await Promise.all(
    servers.map(async (server) => {
      const base = await server.ready()
      return {
        base,
        writer: createShopCaller(base, await getToken(base, shop.credentials)),
        reader: createShopCaller(base, await getToken(base, other)),
      }
    }),
  )
})

const readsFrom = (at: number, target: string) => readMetric(nodes[at]?.base ?? '', 'database_reads_total', target)
const lag = (at: number) => readMetric(nodes[at]?.base ?? '', 'database_replica_lag_seconds')

/** Waits until the standby serves both nodes. */
const untilUsed = async () => {
  for (const at of [0, 1]) await expect.poll(() => lag(at)).toBeLessThan(1.5)
}

const emails = async (caller: ShopCaller | undefined) => {
  const answer = await caller?.get('/customer?page_size=100')
  expect(answer?.status).toBe(200)
  return answer?.body.data.customers.map(({ email }: { email: string }) => email) as string[]
}

test('lists, exports, snapshots and analytics are read from the standby, a single resource is not', async () => {
  const paths = ['/product', '/order', '/customer', '/order/export', '/snapshot', '/analytic/sales', '/analytic/stock']
  for (const path of paths) {
    await untilUsed()
    const before = await readsFrom(0, 'replica')
    expect((await nodes[0]?.reader.get(path))?.status, path).toBe(200)
    expect([path, await readsFrom(0, 'replica')]).toEqual([path, before + 1])
  }
  const before = [await readsFrom(0, 'replica'), await readsFrom(0, 'primary')]
  expect((await nodes[0]?.reader.get(`/product/${product}`))?.status).toBe(200)
  expect([await readsFrom(0, 'replica'), await readsFrom(0, 'primary')]).toEqual(before)
})

test('a writer sees its writes on every node; others may read from the standby, unless it lags too far behind', async () => {
  await untilUsed()
  await standby.query('select pg_wal_replay_pause()')
  const written = await nodes[0]?.writer.post('/customer', { email: 'new@example.com' })
  expect(written?.status).toBe(201)
  for (const { writer } of nodes) expect(await emails(writer)).toContain('new@example.com')
  // This one comes from the standby, which has not seen the write.
  expect(await emails(nodes[1]?.reader)).not.toContain('new@example.com')
  // The snapshot must not be older than its cursor.
  const snapshot = await nodes[1]?.reader.get('/snapshot')
  expect(snapshot?.text).toContain('new@example.com')

  await expect.poll(() => lag(1)).toBeGreaterThan(MAX_LAG)
  expect(await emails(nodes[1]?.reader)).toContain('new@example.com')
  await sleep(SECONDS * 1000)
  for (const { writer } of nodes) expect(await emails(writer)).toContain('new@example.com')

  await standby.query('select pg_wal_replay_resume()')
  await untilUsed()
  const before = await readsFrom(1, 'replica')
  expect(await emails(nodes[1]?.writer)).toContain('new@example.com')
  expect(await readsFrom(1, 'replica')).toBe(before + 1)
})

test('killing a standby during reads loses no reply, and it is used again when it is back', async () => {
  await untilUsed()
  const wrong: string[] = []
  let asked = 0
  let going = true
  const reading = Array.from({ length: 6 }, async (_, n) => {
    while (going) {
      asked++
      const answer = await nodes[n % 2]?.reader.get(n % 3 ? '/product' : '/order/export')
      if (answer?.status !== 200) wrong.push(`${answer?.status} ${answer?.text.slice(0, 200)}`)
    }
  })
  await sleep(500)
  await standby.kill()
  await sleep(1_500)
  await standby.start()
  await untilUsed()
  going = false
  await Promise.all(reading)
  expect([...new Set(wrong)]).toEqual([])
  const before = await readsFrom(0, 'replica')
  await emails(nodes[0]?.reader)
  expect(await readsFrom(0, 'replica')).toBe(before + 1)
  recordResult({ case: 'standby killed during reads', tried: asked, lost: wrong.length })
})

/** CPU time of the server and all its connections, in milliseconds. */
const cpuOf = async (server: PostgresServer) => {
  const times = server.processes().map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const [user = 0, system = 0] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return (user + system) * 10
  })
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0)
}

test('the doctor distinguishes a standby that keeps up, one that lags, and a server that is not a standby', async () => {
  const { PATH, HOME } = process.env
  const ask = async (url: string) => {
    const env = { PATH, HOME, DATABASE_URL: primary.url, DATABASE_REPLICA_URL: url, DATA_DIR: await temporaryFolder() }
    const { stdout } = await run(process.execPath, [CLI, 'doctor'], { env }).catch((error) => error)
    return /replica +(.*)/.exec(stdout)?.[1]
  }
  await untilUsed()
  expect(await ask(standby.url)).toContain('keeps up with the primary')
  expect(await ask(primary.url)).toContain('is not a standby')
  await standby.query('select pg_wal_replay_pause()')
  await nodes[0]?.writer.post('/customer', { email: 'doctor@example.com' })
  expect(await ask(standby.url)).toContain('s behind')
  await standby.query('select pg_wal_replay_resume()')
})

/** How many texts of products the primary has read. Its processes report that with a delay. */
const textsRead = async () => {
  const [row] = await primary.query(
    `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as texts from pg_stat_user_tables where relname = 'product_text'`,
  )
  return row.texts as number
}

test('reading from the standby relieves the primary', async () => {
  const LISTS = 300
  const measure = async (caller: ShopCaller | undefined) => {
    const before = await cpuOf(primary)
    // Each list is another one, and the store changes in between: nothing is remembered.
    for (let n = 0; n < LISTS; n++)
      await caller?.get(`/product?page_size=${1 + (n % 200)}&order_direction=${n < 200 ? 'ASC' : 'DESC'}&search=mug`)
    return ((await cpuOf(primary)) - before) / LISTS
  }
  await untilUsed()
  await sleep(2_000)
  const atFirst = await textsRead()
  const spared = await measure(nodes[0]?.reader)
  await sleep(2_000)
  const meanwhile = await textsRead()
  // A few, if the standby fell behind.
  expect(meanwhile - atFirst).toBeLessThan(LISTS / 2)
  await nodes[0]?.reader.post('/customer', { email: 'reader@example.com' })
  const renew = setInterval(() => void nodes[0]?.reader.post('/customer', {}), 1_000)
  const full = await measure(nodes[0]?.reader)
  clearInterval(renew)
  await expect.poll(textsRead).toBeGreaterThanOrEqual(meanwhile + LISTS)
  recordResult({
    case: 'lists read from a standby',
    tried: LISTS,
    lost: 0,
    note: `CPU of the primary per list: ${spared.toFixed(2)} ms, without a standby ${full.toFixed(2)} ms`,
  })
})
