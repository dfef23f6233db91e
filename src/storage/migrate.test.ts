import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { isOnCitus } from '../../tests/support/citus.ts'
import { addProduct } from '../../tests/support/products.ts'
import { cloneDatabase, createEmptyDatabase } from '../../tests/support/test-database.ts'
import { picture, upload } from '../../tests/support/uploads.ts'
import { mergeAnalyticChanges } from '../analytics/merge-changes.ts'
import { migrateDatabase } from './connect.ts'
import { openDatabase } from './database.ts'
import { appliedMigrations, migrate, pendingMigrations, readMigrations, runMigration } from './migrate.ts'

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
  await sql`update schema_migration set checksum = 'edited' where version = 1`.execute(db)
  await expect(pendingMigrations(db)).rejects.toThrow('was edited after it was applied')
  await close()
})

test('migration numbers have no gaps, and a migration applied under an old number is renumbered', async () => {
  const known = await readMigrations()
  expect(known.map(({ version }) => version)).toEqual(known.map((_, index) => index + 1))
  const connection = await createEmptyDatabase()
  const { db, close } = openDatabase(connection, { pool: 2, prepare: false, name: 'test', untimed: true })
  await migrate(db, known.length - 1)
  // A database migrated before the files were renumbered: one number is now used by another file, one by none.
  await sql`update schema_migration set version = ${known.length} where version = ${known.length - 1}`.execute(db)
  await sql`update schema_migration set version = 500, name = 'old' where version = ${known.length - 2}`.execute(db)
  expect((await pendingMigrations(db)).map(({ name }) => name)).toEqual([known.at(-1)?.name])
  await migrate(db)
  expect(await appliedMigrations(db)).toEqual(known.map(({ version, name, checksum }) => ({ version, name, checksum })))
  await close()
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
    ...['account', 'app_member', 'audit_entry', 'one_time_link', 'saved_view', 'session'],
    'host_claim',
    'rate_window',
    'schema_migration',
  ]
  for (const { name, first } of rows.filter(({ name }) => !shared.includes(name)))
    expect(first, `primary key of ${name}`).toBe('store_id')
  expect(inject('template')).toMatch(/^storefront_test_/)
})

test('existing phone search values are converted to the current format', async ({ skip }) => {
  skip(isOnCitus, 'no release with this migration could be distributed')
  const api = await startTestApi()
  const caller = await api.as()
  const contact = { customer_first_name: 'Amel', customer_address: '12 Olive Street', customer_city: 'Tunis' }
  const { body } = await caller.post('/order', {
    ...contact,
    customer_last_name: 'Trabelsi',
    customer_phone: '+216 20 123 456',
    customer_email: 'amel@example.com',
    country_id: 'TN',
  })
  expect(body.data.order.customer_phone).toBe('+216 20 123 456')
  const texts = async () => {
    const { rows } = await sql<{ text: string }>`
      select text from order_search union all select search from customer union all select search from customer_text
    `.execute(api.db)
    return rows.map(({ text }) => text)
  }
  const written = await texts()
  expect(written).toHaveLength(3)
  await sql`update order_search set text = regexp_replace(text, E'\\t [^ ]+ [^ ]+ ', E'\\t 21620123456 \\t')`.execute(
    api.db,
  )
  await sql`update customer set search = regexp_replace(search, E'\\t .*$', E'\\t 21620123456 \\t')`.execute(api.db)
  expect(await texts()).not.toEqual(written)
  const migration = (await readMigrations()).find(({ name }) => name === '0010_phone_search')
  await api.db.transaction().execute((db) => sql.raw(migration?.text as string).execute(db))
  expect(await texts()).toEqual(written)
})

test('existing files become private, sold and counted according to their links', async ({ skip }) => {
  skip(isOnCitus, 'no release with this migration could be distributed')
  const api = await startTestApi()
  const caller = await api.as()
  const goods = await addProduct(api)
  const at = { fileable_type: 'variant', fileable_id: goods.variant }
  const shown = await upload(api, { file: await picture(), ...at })
  const sold = await upload(api, { file: await picture('gif'), ...at, role: 'digital_product' })
  const both = await upload(api, { file: await picture('webp'), fileable_type: 'product', fileable_id: goods.id })
  const link = { store_id: api.store.id, file_id: both.id, role: 'digital_product', product_id: goods.id }
  await api.db.insertInto('file_link').values(link).execute()
  const loose = await upload(api, { file: await picture('jpeg') })
  const reviewed = await Promise.all(
    ['published', 'hidden'].map(async (status, n) => {
      const file = await upload(api, { file: await picture('png', { colour: `#00000${n}` }) })
      const review = { product_id: goods.id, rating: 4, content: 'Good', reviewer_name: 'Amel', image_ids: [file.id] }
      await caller.post('/review', { ...review, status })
      return file
    }),
  )
  const facts = async () => {
    const columns = ['id', 'is_public', 'was_sold'] as const
    const rows = await api.db.selectFrom('file').select(columns).where('store_id', '=', api.store.id).execute()
    const kept = await api.db
      .selectFrom('tally')
      .select('delta')
      .where('store_id', '=', api.store.id)
      .where('kind', '=', 'blob')
      .execute()
    return {
      files: Object.fromEntries(rows.map(({ id, is_public, was_sold }) => [id, [is_public, was_sold]])),
      bytes: kept.reduce((sum, { delta }) => sum + delta, 0),
    }
  }
  const before = await facts()
  const files = [shown, sold, both, loose, ...reviewed]
  expect(before.files).toEqual({
    [shown.id]: [true, false],
    [sold.id]: [false, true],
    [both.id]: [false, true],
    [loose.id]: [false, false],
    [reviewed[0].id]: [true, false],
    [reviewed[1].id]: [false, false],
  })
  expect(before.bytes).toBe(files.reduce((sum, { size }) => sum + size, 0))

  for (const made of [
    'note_review_status',
    'tally_blob',
    'note_links',
    'is_shown_publicly',
    'is_sold',
    'is_public_type',
  ])
    await sql`drop function ${sql.ref(made)} cascade`.execute(api.db)
  await sql`alter table file drop column is_public, drop column was_sold`.execute(api.db)
  await sql`delete from tally where kind = 'blob'`.execute(api.db)
  const migration = (await readMigrations()).find(({ name }) => name === '0015_private_files')
  await api.db.transaction().execute((db) => sql.raw(migration?.text as string).execute(db))
  expect(await facts()).toEqual(before)
})

test('existing files, reviews and order updates are counted in the new counters', async ({ skip }) => {
  skip(isOnCitus, 'no release with this migration could be distributed')
  const api = await startTestApi()
  const caller = await api.as()
  const goods = await addProduct(api)
  await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: goods.id })
  await upload(api, { file: await picture('gif') })
  await caller.post('/review', { product_id: goods.id, rating: 4, content: 'Good', reviewer_name: 'Amel' })
  await caller.post('/order', {})
  const queries = ['file?fileable_type=product', 'file?mime_type=image/*', 'file?mime_type=image/gif']
  const totals = () =>
    Promise.all(
      [...queries, 'review?rating=4', 'order?updated_from=2020-01-01'].map(
        async (query) => (await caller.get(`/${query}`)).body.data.pagination.total,
      ),
    )
  expect(await totals()).toEqual([1, 2, 1, 1, 1])
  await sql`drop function note_owners cascade`.execute(api.db)
  await sql`drop function kinds_of_owners`.execute(api.db)
  await sql`alter table file drop column owner_kinds`.execute(api.db)
  await sql`delete from tally where facet similar to '(updated|rating|mime_type|fileable_type)=%'`.execute(api.db)
  // The triggers were others when this migration was applied.
  const { rows: counters } = await sql<{ text: string }>`
    select pg_get_functiondef(oid) as text from pg_proc where proname like 'tally\\_%'`.execute(api.db)
  await sql`alter table file disable trigger tally_update`.execute(api.db)
  const migration = (await readMigrations()).find(({ name }) => name === '0011_files_by_owner')
  await api.db.transaction().execute((db) => sql.raw(migration?.text as string).execute(db))
  for (const { text } of counters) await sql.raw(text).execute(api.db)
  await sql`alter table file enable trigger tally_update`.execute(api.db)
  expect(await totals()).toEqual([1, 2, 1, 1, 1])
  await upload(api, { file: await picture('webp'), fileable_type: 'product', fileable_id: goods.id })
  expect(await totals()).toEqual([2, 3, 1, 1, 1])
})

test('existing orders are found by date', async ({ skip }) => {
  skip(isOnCitus, 'no release with this migration could be distributed')
  const api = await startTestApi()
  const caller = await api.as()
  for (const [customer_first_name, created_at] of [
    ['Newer', '2021-01-01'],
    ['Older', '2020-01-01'],
  ])
    await caller.post('/order', { customer_first_name, customer_last_name: 'Before', created_at })
  await sql`alter table order_search drop column created_at`.execute(api.db)
  await sql`
    alter table order_search add constraint order_search_store_id_order_id_fkey
      foreign key (store_id, order_id) references orders on delete cascade`.execute(api.db)
  const migration = (await readMigrations()).find(({ name }) => name === '0012_order_search_by_date')
  await api.db.transaction().execute((db) => sql.raw(migration?.text as string).execute(db))
  const { orders } = (await caller.get('/order?search=before&page_size=1')).body.data
  expect(orders).toMatchObject([{ customer_first_name: 'Newer' }])
})

test('existing sums of what products sold are moved and added up', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const goods = await addProduct(api, { price: 12.5, quantity: 100 })
  const order = (created_at: string) =>
    caller.post('/order', { created_at, status: 'paid', variants: [{ variant_id: goods.variant, quantity: 2 }] })
  for (const day of ['2024-12-31', '2025-02-14', '2025-02-20', '2025-11-30']) await order(day)
  const ranked = async (query: string) => (await caller.get(`/analytic/products?${query}`)).body.data.products
  // Paid today.
  const shown = async () => {
    const rows = await Promise.all(
      ['from=2024-01-01&to=2024-12-31', 'from=2025-01-01&to=2025-12-31', 'from=2024-01-01&interval=month'].map(ranked),
    )
    return rows.flat().map(({ ordered_units, units, gross }) => [ordered_units, units, gross])
  }
  await mergeAnalyticChanges(api.db)
  const sold = [
    [2, 0, 0],
    [6, 0, 0],
    [8, 8, 100],
  ]
  expect(await shown()).toEqual(sold)
  // As it was before.
  await sql`insert into analytic_total (store_id, kind, key, currency, span, at, ordered_units, units, gross)
    select store_id, 'product', key, currency, '1M', at, ordered_units, units, gross
    from product_sales where span = '1M'`.execute(api.db)
  await sql`drop table product_sales`.execute(api.db)
  await order('2025-12-01')
  const migration = (await readMigrations()).find(({ name }) => name === '0039_product_sales')
  await api.db.transaction().execute((db) => runMigration(db, migration?.text as string))
  const more = [
    [2, 0, 0],
    [8, 0, 0],
    [10, 10, 125],
  ]
  expect(await shown()).toEqual(more)
  await mergeAnalyticChanges(api.db)
  expect(await shown()).toEqual(more)
})
