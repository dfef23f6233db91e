import { sql } from 'kysely'
import { createExistenceCheck } from '../../core/reading/single-row.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { outcomeOf } from './signals.ts'

export const orderExists = createExistenceCheck('orders')

/** How many units of each line have not been returned, or refunded: those that none of these lines takes. */
export const unitsLeft = async (db: Tx, store: StoreId, order: string, taken: 'return_line' | 'refund_line') => {
  const { rows } = await sql<{ id: string; units: number }>`
    select l.id, l.quantity - coalesce((
      select sum(r.quantity) from ${sql.table(taken)} r where r.store_id = ${store} and r.order_line_id = l.id
    ), 0)::int as units
    from order_line l where l.store_id = ${store} and l.order_id = ${order}`.execute(db)
  return new Map(rows.map(({ id, units }) => [id, units]))
}

/** How many orders a phone number has in a store, and what became of them. */
export const countsOfPhone = async (db: Db, store: StoreId, phone: string) => {
  const found = await db
    .selectFrom('phone_count')
    .select(['placed as orders', 'delivered', 'returned', 'open'])
    .where('store_id', '=', store)
    .where('phone', '=', phone)
    .executeTakeFirst()
  return found ?? { orders: 0, delivered: 0, returned: 0, open: 0 }
}

const MAX_LATEST = 20

const LATEST = sqlText`select o.id, o.ref, o.status, ${outcomeOf(sqlText`o`)} as outcome, o.currency, o.total::float8 as total,
    iso(o.created_at) as created_at
  from orders o where o.store_id = $1 and o.phone_e164 = $2 and o.phone_e164 <> '?'
  order by o.created_at desc, o.id desc limit ${MAX_LATEST}`

/** The newest orders of a phone number. */
export const latestOfPhone = (db: Db, store: StoreId, phone: string) => runSql(db, LATEST, [store, phone])
