import { sql } from 'kysely'
import { mergeAnalyticChanges } from '../../src/analytics/merge-changes.ts'
import { mergeRowCounts } from '../../src/reading/row-counts.ts'
import type { Db } from '../../src/storage/database.ts'

/** Counters and caches, which a refused request may change, and changes, which are numbered when somebody reads. */
const NOT_CONTENT = ['rate_window', 'schema_migration', 'change', 'event', 'feed']

/** A hash of every row of every table. Equal fingerprints mean that nothing has changed. */
export const fingerprint = async (db: Db): Promise<Record<string, string>> => {
  // Jobs add these up in the background, at any time.
  await mergeAnalyticChanges(db)
  await mergeRowCounts(db)
  const { rows: tables } = await sql<{ name: string }>`
    select relname::text as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace order by relname`.execute(db)
  const kept = tables.filter(({ name }) => !NOT_CONTENT.includes(name))
  const parts = kept.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, (
      select count(*) || ' ' || md5(coalesce(string_agg(md5(t::text), '' order by md5(t::text)), ''))
      from ${sql.table(name)} t) as rows`,
  )
  const { rows } = await sql<{ name: string; rows: string }>`${sql.join(parts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]))
}
