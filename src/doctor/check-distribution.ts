import { sql } from 'kysely'
import type { Db } from '../core/storage/database.ts'
import { newTables } from '../core/storage/distribute.ts'
import { areNewShardsIdentified } from '../core/storage/identify-shards.ts'
import { tablesWithLocalRows } from '../core/storage/local-rows.ts'
import { machinesOfStores } from '../core/storage/machines.ts'
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

const checkLocalRows = async (db: Db): Promise<Finding> => {
  const tables = await tablesWithLocalRows(db)
  return tables.length === 0
    ? { check: 'distribution', state: 'ok', found: 'The coordinator keeps no rows of stores.' }
    : {
        check: 'distribution',
        state: 'fault',
        found: `The coordinator still has rows of stores from before they were distributed: ${tables.join(', ')}.`,
        fix: 'Run the command distribute, which removes them. The service may run meanwhile.',
      }
}

const checkSplits = async (db: Db): Promise<Finding> =>
  (await areNewShardsIdentified(db))
    ? { check: 'distribution', state: 'ok', found: 'Stores can be isolated while they are written to.' }
    : {
        check: 'distribution',
        state: 'note',
        found: 'To isolate a store that is being written to would never end.',
        fix: 'Run the command distribute with a superuser in DATABASE_URL.',
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

const MAX_SHOWN = 5

/** Maintenance reads all stores. A request that does so gets slower with every worker. */
const checkStatements = async (db: Db): Promise<Finding> => {
  const check = 'distribution'
  const { rows: tracking } = await sql<{ tracked: boolean }>`
    select to_regclass('pg_stat_statements') is not null
      and coalesce(current_setting('citus.stat_statements_track', true), 'none') = 'all' as tracked`.execute(db)
  if (!tracking[0]?.tracked)
    return {
      check,
      state: 'note',
      found: 'Statements that go to more than one shard are not recorded.',
      fix: `Create the extension pg_stat_statements and set citus.stat_statements_track = 'all'.`,
    }
  // Citus names no store for INSERT … SELECT, even if it goes to one shard.
  const { rows } = await sql<{ text: string; calls: number }>`
    select left(regexp_replace(min(s.query), '\\s+', ' ', 'g'), 100) as text, sum(s.calls)::int as calls
    from citus_stat_statements s
    where s.dbid = (select oid from pg_database where datname = current_database())
      and s.partition_key is null and s.query !~* '^\\s*(insert|explain|copy)\\M'
      and s.query ~ (select '\\m(' || string_agg(c.relname, '|') || ')\\M' from pg_dist_partition p
        join pg_class c on c.oid = p.logicalrelid where p.partmethod = 'h')
    group by s.queryid order by 2 desc`.execute(db)
  if (rows.length === 0) return { check, state: 'ok', found: 'No statement went to more than one shard.' }
  const shown = rows.slice(0, MAX_SHOWN).map(({ text, calls }) => `${calls} × ${text.trim()}`)
  const rest = rows.length > MAX_SHOWN ? [`and ${rows.length - MAX_SHOWN} others`] : []
  return { check, state: 'note', found: `Went to more than one shard: ${[...shown, ...rest].join('; ')}.` }
}

/** For a database that Citus distributes. */
export const checkDistribution = async (db: Db): Promise<Finding[]> =>
  (await machinesOfStores(db)).length > 0
    ? [
        await checkTables(db),
        await checkLocalRows(db),
        await checkSplits(db),
        await checkStatements(db),
        await checkSpread(db),
      ]
    : []
