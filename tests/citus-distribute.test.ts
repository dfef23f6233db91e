import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { withUntimedDatabase } from '../src/core/storage/connect.ts'
import { distribute } from '../src/core/storage/distribute.ts'
import { migrate, readMigrations } from '../src/core/storage/migrate.ts'
import { seedShop } from './resilience/seeded-shop.ts'
import { addCitus, createWithoutCitus, dropCitusDatabase, isOnCitus } from './support/citus.ts'
import { addCleanup } from './support/cleanup.ts'
import { inDatabase } from './support/global-setup.ts'
import { createEmptyDatabase } from './support/test-database.ts'

const SHARDS = 2

/** The number of rows of every table. */
const countRows = async (client: pg.Client) => {
  const { rows } = await client.query(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows) counts[name] = (await client.query(`select from ${name}`)).rowCount ?? 0
  return counts
}

const tablesOfCitus = async (client: pg.Client) => (await client.query('select from pg_dist_partition')).rowCount

const open = async (connection: pg.ClientConfig) => {
  const client = new pg.Client(connection)
  client.on('error', () => {})
  await client.connect()
  addCleanup(() => client.end())
  return client
}

test.skipIf(!isOnCitus)(
  'a database with rows is distributed as it is, completely or not at all, and once',
  async () => {
    const connection = await createEmptyDatabase()
    await seedShop(connection)
    const client = await open(connection)
    await client.query('insert into feed (store_id, floor_n) select id, 1000 from store')
    const before = await countRows(client)
    expect([before.product, before.change, before.tally].every((rows) => (rows ?? 0) > 0)).toBe(true)

    const interrupted = withUntimedDatabase(connection, 'interrupted', ({ db }) => distribute(db, SHARDS)).catch(
      (error: Error) => error,
    )
    const interrupt = async () =>
      (
        await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'storefront interrupted' and query like '%create_distributed_table%'`)
      ).rowCount
    await expect.poll(interrupt, { interval: 20 }).toBe(1)
    expect(await interrupted).toBeInstanceOf(Error)
    expect(await tablesOfCitus(client)).toBe(0)
    expect(await countRows(client)).toEqual(before)

    await withUntimedDatabase(connection, 'test', async ({ db }) => {
      expect((await distribute(db, SHARDS)).length).toBeGreaterThan(50)
      expect(await distribute(db, SHARDS)).toEqual([])
    })
    expect(await countRows(client)).toEqual(before)
    // Another machine may number the next changes, and lower.
    expect((await client.query('select distinct floor_n from feed')).rows).toEqual([{ floor_n: 0 }])
  },
)

test.skipIf(!isOnCitus)('a database that has been used without Citus is distributed', async () => {
  const url = process.env.CITUS_URL as string
  const name = `plain_${randomBytes(4).toString('hex')}`
  await createWithoutCitus(url, name)
  addCleanup(() => dropCitusDatabase(url, name))
  const connection = inDatabase(inject('server'), name)
  await seedShop(connection)
  const client = await open(connection)
  const before = await countRows(client)
  await addCitus(url, name)
  await withUntimedDatabase(connection, 'test', async ({ db }) => {
    expect((await distribute(db, SHARDS)).length).toBeGreaterThan(50)
  })
  expect(await countRows(client)).toEqual(before)
})

test.skipIf(!isOnCitus)('migrations are applied to a database that is distributed already', async () => {
  const connection = await createEmptyDatabase()
  await withUntimedDatabase(connection, 'test', async ({ db }) => {
    await migrate(db)
    await distribute(db, SHARDS)
  })
  const client = await open(connection)
  const text = await readFile(new URL('./support/toy/migration.sql', import.meta.url), 'utf8')
  const known = await readMigrations()
  known.push({ version: 9999, name: '9999_toy', text, checksum: 'toy', isInSchema: false })
  await withUntimedDatabase(connection, 'test', async ({ db }) => {
    expect(await migrate(db)).toEqual(['9999_toy'])
    expect(await distribute(db, SHARDS)).toEqual([])
  }).finally(() => known.pop())
  const { rows } = await client.query(`select from pg_dist_partition where logicalrelid = 'discount'::regclass`)
  expect(rows).toHaveLength(1)
})
