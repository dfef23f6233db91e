import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { findBrokenFiles, findResources, findViolations } from './invariants.ts'
import { hasPatroni, onNode, startCluster } from './patroni.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type Shop, seedShop } from './seeded-shop.ts'
import { createWrites, type Write } from './writes.ts'

const KILLS = 3
const AT_ONCE = 3
const MAX_OUTAGE_MS = 30_000

const startNode = async (name: string, shop: Shop, settings: Record<string, string>) => {
  const server = startProcess({ DATABASE_POOL: '6', LOG_LEVEL: 'silent', DEMO: 'false', ...settings })
  const base = await server.ready()
  const caller = createShopCaller(base, await getToken(base, shop.credentials))
  const writes = createWrites(shop)
  const seen = { refused: 0, wrong: [] as string[], longestMs: 0, notReady: new Set<string>() }
  let going = true

  /** Sends the write with its key until it is acknowledged. */
  const insist = async (write: Write) => {
    let since: number | undefined
    while (!write.acknowledged) {
      const { status, text, headers } = await write.send(caller)
      write.acknowledged = status === 200 || status === 201
      if (write.acknowledged) break
      since ??= performance.now()
      seen.refused++
      if (status !== 503 || !headers.get('retry-after'))
        seen.wrong.push(`${write.key}: ${status} ${text.slice(0, 200)}`)
      if (performance.now() - since > 2 * MAX_OUTAGE_MS) throw new Error(`${write.key} is refused for ever: ${text}`)
      await sleep(100)
    }
    if (since) seen.longestMs = Math.max(seen.longestMs, performance.now() - since)
  }
  const writing = Array.from({ length: AT_ONCE }, async () => {
    while (going) await insist(await writes.next())
  })
  const watching = (async () => {
    while (going) {
      const reply = await fetch(base.replace('/api/apps/v1', '/readyz'))
      if (reply.status !== 200) seen.notReady.add(`${reply.status} ${((await reply.json()) as { code: string }).code}`)
      await sleep(200)
    }
  })()
  const running = Promise.all([...writing, watching])
  // Checked after the work is done.
  running.catch(() => {})
  return {
    name,
    server,
    base,
    caller,
    seen,
    all: writes.all,
    done: () => writes.all.filter(({ acknowledged }) => acknowledged).length,
    finish: async () => {
      going = false
      await running
    },
  }
}

test.skipIf(!hasPatroni || !hasPgbouncer)(
  'the primary is killed three times under load: nothing is lost or doubled, with a list of hosts and behind pgbouncer',
  async () => {
    const cluster = await startCluster()
    const shop = await seedShop(cluster.connection)
    const DATA_DIR = await temporaryFolder()
    const pooler = await startPgbouncer(cluster.port)
    const services = [
      await startNode('list of hosts', shop, { DATABASE_URL: cluster.url, DATA_DIR }),
      await startNode('pgbouncer', shop, { DATABASE_URL: pooler.url, DATABASE_PREPARE: 'false', DATA_DIR }),
    ]
    for (let round = 0; round < KILLS; round++) {
      await cluster.untilWhole()
      await sleep(1_000)
      const before = services.map((service) => service.done())
      const killed = await cluster.primary()
      await killed.kill()
      // Requests in flight may still be answered, so many more than those must be.
      for (const [at, service] of services.entries())
        await expect
          .poll(service.done, { timeout: 2 * MAX_OUTAGE_MS, message: await cluster.logs() })
          .toBeGreaterThan((before[at] as number) + 3 * AT_ONCE)
      killed.start()
    }
    await cluster.untilWhole()
    for (const service of services) await service.finish()

    const { port } = await cluster.primary()
    await onNode(port, async (db) => {
      const { rows } = await db.query(`select from pg_stat_activity where application_name = 'storefront listener'`)
      expect(rows.length).toBe(1)
      const found = await findResources(db)
      const violations = await findViolations(db)
      const broken = await findBrokenFiles(db, DATA_DIR)
      for (const { name, all, seen } of services) {
        const missing = all.filter(({ key }) => !found.has(key)).map(({ key }) => key)
        const doubled = all.filter(({ key }) => (found.get(key)?.times ?? 0) > 1).map(({ key }) => key)
        const halves = all.filter(({ key }) => found.get(key)?.whole === false).map(({ key }) => key)
        expect({ name, missing, doubled, halves, violations, broken, wrong: seen.wrong }).toEqual({
          name,
          missing: [],
          doubled: [],
          halves: [],
          violations: [],
          broken: [],
          wrong: [],
        })
        expect(seen.longestMs).toBeLessThan(MAX_OUTAGE_MS)
        expect(new Set(all.map(({ kind }) => kind)).size).toBe(5)
        recordResult({
          case: `primary killed ${KILLS} times, ${name}`,
          tried: all.length,
          lost: missing.length + doubled.length,
          note: `${seen.refused} told unavailable, longest refusal ${(seen.longestMs / 1000).toFixed(1)} s`,
        })
      }
      // A pooler may hold requests back instead of refusing them.
      expect([...(services[0]?.seen.notReady ?? [])]).toEqual(['503 unavailable'])
      await db.query('update installation set permissions = $1', [['product:view']])
    })
    await sleep(1_200)
    for (const { caller } of services) expect((await caller.get('/order')).status).toBe(403)
    for (const { server } of services) expect(await server.stop()).toBe(0)
  },
)

test('a commit that no synchronous standby has confirmed is not acknowledged', async () => {
  const postgres = await startPostgres({ settings: { max_connections: '40' } })
  const shop = await seedShop(postgres.connection)
  const server = startProcess({ DATABASE_URL: postgres.url, DATA_DIR: await temporaryFolder(), LOG_LEVEL: 'silent' })
  const base = await server.ready()
  const caller = createShopCaller(base, await getToken(base, shop.credentials))
  const write = (name: string) =>
    caller.post('/customer', { email: `${name}@example.com` }, { 'idempotency-key': name })
  expect((await write('confirmed')).status).toBe(201)
  const setStandby = async (name: string) => {
    await postgres.query(`alter system set synchronous_standby_names = '${name}'`)
    await postgres.query('select pg_reload_conf()')
    await sleep(300)
  }
  await setStandby('nobody')
  const { status, body } = await write('alone')
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
  await setStandby('')
  expect((await write('alone')).status).toBe(201)
  expect((await postgres.query(`select from customer where email = 'alone@example.com'`)).length).toBe(1)
  expect(await server.stop()).toBe(0)
  recordResult({ case: 'commit without its synchronous standby', tried: 1, lost: 0 })
})
