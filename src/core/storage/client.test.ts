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

/** How often the only connection waits for PostgreSQL during the work: what is sent before an answer arrives is one trip. */
const roundTripsOf = async (work: () => Promise<unknown>) => {
  const client = await database.pool.connect()
  const stream = client.connection.stream as Socket
  client.release()
  const sent = ['_write', '_writev'].map((name) => vi.spyOn(stream, name as '_write'))
  let trips = 0
  let before = 0
  const answered = () => {
    const writes = sent.reduce((sum, spy) => sum + spy.mock.calls.length, 0)
    if (writes > before) trips++
    before = writes
  }
  stream.on('data', answered)
  try {
    await work()
    return trips
  } finally {
    stream.off('data', answered)
    for (const spy of sent) spy.mockRestore()
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
  expect(await roundTripsOf(setting)).toBe(2)
  const { rows } = await sql<{ value: string }>`select current_setting('lock_timeout') as value`.execute(db)
  expect(rows[0]?.value).toBe('0')
})

test('a transaction without a statement is not sent', async () => {
  expect(await roundTripsOf(() => database.db.transaction().execute(async () => undefined))).toBe(0)
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

test('the statements that a connection keeps prepared are bounded, in PostgreSQL and in pg', async () => {
  const client = await database.pool.connect()
  try {
    for (let n = 0; n < 60; n++) await client.query(`select /* ${n} ${'x'.repeat(20_000)} */ $1::int as found`, [n])
    const first = `select /* 0 ${'x'.repeat(20_000)} */ $1::int as found`
    expect((await client.query(first, [7])).rows).toEqual([{ found: 7 }])
    const { rows } = await client.query('select name from pg_prepared_statements order by name')
    expect(rows.length).toBeLessThan(25)
    // Without a public way to forget a statement, this reads the fields that client.ts clears.
    const { parsedStatements, submittedNamedStatements } = client.connection as unknown as Record<string, object>
    expect(Object.keys({ ...parsedStatements, ...submittedNamedStatements }).sort()).toEqual(
      rows.map(({ name }) => name),
    )
  } finally {
    client.release()
  }
})
