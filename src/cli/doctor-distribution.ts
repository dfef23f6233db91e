import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import { newTables } from '../storage/distribute.ts'
import { isDistributed } from '../storage/distributed.ts'
import type { Finding } from './finding.ts'

/** Enough to see how stores are spread, without a look at all of them. */
const MAX_STORES = 10_000

const checkTables = async (db: Db): Promise<Finding> => {
  const missing = (await newTables(db)).map(({ name }) => name)
  return missing.length === 0
    ? { check: 'distribution', state: 'ok', found: 'All tables of stores are distributed.' }
    : {
        check: 'distribution',
        state: 'fault',
        found: `Not distributed: ${missing.join(', ')}.`,
        fix: 'Run the command distribute.',
      }
}

const checkSpread = async (db: Db): Promise<Finding> => {
  const { rows } = await sql<{ worker: string; stores: number }>`
    select p.nodename || ':' || p.nodeport as worker, count(s.shard)::int as stores
    from (select distinct nodename, nodeport from pg_dist_shard_placement
      where shardid in (select shardid from pg_dist_shard where logicalrelid = 'orders'::regclass)) p
    left join (
      select q.nodename, q.nodeport, d.shard from (
        select get_shard_id_for_distribution_column('orders', id) as shard from (
          select id from store limit ${sql.lit(MAX_STORES)}) chosen
      ) d join pg_dist_shard_placement q on q.shardid = d.shard
    ) s on s.nodename = p.nodename and s.nodeport = p.nodeport
    group by 1 order by 1`.execute(db)
  const found = rows.map(({ worker, stores }) => `${worker} has ${stores}`).join(', ')
  return { check: 'distribution', state: 'ok', found: `Stores by worker: ${found}.` }
}

/** For a database that Citus distributes. */
export const checkDistribution = async (db: Db): Promise<Finding[]> =>
  isDistributed() ? [await checkTables(db), await checkSpread(db)] : []
