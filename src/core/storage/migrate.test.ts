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
  await sql`update schema_migration set checksum = 'edited' where version = 49`.execute(db)
  await expect(pendingMigrations(db)).rejects.toThrow('was edited after it was applied')
  await close()
})

/** A database of the last build with 48 migrations: those migrations one after the other, and their ledger. */
const createDatabaseOf48 = async () => {
  const connection = await createEmptyDatabase()
  const script = gunzipSync(await readFile(new URL('../../../tests/support/schema-0048.sql.gz', import.meta.url)))
  const client = new pg.Client(connection)
  await client.connect()
  await client.query(script.toString())
  return { client, connection }
}

const CATALOGUE = `
  select 'column' as kind, c.relname || '.' || a.attname as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    a.attnotnull, a.attgenerated, a.attstorage, a.attcompression,
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
  order by 1, 2, 3`

test('a database of the last build before the schema is migrated, and equals a new one', async ({ skip }) => {
  skip(isOnCitus, 'a clone there is distributed')
  const { client, connection } = await createDatabaseOf48()
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

test.skipIf(isOnCitus)('orders of an older database are counted by the combination of their states', async () => {
  const { client, connection } = await createDatabaseOf48()
  await client.query(`with store as (insert into store (name, domain, currency) values ('Old', 'old.example', 'TND') returning id)
    insert into orders (store_id, ref, currency, status, delivery_statuses, created_at, updated_at)
    select id, ref, 'TND', status, '{shipped,delivered}', '2026-03-02', '2026-03-03' from store,
      (values ('A', 'paid'), ('B', 'paid'), ('C', 'pending')) o (ref, status)`)
  await migrateDatabase(connection)
  await client.query(`update orders set status = 'paid', updated_at = '2026-03-03' where ref = 'C'`)
  const { rows } = await client.query(`select facet, sum(delta)::int as total from tally where kind = 'orders'
    group by facet having sum(delta) <> 0 order by facet`)
  const states = '&status=paid&is_cancelled=false&is_archived=false&delivery_status=shipped&delivery_status=delivered&'
  const facets = ['', states, `day=2026-03-02${states}`, 'updated=2026-03-03']
  expect(rows).toEqual(facets.map((facet) => ({ facet, total: 3 })))
  await client.end()
})

test('a database that ends before the last of those migrations, or has another text of one, is refused', async ({
  skip,
}) => {
  skip(isOnCitus, 'no release with fewer migrations could be distributed')
  const { client, connection } = await createDatabaseOf48()
  await client.query(`update schema_migration set checksum = 'edited' where version = 7`)
  await expect(migrateDatabase(connection)).rejects.toThrow('up to 0048_statements_on_shards were edited')
  await client.query('delete from schema_migration where version = 48')
  await expect(migrateDatabase(connection)).rejects.toThrow(
    'ends with migration 0047_unused_indexes. First upgrade it with the build that ends with migration 0048.',
  )
  expect((await client.query('select 1 from schema_migration')).rowCount).toBe(47)
  await client.end()
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

test.skipIf(isOnCitus)('what was granted to an address that nobody has proven becomes an invitation', async () => {
  const { client, connection } = await createDatabaseOf48()
  await client.end()
  const { db, close } = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  await sql`with store as (insert into store (name, domain, currency) values ('A', 'a.example', 'TND'), ('B', 'b.example',
      'TND') returning id),
    app as (insert into app (name, client_id, secret_hash) values ('App', 'app_x', sha256('x')) returning id),
    account as (insert into account (email, email_key, password, is_operator) values ('Proven@x.example',
      'proven@x.example', 'hash', true), ('New@x.example', 'new@x.example', null, true) returning id, password),
    link as (insert into one_time_link (kind, code_hash, account_id, expires_at)
      select 'invite', sha256('code'), id, now() + interval '1 day' from account where password is null),
    developer as (insert into app_member (app_id, account_id) select app.id, account.id from app, account)
    insert into membership (store_id, account_id, role, permissions)
      select store.id, account.id, 'staff', '{order:view}' from store, account`.execute(db)
  await sql`insert into account (email, email_key, disabled_at, is_operator)
    values ('gone@x.example', 'gone@x.example', now(), true)`.execute(db)
  await migrate(db)
  const left = await sql<{ email: string; stores: number; apps: number }>`select a.email,
    (select count(*)::int from membership m where m.account_id = a.id) as stores,
    (select count(*)::int from app_member m where m.account_id = a.id) as apps from account a`.execute(db)
  expect(left.rows, 'only proven accounts are left, with their roles').toEqual([
    { email: 'Proven@x.example', stores: 2, apps: 1 },
  ])
  const offered = await sql<object>`select email, role, permissions, (select name from store s where s.id = store_id) as
    store, app_id is not null as app from invitation order by role, store`.execute(db)
  const invited = { email: 'New@x.example', permissions: [], store: null, app: false }
  expect(offered.rows).toEqual([
    { ...invited, role: 'developer', app: true },
    { ...invited, role: 'operator' },
    { ...invited, role: 'staff', permissions: ['order:view'], store: 'A' },
    { ...invited, role: 'staff', permissions: ['order:view'], store: 'B' },
  ])
  expect((await sql`select 1 from one_time_link`.execute(db)).rows, 'no link of before works').toEqual([])
  await close()
})
