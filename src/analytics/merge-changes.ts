import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../storage/advisory-locks.ts'
import type { Db } from '../storage/database.ts'

const BATCH = 20_000

const mergeBatch = (db: Db) =>
  db.transaction().execute(async (db) => {
    const { rows } = await sql<{ merged: number }>`
      select case when pg_try_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.analytics)})
        then merge_analytic_changes(${sql.lit(BATCH)}) else 0 end as merged`.execute(db)
    return rows[0]?.merged ?? 0
  })

/** Adds the changes to the totals, batch after batch. Readers see each change in one of them, never in both. */
export const mergeAnalyticChanges = async (db: Db) => {
  while ((await mergeBatch(db)) === BATCH);
}
