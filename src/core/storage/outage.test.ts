import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processTree } from '../../../tests/support/process-tree.ts'
import { readConfig } from '../../config/config.ts'
import { createApp } from '../../resources/auth/create-app.ts'
import { createInstallation } from '../../resources/auth/create-installation.ts'
import { createStore } from '../../resources/stores/create-store.ts'
import { startHttpServer } from '../../server/http-server.ts'
import { migrateDatabase, withUntimedDatabase } from './connect.ts'
import { DATABASE_LIMITS } from './database-watchdog.ts'
import { type Engine, openEngine } from './embedded/engine.ts'
import type { StoreId } from './store-id.ts'

// A separate PostgreSQL, because these tests stop, freeze and kill it.
let folder: string
let engine: Engine
let server: Awaited<ReturnType<typeof startHttpServer>>
let store: StoreId
let headers: Record<string, string>

const postmaster = async () => Number.parseInt(await readFile(path.join(folder, 'postgres/postmaster.pid'), 'utf8'), 10)

/** Freezes PostgreSQL during the work. */
const whileFrozen = async (work: () => Promise<void>) => {
  const frozen = processTree(await postmaster())
  for (const pid of frozen) process.kill(pid, 'SIGSTOP')
  try {
    await work()
  } finally {
    for (const pid of frozen) process.kill(pid, 'SIGCONT')
  }
}

const ask = async (url = '/api/apps/v1/shipping-carrier') => {
  const reply = await fetch(`http://127.0.0.1:${server.port}${url}`, { headers })
  const body = (await reply.json()) as { code?: string }
  return {
    status: reply.status,
    code: body.code,
    retryAfter: reply.headers.get('retry-after'),
  }
}

const untilServed = async () => {
  for (let attempt = 0; attempt < 60; attempt++) {
    if ((await ask()).status === 200) return true
    await sleep(250)
  }
  return false
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'storefront-away-'))
  engine = await openEngine(folder, { kind: 'server', address: 'test' })
  await migrateDatabase(engine.connection)
  server = await startHttpServer(readConfig({ PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: folder }), engine.connection)
  const app = await withUntimedDatabase(engine.connection, 'test', async ({ db }) => {
    store = (await createStore(db, { name: 'Away' })).id
    const app = await createApp(db, 'App')
    return { ...app, ...(await createInstallation(db, app.client_id, store, ['product:view'])) }
  })
  const reply = await fetch(`http://127.0.0.1:${server.port}/api/apps/v1/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(app),
  })
  headers = { authorization: `Bearer ${((await reply.json()) as { data: { token: string } }).data.token}` }
})

afterAll(async () => {
  await server.close()
  await engine.close()
  await rm(folder, { recursive: true, force: true })
})

test('requests are answered with 503 while the database is frozen, and the service recovers', async () => {
  expect((await ask()).status).toBe(200)
  await whileFrozen(async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => ask()))
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 503, code: 'unavailable' })
      expect(reply.retryAfter).not.toBeNull()
    }
    expect((await ask('/readyz')).status).toBe(503)
    expect((await ask('/healthz')).status).toBe(200)
  })
  expect(await untilServed()).toBe(true)
})

test('a service that was paused does not take the database for unavailable', async () => {
  const [locker, watcher] = [new pg.Client(engine.connection), new pg.Client(engine.connection)]
  await Promise.all([locker.connect(), watcher.connect()])
  await locker.query('begin; lock table shipping_carrier')
  const reply = ask()
  // Not asked by the locker: a transaction sees the same activity all the time.
  const waiting = () => watcher.query("select from pg_stat_activity where wait_event_type = 'Lock'")
  await expect.poll(async () => (await waiting()).rowCount).toBe(1)
  // As on a suspended machine, nothing of this process runs meanwhile.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DATABASE_LIMITS.unavailableAfterMs + 500)
  await sleep(300)
  await locker.query('rollback')
  await Promise.all([locker.end(), watcher.end()])
  expect((await reply).status).toBe(200)
})

test('a stream ends cleanly while the database is frozen, so that its reader comes back', async () => {
  const stream = await fetch(`http://127.0.0.1:${server.port}/api/apps/v1/event`, {
    headers: { ...headers, accept: 'text/event-stream' },
  })
  expect(stream.status).toBe(200)
  await whileFrozen(async () => {
    server.services.hub.wrote(store)
    // Whoever is cut off sees an error instead of an end.
    expect(await stream.text()).toContain(': the service is unavailable')
  })
  expect(await untilServed()).toBe(true)
})

test('a killed database causes at most 503, and comes back by itself', async () => {
  process.kill(await postmaster(), 'SIGKILL')
  await sleep(50)
  expect([200, 503]).toContain((await ask()).status)
  expect(await untilServed()).toBe(true)
})

test('a revocation while the listener is disconnected takes effect', async () => {
  expect((await ask()).status).toBe(200)
  const admin = new pg.Client(engine.connection)
  await admin.connect()
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'storefront listener'`,
  )
  await admin.query('update installation set permissions = $1', [[]])
  await admin.query('delete from installation')
  await admin.end()
  await expect.poll(() => ask()).toMatchObject({ status: 403, code: 'install_not_granted' })
})
