import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'

test.skipIf(isOnCitus)('statistics of every table let PostgreSQL expect large stores', async () => {
  const { db } = await startTestApi()
  const { rows } = await sql<{ table: string }>`
    select a.attrelid::regclass::text as "table" from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attname = 'store_id'
      and not coalesce('n_distinct=1' = any(a.attoptions), false)`.execute(db)
  expect(rows.map(({ table }) => table)).toEqual([])
})

test.skipIf(isOnCitus)('rows of a large store among small ones are looked up by their key', async () => {
  const { db, store } = await startTestApi()
  await sql`insert into store (name, domain, currency)
    select 'Small', 'small-' || n || '.example', 'TND' from generate_series(1, 300) n`.execute(db)
  await sql`insert into product (store_id, slug, title, title_key, words, title_words)
    select s.id, 'product-' || n, 'Product', 'product', '{}', '{}' from store s,
      generate_series(1, case when s.id = ${store.id} then 3000 else 3 end) n`.execute(db)
  await sql`insert into variant (store_id, product_id, title, price)
    select store_id, id, title, 1 from product`.execute(db)
  const plan = await db.connection().execute(async (db) => {
    await sql`analyze variant`.execute(db)
    await sql`set plan_cache_mode = force_generic_plan`.execute(db)
    await sql`prepare lookup (uuid, uuid[]) as select quantity from variant where store_id = $1 and id = any($2)`.execute(
      db,
    )
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain execute lookup (null, null)`.execute(db)
    await sql`deallocate lookup`.execute(db)
    await sql`reset plan_cache_mode`.execute(db)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  })
  expect(plan).toContain('variant_pkey')
})
