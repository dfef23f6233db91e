import { sql } from 'kysely'
import { mergeRowCounts } from '../../src/core/reading/row-counts.ts'
import type { Db } from '../../src/core/storage/database.ts'
import { mergeAnalyticChanges } from '../../src/resources/analytics/merge-changes.ts'

/**
 * Counters, caches and the log of calls, which a refused request may change; changes, which are numbered when somebody reads;
 * and when processes look for work.
 */
const NOT_CONTENT = [
  'rate_window',
  'call_tally',
  'permission_use',
  'schema_migration',
  'change',
  'event',
  'feed',
  'store_work',
]

/** A hash of every row of every table but those given. Equal fingerprints mean that nothing has changed. */
export const fingerprint = async (db: Db, except: readonly string[] = []): Promise<Record<string, string>> => {
  // Jobs add these up in the background, at any time.
  await mergeAnalyticChanges(db)
  await mergeRowCounts(db)
  const { rows: tables } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relkind = 'r' and not relispartition and relnamespace = 'public'::regnamespace order by relname`.execute(db)
  const kept = tables.filter(({ name }) => ![...NOT_CONTENT, ...except].includes(name))
  const parts = kept.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, (
      select count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), ''))
      from ${sql.table(name)} t) as rows`,
  )
  const { rows } = await sql<{ name: string; rows: string }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}
