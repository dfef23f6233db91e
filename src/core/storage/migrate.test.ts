import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { cloneDatabase, createEmptyDatabase } from '../../../tests/support/test-database.ts'
import { migrateDatabase } from './connect.ts'
import { openDatabase } from './database.ts'
import { migrate, pendingMigrations, readMigrations } from './migrate.ts'

test('four nodes started at once on an empty database apply each migration once', async () => {
  const connection = await createEmptyDatabase()
  const applied = await Promise.all(Array.from({ length: 4 }, () => migrateDatabase(connection)))
  const names = (await readMigrations()).map(({ name }) => name)
  expect(applied.flat().sort()).toEqual(names)
  expect(await migrateDatabase(connection)).toEqual([])
})

test('a database ahead of this release is refused, and so is a migration that was edited', async () => {
  const connection = await cloneDatabase()
  const { db, close } = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  await sql`insert into schema_migration (version, name, checksum) values (9999, '9999_future', 'x')`.execute(db)
  await expect(migrate(db)).rejects.toThrow('9999_future, which this release does not know')
  await sql`delete from schema_migration where version = 9999`.execute(db)
  await sql`update schema_migration set checksum = 'edited' where version = 440`.execute(db)
  await expect(pendingMigrations(db)).rejects.toThrow('up to 0440_schema were edited')
  await close()
})

/** A database of the last build with those migrations that schema/ contains now, and with their ledger. */
const createDatabaseOf0440 = async () => {
  const connection = await createEmptyDatabase()
  const script = gunzipSync(await readFile(new URL('../../../tests/support/schema-0440.sql.gz', import.meta.url)))
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(script.toString())
  return { client, connection }
}

const CATALOGUE = `
  select 'column' as kind, c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    a.attnotnull, a.attgenerated, a.attstorage, a.attcompression, a.attstattarget,
    array(select o from unnest(a.attoptions) o where o not like 'pg\\_%'), a.attcollation::regcollation,
    pg_get_expr(d.adbin, d.adrelid), row_number() over (partition by c.oid order by a.attnum)) as definition
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')
  union all select 'relation', relname, concat_ws(' ', relkind, relpersistence, reloptions, relreplident)
  from pg_class where relnamespace = 'public'::regnamespace
  union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
  from pg_constraint where connamespace = 'public'::regnamespace
  union all select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid)
  from pg_index where indrelid::regclass::text !~ '^pg_'
  union all select 'trigger', tgrelid::regclass || '.' || tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
  union all select 'function', oid::regprocedure::text, pg_get_functiondef(oid)
  from pg_proc p where pronamespace = 'public'::regnamespace and prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all select 'view', viewname, definition from pg_views where schemaname = 'public'
  union all select 'country', id, country::text from country
  union all select 'app', client_id, name from app
  union all select 'setting', name, '' from setting
  union all select 'work', kind, store_id::text from store_work
  order by 1, 2, 3`

test('a database of the last build before this schema is taken as it is, and equals a new one', async ({ skip }) => {
  skip(isOnCitus, 'a clone there is distributed')
  const { client, connection } = await createDatabaseOf0440()
  await client.query(`insert into store (name, domain, currency) values ('Old shop', 'old.example', 'TND')`)
  const later = (await readMigrations()).slice(1).map(({ name }) => name)
  expect(await migrateDatabase(connection)).toEqual(later)
  expect(await migrateDatabase(connection)).toEqual([])
  expect((await client.query('select name from store')).rows).toEqual([{ name: 'Old shop' }])
  const fresh = new pg.Client(await cloneDatabase())
  await fresh.connect()
  const [adopted, made] = await Promise.all([client, fresh].map(async (each) => (await each.query(CATALOGUE)).rows))
  expect(made?.length).toBeGreaterThan(1500)
  expect(adopted).toEqual(made)
  await Promise.all([client.end(), fresh.end()])
})

test('a database that ends before the last of those migrations, or has another text of one, is refused', async ({
  skip,
}) => {
  skip(isOnCitus, 'no release with fewer migrations could be distributed')
  const { client, connection } = await createDatabaseOf0440()
  await client.query(`update schema_migration set checksum = 'edited' where version = 90`)
  await expect(migrateDatabase(connection)).rejects.toThrow('up to 0440_orders_look_up_less were edited')
  await client.query('delete from schema_migration where version = 440')
  await expect(migrateDatabase(connection)).rejects.toThrow(
    'ends with migration 0431_marked_tables. First upgrade it with the build that ends with migration 0440.',
  )
  await client.query('delete from schema_migration where version > 48')
  await expect(migrateDatabase(connection)).rejects.toThrow('ends with migration 0048_schema. First upgrade it')
  expect((await client.query('select 1 from schema_migration')).rowCount).toBe(1)
  await client.end()
})

test('a migration whose change is in schema/ too is recorded in a new database and applied to an older one', async ({
  skip,
}) => {
  skip(isOnCitus, 'the database of the last build is not distributed')
  const add = { version: 9998, name: '9998_added', checksum: 'added', isInSchema: false }
  const repeat = { version: 9999, name: '9999_repeated', checksum: 'repeated', isInSchema: true }
  const known = await readMigrations()
  const later = known.slice(1)
  const namesOf = (migrations: typeof later) => migrations.map(({ name }) => name)
  const recorded = namesOf(later.filter(({ isInSchema }) => isInSchema))
  const run = namesOf(later.filter(({ isInSchema }) => !isInSchema))
  known.push(
    { ...add, text: 'create table added (id integer)' },
    { ...repeat, text: 'create table repeated (id integer)' },
  )
  try {
    const { client, connection } = await createDatabaseOf0440()
    const fresh = await createEmptyDatabase()
    expect(await migrateDatabase(connection)).toEqual([...namesOf(later), '9998_added', '9999_repeated'])
    expect(await migrateDatabase(fresh)).toEqual(['0440_schema', ...recorded, '9999_repeated', ...run, '9998_added'])
    for (const [place, tables] of [
      [connection, ['added', 'repeated']],
      [fresh, ['added', null]],
    ] as const) {
      const database = new pg.Client(place)
      await database.connect()
      const { rows } = await database.query(`select to_regclass('added') as a, to_regclass('repeated') as b`)
      expect(rows.map(({ a, b }) => [a, b])).toEqual([tables])
      await database.end()
      expect(await migrateDatabase(place)).toEqual([])
    }
    await client.query(`update schema_migration set checksum = 'edited' where version = 9998`)
    await expect(migrateDatabase(connection)).rejects.toThrow('9998_added was edited after it was applied')
    await client.end()
  } finally {
    known.splice(-2)
  }
})

test('the migration files are read and hashed once, not per readiness check', async () => {
  expect(await readMigrations()).toBe(await readMigrations())
})

test('a failed migration is rolled back completely', async () => {
  const connection = await createEmptyDatabase()
  const { db, close } = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  await sql`create table country (id text)`.execute(db)
  await expect(migrate(db)).rejects.toThrow('already exists')
  const { rows } = await sql<{ store: string | null }>`select to_regclass('public.store') as store`.execute(db)
  expect(rows).toEqual([{ store: null }])
  await close()
})

test('the primary key of every resource table starts with the store', async () => {
  const connection = await cloneDatabase()
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query(`
    select c.relname as name, a.attname as first from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = k.conkey[1]
    where k.contype = 'p' and c.relnamespace = 'public'::regnamespace`)
  await client.end()
  const shared = [
    'setting',
    'country',
    'store',
    'app',
    'installation',
    ...['app_manifest', 'removed_installation', 'lifecycle_post', 'oauth_grant', 'oauth_code', 'oauth_refresh'],
    ...['plan', 'connected_assistant'],
    ...['account', 'app_member', 'audit_entry', 'invitation', 'one_time_link', 'saved_view', 'session'],
    ...['authenticator', 'recovery_code', 'passkey'],
    'host_claim',
    'rate_window',
    'schema_migration',
  ]
  for (const { name, first } of rows.filter(({ name }) => !shared.includes(name)))
    expect(first, `primary key of ${name}`).toBe('store_id')
  expect(inject('template')).toMatch(/^storefront_test_/)
})
