import { tryLock } from '../../core/storage/advisory-locks.ts'
import type { Db } from '../../core/storage/database.ts'
import { COMMA, identifier, identifiers, joinSql, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import type {} from './tables.ts'

const BATCH = 20_000

/** The columns of `analytic_total` that are added up, with their types. */
const SUMS = {
  orders: 'bigint',
  abandoned: 'bigint',
  cancelled: 'bigint',
  guests: 'bigint',
  first_orders: 'bigint',
  ordered_units: 'bigint',
  paid: 'bigint',
  units: 'bigint',
  gross: 'numeric',
  refunds: 'numeric',
  delivered: 'bigint',
  delivered_amount: 'numeric',
  unfulfilled: 'bigint',
  fulfilled: 'bigint',
  shipped: 'bigint',
  returns: 'bigint',
} as const
type Sum = keyof typeof SUMS

const OF_PRODUCT: readonly Sum[] = ['ordered_units', 'units', 'gross']

const sumOf = (name: Sum): Sql => sqlText`sum(c.times * (c.counts->>'${identifier(name)}')::${identifier(SUMS[name])})`

/** None instead of zero: rows are shorter. */
const added = (name: Sum): Sql => {
  const column = identifier(name)
  return sqlText`${column} = nullif(coalesce(o.${column}, 0) + coalesce(excluded.${column}, 0), 0)`
}

const list = (names: readonly Sum[], write: (name: Sum) => Sql) => joinSql(names.map(write), COMMA)

const ALL = Object.keys(SUMS) as Sum[]

/** Changes of a store that is gone are dropped. */
const REMAINS = sqlText`exists (select 1 from ${t.store} g where g.id = $1)`

const MERGE = sqlText`with taken as (
    delete from ${t.analytic_change} c where c.store_id = $1 and c.ctid = any(array(
      select n.ctid from ${t.analytic_change} n where n.store_id = $1 limit ${BATCH}))
    returning c.kind, c.key, c.currency, c.at, c.times, c.counts
  ),
  merged as (
    insert into ${t.analytic_total} as o (store_id, kind, key, currency, span, at, ${identifiers(ALL)})
    select $1::uuid, c.kind, c.key, c.currency, s, span_start(s, c.at), ${list(ALL, sumOf)}
    from taken c, unnest(analytic_spans(c.kind)) s
    where ${REMAINS}
    group by 2, 3, 4, 5, 6
    on conflict (store_id, kind, key, span, at, currency) do update set ${list(ALL, added)}
  ),
  sold as (
    insert into ${t.product_sales} as o (store_id, span, at, currency, key, ${identifiers(OF_PRODUCT)})
    select $1::uuid, s, span_start(s, c.at), c.currency, c.key, ${list(OF_PRODUCT, sumOf)}
    from taken c, unnest('{1M,3M,1Y}'::text[]) s
    where c.kind = 'product' and ${REMAINS}
    group by 2, 3, 4, 5
    on conflict (store_id, span, at, currency, key) do update set ${list(OF_PRODUCT, added)}
  )
  select count(*)::integer as merged from taken`

const STORES = sqlText`select distinct store_id from analytic_change`

/** One process at a time. Returns how many were merged. */
const mergeBatch = (db: Db, store: StoreId) =>
  db.transaction().execute(async (db) => {
    if (!(await tryLock(db, 'analytics'))) return 0
    return (await inStore<{ merged: number }>(db, store, MERGE, [store]))?.merged ?? 0
  })

/** Adds the changes to the totals, batch after batch. Readers see each change in one of them, never in both. */
export const mergeAnalyticChanges = async (db: Db) => {
  for (const { store_id } of await runSql<{ store_id: StoreId }>(db, STORES, []))
    while ((await mergeBatch(db, store_id)) === BATCH);
}
