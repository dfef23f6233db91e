import { sql } from 'kysely'
import type { Db } from './database.ts'
import { withShortLocks } from './short-locks.ts'

const MAX_DRAWS = 5

/** Ids of no store, with the shards that they would belong to. */
const drawIds = async (db: Db, count: number) =>
  (
    await sql<{ shard: string; store: string }>`
      select distinct on (1) get_shard_id_for_distribution_column('orders', id)::text as shard, id as store
      from (select gen_random_uuid() as id from generate_series(1, ${count})) drawn`.execute(db)
  ).rows

/**
 * A store for each shard: the worker that has the shard runs what is called with it. Where no store is yet, an id stands for
 * those to come. For a narrow shard, such as one that had an isolated store only which is gone, there may be none.
 */
const storesByShard = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ shard: string; store: string | null }>`
    select distinct on (s.shardid) s.shardid::text as shard, c.id as store from pg_catalog.pg_dist_shard s
    left join (select id, get_shard_id_for_distribution_column('orders', id) as shard from store) c on c.shard = s.shardid
    where s.logicalrelid = 'orders'::regclass order by s.shardid`.execute(db)
  const chosen = new Map(rows.map(({ shard, store }) => [shard, store]))
  const isMissing = () => [...chosen.values()].includes(null)
  for (let draw = 0; draw < MAX_DRAWS && isMissing(); draw++)
    for (const { shard, store } of await drawIds(db, 40 * rows.length)) chosen.set(shard, chosen.get(shard) ?? store)
  return [...chosen.values()].filter((store) => store !== null)
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
