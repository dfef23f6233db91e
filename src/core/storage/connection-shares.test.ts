import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'

/** Statements of requests that read or write the table, and run or wait for a lock. */
const running = async (api: TestApi, table: string) => {
  const { rows } = await sql<{ count: number }>`select count(*) from pg_stat_activity
    where datname = current_database() and application_name = 'storefront server' and state = 'active'
      and query like ${`%${table}%`}`.execute(api.db)
  return rows[0]?.count
}

const untilRunning = (api: TestApi, table: string, count: number) => expect.poll(() => running(api, table)).toBe(count)

/** Reads of a locked table take as long as the test needs. */
const lock = async (api: TestApi, table: string) => {
  const client = new pg.Client(api.connection)
  await client.connect()
  await client.query('begin')
  await client.query(`lock table ${table} in access exclusive mode`)
  client.on('error', () => {})
  return () => client.end()
}

const sender = async (api: TestApi) => {
  const app = await api.install(['landing_page:view', 'customer:create'])
  const token = await api.getToken(app, { install_id: app.install_id })
  return (path: string, more: RequestInit = {}) =>
    fetch(`${api.origin}/api/apps/v1${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...more,
    })
}

test('slow lists of one store do not delay other stores, and are cancelled when nobody waits for them', async ({
  skip,
}) => {
  skip(isOnCitus, 'the statements that run are counted by their tables, which only workers see')
  const api = await startTestApi()
  const other = await startTestApi()
  const theirs = await other.as()
  const controller = new AbortController()
  const send = await sender(api)
  const slow = () => send('/landing-page', { signal: controller.signal })
  const unlock = await lock(api, 'landing_page')
  try {
    const replies = Array.from({ length: 20 }, () => slow().catch((error: Error) => error.name))
    // Half of the pool of six.
    await untilRunning(api, 'landing_page', 3)
    const quick = await Promise.all(Array.from({ length: 20 }, () => theirs.get('/shipping-carrier')))
    expect(quick.filter(({ status }) => status !== 200).map(({ text }) => text)).toEqual([])
    expect(await running(api, 'landing_page')).toBe(3)
    controller.abort()
    expect(new Set(await Promise.all(replies))).toEqual(new Set(['AbortError']))
    await untilRunning(api, 'landing_page', 0)
  } finally {
    await unlock()
  }
  expect((await theirs.get('/shipping-carrier')).status).toBe(200)
})

test('queued requests of a busy store are answered in turn', async ({ skip }) => {
  skip(isOnCitus, 'the statements that run are counted by their tables, which only workers see')
  const api = await startTestApi()
  const send = await sender(api)
  const unlock = await lock(api, 'landing_page')
  const replies = Array.from({ length: 12 }, () => send('/landing-page'))
  await untilRunning(api, 'landing_page', 3)
  await unlock()
  expect((await Promise.all(replies)).map(({ status }) => status)).toEqual(replies.map(() => 200))
})

test('a write continues when its client disconnects', async () => {
  const api = await startTestApi()
  const send = await sender(api)
  const controller = new AbortController()
  const unlock = await lock(api, 'customer')
  const body = JSON.stringify({ email: 'left@example.com' })
  const sent = send('/customer', { method: 'POST', body, signal: controller.signal }).catch(
    (error: Error) => error.name,
  )
  await untilRunning(api, 'customer', 1)
  controller.abort()
  expect(await sent).toBe('AbortError')
  // A read would have been cancelled by now.
  await sleep(600)
  await unlock()
  const found = () => api.db.selectFrom('customer').select('email').where('store_id', '=', api.store.id).execute()
  await expect.poll(found).toEqual([{ email: 'left@example.com' }])
})
