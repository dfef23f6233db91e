import { sql } from 'kysely'
import type { Db } from './database.ts'

/** Fewer rows are read quickly with any plan. */
const MIN_ROWS = 100

/**
 * Collects statistics of tables that have doubled since they were last analyzed. Autovacuum takes up to a minute to do so,
 * and until then PostgreSQL may read all rows of a store through the wrong index.
 */
export const analyzeGrownTables = async (db: Db) => {
  const { rows } = await sql<{ table: string }>`
    select relid::regclass::text as "table" from pg_stat_user_tables
    where n_mod_since_analyze > ${MIN_ROWS} and n_mod_since_analyze >= n_live_tup / 2`.execute(db)
  for (const { table } of rows) await sql`analyze (skip_locked) ${sql.raw(table)}`.execute(db)
}
