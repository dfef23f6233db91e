import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { analyzeGrownTables } from './analyze-tables.ts'

test('a table that has grown gets statistics at once', async ({ skip }) => {
  skip(isOnCitus, 'the rows are on the workers, where autovacuum analyzes them')
  const { db, store } = await startTestApi()
  const rows = async () => {
    const found = await sql<{ rows: number }>`
      select reltuples::int as rows from pg_class where oid = 'category'::regclass`.execute(db)
    return found.rows[0]?.rows
  }
  await db.connection().execute(async (db) => {
    await sql`insert into category (store_id, name, name_key)
      select ${store.id}, 'c' || n, 'c' || n from generate_series(1, 300) n`.execute(db)
    // Otherwise the counters follow within a second.
    await sql`select pg_stat_force_next_flush()`.execute(db)
  })
  await analyzeGrownTables(db)
  expect(await rows()).toBeGreaterThanOrEqual(300)
})
