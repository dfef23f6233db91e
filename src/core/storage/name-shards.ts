import { sql } from 'kysely'
import type { Db } from './database.ts'
import { withShortLocks } from './short-locks.ts'

/**
 * A store for each shard: the worker that has the shard runs what is called with it. A shard that one store was isolated in
 * has the rows of this store only. The others need not have any yet: some random id belongs there.
 */
const storesByShard = async (db: Db): Promise<string[]> => {
  const candidates = [
    sql`select id from store`,
    sql`select gen_random_uuid() as id from generate_series(1,
      40 * (select count(*) from pg_catalog.pg_dist_shard where logicalrelid = 'orders'::regclass))`,
  ]
  const chosen = new Map<string, string>()
  for (const candidate of candidates) {
    const { rows } = await sql<{ shard: string; store: string }>`
      select distinct on (1) get_shard_id_for_distribution_column('orders', id)::text as shard, id as store
      from (${candidate}) candidate`.execute(db)
    for (const { shard, store } of rows) if (!chosen.has(shard)) chosen.set(shard, store)
  }
  return [...chosen.values()]
}

/** The tables whose triggers do not name the shards yet, after the functions that do have been created. */
const unnamedTables = async (db: Db, store: string): Promise<string[]> => {
  const { rows } = await sql<{ tables: string[] | null }>`select own_trigger_functions(${store}) as tables`.execute(db)
  return rows[0]?.tables ?? []
}

/**
 * Lets the triggers of shards name these shards, where they do not: after `distribute`, and after a shard was moved or split.
 * Within a transaction at once; otherwise table by table, so that requests notice nothing.
 */
export const nameShards = async (db: Db) => {
  for (const store of await storesByShard(db)) {
    const tables = await unnamedTables(db, store)
    const name = (db: Db, tables: string[]) => sql`select use_own_triggers(${store}, ${tables}::text[])`.execute(db)
    if (db.isTransaction) await name(db, tables)
    else for (const table of tables) await withShortLocks(db, (db) => name(db, [table]))
  }
}
