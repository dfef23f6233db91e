import { sql } from 'kysely'
import type { Db } from './database.ts'

interface Machine {
  machine: string
  shards: number
}

/** The machines that have the rows of stores, with the number of their shards; none if they are not distributed. */
export const machinesOfStores = async (db: Db): Promise<Machine[]> => {
  const { rows: citus } = await sql`select 1 where to_regclass('pg_catalog.pg_dist_shard') is not null`.execute(db)
  if (citus.length === 0) return []
  const { rows } = await sql<Machine>`select p.nodename || ':' || p.nodeport as machine, count(*)::int as shards
    from pg_dist_shard_placement p join pg_dist_shard s on s.shardid = p.shardid
    where s.logicalrelid = 'orders'::regclass group by 1 order by 1`.execute(db)
  return rows
}
