import type { Db, Tx } from '../../core/storage/database.ts'
import { type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { LimitName } from './limit-names.ts'

const MONTH = sqlText`date_trunc('month', now() at time zone 'UTC')`

const sumOf = (kind: Sql, facet: Sql) => sqlText`select coalesce(sum(delta), 0)::bigint as used from tally
  where store_id = $1 and kind = ${kind} and facet = ${facet}`

const USE: Record<Exclude<LimitName, 'calls' | 'orders'>, Sql> = {
  products: sumOf(sqlText`'product'`, sqlText`''`),
  storage: sumOf(sqlText`'blob'`, sqlText`'bytes'`),
  // Those who are invited have a place already.
  people: sqlText`select (select count(*) from membership where store_id = $1)
    + (select count(*) from invitation where store_id = $1) as used`,
  apps: sqlText`select count(*) as used from installation i join app a on a.id = i.app_id
    where i.store_id = $1 and not a.built_in`,
  webhooks: sqlText`select count(*) as used from webhook where store_id = $1`,
}

const numberOf = async (db: Db, statement: Sql, store: StoreId): Promise<number | undefined> =>
  (await runSql<{ used: number }>(db, statement, [store]))[0]?.used

/** Orders are counted when they are placed, once the plan limits them; before that, by their dates. */
const ordersOfMonth = async (db: Db, store: StoreId) =>
  (await numberOf(db, sqlText`select used from order_use where store_id = $1 and month = ${MONTH}::date`, store)) ??
  (await numberOf(
    db,
    sqlText`select count(*) as used from orders where store_id = $1 and created_at >= ${MONTH} at time zone 'UTC'`,
    store,
  ))

/** How much of a limit the store uses. Calls are counted in windows of a minute, which nothing reads back. */
export const countUse = async (db: Db, store: StoreId, name: LimitName): Promise<number> => {
  if (name === 'calls') return 0
  return (name === 'orders' ? await ordersOfMonth(db, store) : await numberOf(db, USE[name], store)) ?? 0
}

/** Under the lock of the subscription. */
export const recordOrders = (db: Tx, store: StoreId, used: number) =>
  runSql(
    db,
    sqlText`insert into order_use (store_id, month, used) values ($1, ${MONTH}::date, $2)
      on conflict (store_id, month) do update set used = excluded.used`,
    [store, used],
  )

/** Those of a store whose plan does not limit them any more are not counted: what was counted before would be too little later. */
export const forgetOrders = (db: Db, store: StoreId) =>
  runSql(db, sqlText`delete from order_use where store_id = $1`, [store])
