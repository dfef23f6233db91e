import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import type { Merge } from './desk-schema.ts'
import { recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { checkOrderSize } from './order-size.ts'
import { keepOrderTexts } from './text.ts'
import { announceLines, lockForLines, packLines, reasonAgainst, renewTotals } from './unshipped-order.ts'
import { updateOrder } from './update-order.ts'

const MAX_LINES = 500

/** Locks what the lines refer to against deletion: variants before their product, as who deletes it does. */
const lockSold = async (db: Tx, store: StoreId, order: string) => {
  await sql`select 1 from variant v where v.store_id = ${store} and v.id in (
    select l.variant_id from order_line l where l.store_id = ${store} and l.order_id = ${order}) order by v.id for key share of v`.execute(
    db,
  )
  await sql`select 1 from product p where p.store_id = ${store} and p.id in (
    select l.product_id from order_line l where l.store_id = ${store} and l.order_id = ${order}) order by p.id for key share of p`.execute(
    db,
  )
}

/** The lines of the other order, with the units that they have taken from stock: these now belong to the first. */
const moveLines = async (db: Tx, store: StoreId, from: string, to: string) => {
  const { rows } = await sql<{ id: string; quantity: number; is_digital: boolean }>`
    insert into order_line (store_id, id, order_id, position, product_id, variant_id, quantity, price, sku, title,
      is_digital, options, stock_taken)
    select l.store_id, new_id(), ${to}::uuid, coalesce((
        select max(o.position) + 1 from order_line o where o.store_id = ${store} and o.order_id = ${to}), 0) + l.position,
      l.product_id, l.variant_id, l.quantity, l.price, l.sku, l.title, l.is_digital, l.options, l.stock_taken
    from order_line l where l.store_id = ${store} and l.order_id = ${from}
    order by l.position, l.id
    returning id, quantity, is_digital`.execute(db)
  await sql`update order_line set stock_taken = 0 where store_id = ${store} and order_id = ${from}`.execute(db)
  return rows
}

const countLines = async (db: Tx, store: StoreId, orders: readonly string[]) => {
  const { rows } = await sql<{ lines: number }>`select count(*)::int as lines from order_line
    where store_id = ${store} and order_id = any(${orders}::uuid[])`.execute(db)
  return rows[0]?.lines ?? 0
}

/**
 * Adds the lines of another order to this one and cancels the other. The stock does not change: the units that the other
 * order has taken are taken by this one. Charges and discounts of the other order are dropped.
 */
export const mergeOrders = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  { order_id }: Merge,
): Promise<Written> => {
  const errors = new ValidationErrors()
  if (id === order_id) errors.add('order_id', 'must be another order')
  errors.throwIfAny()
  const found = await lockForLines(db, store, [id, order_id])
  const [kept, merged] = [found.get(id), found.get(order_id)]
  if (!kept) throw notFound('order')
  if (!merged) errors.add('order_id', 'must be an order of this store')
  errors.throwIfAny()
  if (!merged) throw notFound('order')
  const against = await reasonAgainst(db, store, kept)
  if (against) errors.add('id', `cannot be changed: ${against}`)
  const againstOther = await reasonAgainst(db, store, merged)
  if (againstOther) errors.add('order_id', `cannot be merged: ${againstOther}`)
  if (merged.status !== 'pending' || kept.status !== 'pending')
    errors.add('order_id', 'cannot be merged: both orders must be pending, because a paid total must not change')
  if (merged.currency !== kept.currency) errors.add('order_id', `must be in ${kept.currency}, as this order is`)
  if ((await countLines(db, store, [id, order_id])) > MAX_LINES)
    errors.add('order_id', `cannot be merged: the order would have more than ${MAX_LINES} lines`)
  errors.throwIfAny()
  await lockSold(db, store, order_id)
  const lines = await moveLines(db, store, order_id, id)
  await packLines(db, store, id, lines)
  await renewTotals(db, store, kept)
  await announceLines(db, store, id)
  const context = { store, order: id, app }
  await recordChange(db, context, { subject: 'variants', subject_id: order_id, from_state: null, to_state: 'merged' })
  await checkOrderSize(db, context)
  await updateOrder(db, store, app, order_id, { is_cancelled: true })
  await keepOrderTexts(db, store, [order_id])
  return { order: id }
}
