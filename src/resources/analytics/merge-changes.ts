import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../../core/storage/advisory-locks.ts'
import type { Db } from '../../core/storage/database.ts'
import { isDistributed } from '../../core/storage/distributed.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

const BATCH = 20_000

/** Of one store in a distributed database, otherwise of any. */
const mergeBatch = (db: Db, store?: StoreId) =>
  db.transaction().execute(async (db) => {
    const { rows } = await sql<{ merged: number }>`
      select case when pg_try_advisory_xact_lock(${sql.lit(ADVISORY_LOCKS.analytics)})
        then ${store ? sql`merge_analytic_changes_of(${store}, ${sql.lit(BATCH)})` : sql`merge_analytic_changes(${sql.lit(BATCH)})`}
        else 0 end as merged`.execute(db)
    return rows[0]?.merged ?? 0
  })

const changedStores = async (db: Db) => {
  const { rows } = await sql<{ store_id: StoreId }>`select distinct store_id from analytic_change`.execute(db)
  return rows.map(({ store_id }) => store_id)
}

/** Adds the changes to the totals, batch after batch. Readers see each change in one of them, never in both. */
export const mergeAnalyticChanges = async (db: Db) => {
  for (const store of isDistributed() ? await changedStores(db) : [undefined])
    while ((await mergeBatch(db, store)) === BATCH);
}
