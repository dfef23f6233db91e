import { sql } from 'kysely'
import { decimal, thousandths } from '../../core/input/money.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ValidationErrors } from '../../errors.ts'
import { checkTotals, orderTotals } from './rules.ts'
import type { OrderStatus } from './schema.ts'

/** What may be changed about an order only until a part of it is shipped, returned or refunded: its lines. */

interface Unshipped {
  id: string
  status: OrderStatus
  is_cancelled: boolean
  customer_id: string | null
  currency: string
  total: string
  bundle_name: string | null
  shipping_rate: string
  fee: string
  discount: string
  tip_type: string | null
  tip_value: string
  confirmation: string | null
}

/** Locks the orders, in the order of their ids. */
export const lockForLines = async (db: Tx, store: StoreId, ids: readonly string[]) => {
  const { rows } = await sql<Unshipped>`
    select id, status, is_cancelled, customer_id, currency, total::text as total, bundle_name,
      shipping_rate::text as shipping_rate, fee::text as fee, discount::text as discount, tip_type,
      tip_value::text as tip_value, confirmation
    from orders where store_id = ${store} and id = any(${ids}::uuid[]) order by id for no key update`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

interface Parts {
  moved: number
  returns: number
  refunds: number
}

/** Why the lines of an order cannot be changed, if so. */
export const reasonAgainst = async (db: Tx, store: StoreId, order: Unshipped): Promise<string | undefined> => {
  if (order.is_cancelled) return 'the order is cancelled'
  if (order.status === 'abandoned') return 'the order is abandoned'
  const { rows } = await sql<Parts>`
    select (select count(*) from delivery d where d.store_id = ${store} and d.order_id = ${order.id}
        and d.status <> 'unfulfilled')::int as moved,
      (select count(*) from order_return r where r.store_id = ${store} and r.order_id = ${order.id})::int as returns,
      (select count(*) from refund r where r.store_id = ${store} and r.order_id = ${order.id})::int as refunds`.execute(
    db,
  )
  const { moved, returns, refunds } = rows[0] as Parts
  if (moved > 0) return 'a delivery of the order is no longer unfulfilled'
  return returns > 0 ? 'the order has a return' : refunds > 0 ? 'the order has a refund' : undefined
}

/** The oldest delivery of the order; a new one if it has none. */
const ownDelivery = async (db: Tx, store: StoreId, order: string): Promise<string> => {
  const { rows } = await sql<{ id: string }>`select d.id from delivery d
    where d.store_id = ${store} and d.order_id = ${order} and not d.is_return order by d.created_at, d.id limit 1`.execute(
    db,
  )
  if (rows[0]) return rows[0].id
  const id = newId()
  await db.insertInto('delivery').values({ store_id: store, id, order_id: order }).execute()
  return id
}

interface PackedLine {
  id: string
  quantity: number
  is_digital: boolean
}

/** Puts those lines that are shipped into the delivery of the order. */
export const packLines = async (db: Tx, store: StoreId, order: string, lines: readonly PackedLine[]) => {
  const packed = lines.filter(({ is_digital }) => !is_digital)
  if (packed.length === 0) return
  const delivery_id = await ownDelivery(db, store, order)
  await db
    .insertInto('delivery_line')
    .values(
      packed.map(({ id, quantity }) => ({
        store_id: store,
        order_id: order,
        delivery_id,
        order_line_id: id,
        quantity,
      })),
    )
    .execute()
}

/** Added lines are not captured: orders have them from the start otherwise. */
export const announceLines = (db: Tx, store: StoreId, order: string) =>
  db
    .insertInto('change')
    .values({ store_id: store, kind: 'order', resource_id: order, op: 'u', changed: ['variants'] })
    .execute()

/** Computes the totals again from the lines that the order has now. Returns the order with its new total. */
export const renewTotals = async (db: Tx, store: StoreId, order: Unshipped): Promise<Unshipped> => {
  const { rows } = await sql<{ price: string; quantity: number }>`select price::text as price, quantity from order_line
    where store_id = ${store} and order_id = ${order.id}`.execute(db)
  const totals = orderTotals({
    lines: rows.map(({ price, quantity }) => ({ price: thousandths(price), quantity })),
    shipping_rate: Number(order.shipping_rate),
    fee: Number(order.fee),
    discount: Number(order.discount),
    tip_type: order.tip_type,
    tip_value: Number(order.tip_value),
  })
  const errors = new ValidationErrors()
  checkTotals(totals, errors)
  errors.throwIfAny()
  const { subtotal, tip, total, quantity } = totals
  await db
    .updateTable('orders')
    .set({
      subtotal: decimal(subtotal),
      tip: decimal(tip),
      total: decimal(total),
      quantity,
      updated_at: sql<string>`statement_timestamp()`,
    })
    .where('store_id', '=', store)
    .where('id', '=', order.id)
    .execute()
  return { ...order, total: decimal(total) }
}
