import type { Socket } from 'node:net'
import { sql } from 'kysely'
import { beforeAll, expect, test, vi } from 'vitest'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { cloneDatabase } from '../../../tests/support/test-database.ts'
import { type Database, openDatabase } from './database.ts'

let database: Database

beforeAll(async () => {
  database = openDatabase(await cloneDatabase(), { pool: 1, prepare: true, name: 'test' })
  addCleanup(() => database.close())
})

/** How often the only connection writes to its socket during the work. */
const writesOf = async (work: () => Promise<unknown>) => {
  const client = await database.pool.connect()
  const stream = client.connection.stream as Socket
  client.release()
  const spies = [vi.spyOn(stream, '_write'), vi.spyOn(stream, '_writev' as '_write')]
  try {
    await work()
    return spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

test('begin and settings are sent with the statement that follows', async () => {
  const { db } = database
  const setting = () =>
    db.transaction().execute(async (db) => {
      await sql`set local lock_timeout = '2s'`.execute(db)
      const { rows } = await sql<{ value: string }>`select current_setting('lock_timeout') as value`.execute(db)
      return rows[0]?.value
    })
  expect(await setting()).toBe('2s')
  // The statement, and commit.
  expect(await writesOf(setting)).toBe(2)
  const { rows } = await sql<{ value: string }>`select current_setting('lock_timeout') as value`.execute(db)
  expect(rows[0]?.value).toBe('0')
})

test('a transaction without a statement is not sent', async () => {
  expect(await writesOf(() => database.db.transaction().execute(async () => undefined))).toBe(0)
})

test('the first statement of a transaction is rolled back with the others', async () => {
  const { db } = database
  const work = db.transaction().execute(async (db) => {
    await sql`create table attempt (id integer)`.execute(db)
    throw new Error('changed my mind')
  })
  await expect(work).rejects.toThrow('changed my mind')
  const { rows } = await sql<{ found: string | null }>`select to_regclass('attempt')::text as found`.execute(db)
  expect(rows).toEqual([{ found: null }])
})

test('a refused setting fails the statement that follows, which has no effect', async () => {
  const { db } = database
  const work = db.transaction().execute(async (db) => {
    await sql`set local lock_timeout = 'soon'`.execute(db)
    await sql`create table attempt (id integer)`.execute(db)
  })
  await expect(work).rejects.toThrow('invalid value for parameter "lock_timeout"')
  const { rows } = await sql<{ found: string | null }>`select to_regclass('attempt')::text as found`.execute(db)
  expect(rows).toEqual([{ found: null }])
})
