import { sql } from 'kysely'
import type { Db } from '../storage/database.ts'
import { type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { CountedFilters } from './row-counts.ts'

const CACHE_MS = 60_000
const MAX_CACHED = 10_000

let cache = new Map<string, { most: boolean; seen: number }>()

/** Whether this store owns most rows of the table, by the planner's statistics. */
export const ownsMostRows = async (db: Db, kind: CountedFilters['kind'], store: StoreId): Promise<boolean> => {
  const key = `${kind} ${store}`
  const known = cache.get(key)
  if (known && performance.now() - known.seen < CACHE_MS) return known.most
  const { rows } = await sql<{ most: boolean }>`
    select c.reltuples > 0 and c.reltuples < 2 * (
      select coalesce(sum(t.delta), 0) from tally t where t.store_id = ${store} and t.kind = ${kind} and t.facet = ''
    ) as most from pg_class c where c.oid = to_regclass(${kind})`.execute(db)
  const most = rows[0]?.most ?? false
  if (cache.size >= MAX_CACHED) cache = new Map()
  cache.set(key, { most, seen: performance.now() })
  return most
}

/** The condition that a row belongs to the store, written so that no index is used for it. */
export const unindexed = (column: Sql, store: Sql) => sqlText`${column} is not distinct from ${store}`

/**
 * The condition that a row belongs to the store, for a search in a word index that all stores share. With a condition on
 * the store, the index scan reads the ids of all its rows. If the store owns most rows, it is faster to scan for the
 * words alone and filter out other stores' rows afterwards.
 */
export const storeCondition = async (
  db: Db,
  { bind }: Statement,
  column: Sql,
  store: StoreId,
  kind: CountedFilters['kind'],
): Promise<Sql> =>
  (await ownsMostRows(db, kind, store)) ? unindexed(column, bind(store)) : sqlText`${column} = ${bind(store)}`
