import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { hasPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { type PostgresServer, startPostgres } from './postgres-server.ts'
import { recordResult } from './results-table.ts'
import { createShopCaller, getToken, type Shop, seedShop } from './seeded-shop.ts'

let postgres: PostgresServer
let busy: Shop
let quiet: Shop

beforeAll(async () => {
  postgres = await startPostgres()
  busy = await seedShop(postgres.connection)
  quiet = await seedShop(postgres.connection)
  await postgres.query(
    `insert into orders (store_id, ref, currency, meta_data)
     select $1, 'R' || n, 'TND', jsonb_build_object('note', repeat('x', 150000)) from generate_series(1, 300) n`,
    [busy.store],
  )
})

const startServer = async (settings: Record<string, string> = {}) => {
  const server = startProcess({
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: postgres.url,
    LOG_LEVEL: 'silent',
    METRICS: 'off',
    ...settings,
  })
  const base = await server.ready()
  const token = await getToken(base, busy.credentials)
  return {
    server,
    base,
    token,
    caller: createShopCaller(base, token),
    other: createShopCaller(base, await getToken(base, quiet.credentials)),
  }
}

/** Statements that PostgreSQL still works on, other than those of this test. */
const running = async () =>
  (
    await postgres.query(`select count(*)::int as n from pg_stat_activity
      where state = 'active' and backend_type = 'client backend' and application_name <> 'watcher'`)
  )[0].n as number

const lockLandingPages = async () => {
  const client = new pg.Client({ ...postgres.connection, application_name: 'watcher' })
  await client.connect()
  await client.query('begin; lock table landing_page in access exclusive mode')
  return () => client.end()
}

/** Calls of another store, one after the other, until told to stop: how long each took. */
const watch = (caller: ReturnType<typeof createShopCaller>) => {
  const times: number[] = []
  let going = true
  const done = (async () => {
    while (going) {
      const { status, ms } = await caller.get('/product')
      expect(status).toBe(200)
      times.push(ms)
      await sleep(20)
    }
  })()
  return async () => {
    going = false
    await done
    return times.sort((a, b) => a - b)
  }
}

test.each([
  ['directly', {}],
  ['behind pgbouncer', { DATABASE_PREPARE: 'false' }],
])(
  'slow reads of one store, %s, end in PostgreSQL before their callers are told so, and delay no other',
  async (how, settings) => {
    const pooled = 'DATABASE_PREPARE' in settings
    const row = `slow reads of one store ${how}`
    if (pooled && !hasPgbouncer)
      return recordResult({ case: row, tried: 0, lost: 0, note: 'skipped: pgbouncer is not installed' })
    const { url } = pooled ? await startPgbouncer(postgres.port, { connections: 12 }) : postgres
    const { server, caller, other } = await startServer({ ...settings, DATABASE_URL: url })
    const unlock = await lockLandingPages()
    const stop = watch(other)
    const replies = await Promise.all(Array.from({ length: 5 }, () => caller.get('/landing-page')))
    for (const { status, body, headers, ms } of replies) {
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' })
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(ms).toBeLessThan(25_000)
    }
    await expect.poll(running, { timeout: 5_000 }).toBe(0)
    const times = await stop()
    await unlock()
    expect(times.length).toBeGreaterThan(50)
    expect(times.at(-1)).toBeLessThan(2_000)
    expect((await caller.get('/landing-page')).status).toBe(200)
    expect(await server.stop()).toBe(0)
    recordResult({
      case: row,
      tried: replies.length,
      lost: 0,
      note: `slowest call of another store ${Math.round(times.at(-1) ?? 0)} ms`,
    })
  },
)

test('callers who leave take their reads with them, also behind pgbouncer', async () => {
  if (!hasPgbouncer)
    return recordResult({ case: 'readers that leave', tried: 0, lost: 0, note: 'skipped: pgbouncer is not installed' })
  const { url } = await startPgbouncer(postgres.port)
  const { server, base, token, other } = await startServer({ DATABASE_PREPARE: 'false', DATABASE_URL: url })
  const unlock = await lockLandingPages()
  const controller = new AbortController()
  const calls = Array.from({ length: 30 }, () =>
    fetch(`${base}/landing-page`, { headers: { authorization: `Bearer ${token}` }, signal: controller.signal }).catch(
      () => 'left',
    ),
  )
  await expect.poll(running, { timeout: 5_000 }).toBe(5)
  controller.abort()
  await Promise.all(calls)
  await expect.poll(running, { timeout: 5_000 }).toBe(0)
  expect((await other.get('/product')).status).toBe(200)
  await unlock()
  expect(await server.stop()).toBe(0)
  recordResult({ case: 'readers that leave', tried: calls.length, lost: 0 })
})
