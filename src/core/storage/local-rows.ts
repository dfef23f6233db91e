import { sql } from 'kysely'
import type { Db } from './database.ts'
import { withShortLocks } from './short-locks.ts'

/** Tables of stores of which the coordinator still has the rows from before they were distributed. */
export const tablesWithLocalRows = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_catalog.pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and pg_relation_size(c.oid) > 0
    order by 1`.execute(db)
  return rows.map(({ name }) => name)
}

/**
 * Removes them: nothing reads them any more, and a removed store would leave its customers there. Each table is emptied
 * together with those that refer to it.
 */
export const removeLocalRows = async (db: Db) => {
  for (;;) {
    const [name] = await tablesWithLocalRows(db)
    if (!name) return
    await withShortLocks(db, (db) =>
      sql`select truncate_local_data_after_distributing_table(${name}::text::regclass)`.execute(db),
    )
  }
}
