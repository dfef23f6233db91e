import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import { checkLines, unitsText } from './check-lines.ts'
import type { NewReturn } from './fulfilment-schema.ts'
import { lockOrder, type OrderContext, recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { checkOrderSize } from './order-size.ts'
import { unitsLeft } from './queries.ts'
import { holdsStock } from './rules.ts'
import type { OrderStatus } from './schema.ts'
import { restockReturn } from './stock.ts'

const returnedUnits = ({ variants }: NewReturn) =>
  variants.map(({ order_variant_id, quantity, restock = false }) => ({
    order_variant_id,
    quantity,
    restock,
  }))

/** The lines as arrays, for statements that take them all at once. */
const columns = ({ variants }: NewReturn) => ({
  ids: variants.map(({ order_variant_id }) => order_variant_id),
  quantities: variants.map(({ quantity }) => quantity),
  reasons: variants.map(({ reason }) => reason || null),
  restocks: variants.map(({ restock }) => restock ?? false),
})

/** Whether units go back to stock only when their return is received. */
const restocksOnReceipt = async (db: Tx, store: StoreId) => {
  const { rows } = await sql<{ later: boolean }>`
    select (order_desk->'restock_on_receipt')::boolean as later from store where id = ${store}`.execute(db)
  return rows[0]?.later ?? false
}

/** Creates the return delivery. A return of digital lines has none. */
const addDelivery = async (db: Tx, { store, order }: OrderContext, given: NewReturn) => {
  const { ids, quantities } = columns(given)
  const { rows: sent } = await sql<{ id: string; quantity: number }>`
    select l.id, a.quantity from unnest(${ids}::uuid[], ${quantities}::int[]) a (line, quantity)
    join order_line l on l.store_id = ${store} and l.id = a.line where not l.is_digital`.execute(db)
  if (sent.length === 0) return null
  const delivery_id = newId()
  await db
    .insertInto('delivery')
    .values({ store_id: store, id: delivery_id, order_id: order, is_return: true })
    .execute()
  await db
    .insertInto('delivery_line')
    .values(
      sent.map(({ id, quantity }) => ({ store_id: store, order_id: order, delivery_id, order_line_id: id, quantity })),
    )
    .execute()
  return delivery_id
}

const addReturn = async (
  db: Tx,
  { store, order }: OrderContext,
  given: NewReturn,
  { delivery_id, parcel_id, later }: { delivery_id: string | null; parcel_id: string | null; later: boolean },
): Promise<string> => {
  const id = newId()
  const { ids, quantities, reasons, restocks } = columns(given)
  await db
    .insertInto('order_return')
    .values({ store_id: store, id, order_id: order, reason: given.reason || null, delivery_id, parcel_id })
    .execute()
  await sql`
    insert into return_line (store_id, order_id, return_id, order_line_id, quantity, reason, restock, awaits_receipt)
    select ${store}::uuid, ${order}::uuid, ${id}::uuid, a.*, a.restock and ${later}::boolean from
      unnest(${ids}::uuid[], ${quantities}::int[], ${reasons}::text[], ${restocks}::boolean[]) a (
        line, quantity, reason, restock)`.execute(db)
  return id
}

/** Returns units of an order: of one of its parcels, or of any. */
export const returnOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: string,
  given: NewReturn,
  parcel_id: string | null = null,
): Promise<Written> => {
  const found = await lockOrder(db, store, order)
  if (!found) throw notFound('order')
  const errors = new ValidationErrors()
  checkLines(given.variants, await unitsLeft(db, store, order, 'return_line'), errors, (left) =>
    left === 0
      ? 'must not be more than was ordered: all units have been returned'
      : `must not be more than was ordered: ${unitsText(left)} left to return`,
  )
  errors.throwIfAny()
  const context = { store, order, app }
  const delivery_id = await addDelivery(db, context, given)
  // What is not sent back arrives at once.
  const restocks = given.variants.some(({ restock }) => restock)
  const later = restocks && delivery_id !== null && (await restocksOnReceipt(db, store))
  const counts = holdsStock({ ...found, status: found.status as OrderStatus })
  if (!later) await restockReturn(db, store, { id: order, counts }, returnedUnits(given))
  const id = await addReturn(db, context, given, { delivery_id, parcel_id, later })
  const event = { subject: 'return', subject_id: id, from_state: null, to_state: 'unfulfilled' } as const
  await recordChange(db, context, delivery_id ? event : undefined)
  await checkOrderSize(db, context)
  return { order, part: id }
}
