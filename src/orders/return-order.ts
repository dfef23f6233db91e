import { sql } from 'kysely'
import { notFound, ValidationErrors } from '../errors.ts'
import type { AppRecord } from '../http/access.ts'
import type { Tx } from '../storage/database.ts'
import { newId } from '../storage/new-id.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { Written } from './answer.ts'
import { checkLines, unitsText } from './check-lines.ts'
import type { NewReturn } from './fulfilment-schema.ts'
import { lockOrder, type OrderContext, recordChange } from './order-changes.ts'
import { checkOrderSize } from './order-size.ts'
import { holdsStock } from './rules.ts'
import type { OrderStatus } from './schema.ts'
import { restockReturn } from './stock.ts'

/** Units of each line that have not been returned. */
const returnable = async (db: Tx, store: StoreId, order: string) => {
  const { rows } = await sql<{ id: string; units: number }>`
    select l.id, l.quantity - coalesce((
      select sum(r.quantity) from return_line r where r.store_id = ${store} and r.order_line_id = l.id
    ), 0)::int as units
    from order_line l where l.store_id = ${store} and l.order_id = ${order}`.execute(db)
  return new Map(rows.map(({ id, units }) => [id, units]))
}

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

/** Creates the return delivery. A return of digital lines has none. */
const addDelivery = async (db: Tx, { store, order }: OrderContext, given: NewReturn) => {
  const { ids, quantities } = columns(given)
  const { rows } = await sql<{ id: string }>`
    with sent as (
      select l.id, a.quantity from unnest(${ids}::uuid[], ${quantities}::int[]) a (line, quantity)
      join order_line l on l.store_id = ${store} and l.id = a.line where not l.is_digital
    ),
    made as (
      insert into delivery (store_id, order_id, is_return)
      select ${store}, ${order}, true where exists (select 1 from sent) returning id
    ),
    filled as (
      insert into delivery_line (store_id, order_id, delivery_id, order_line_id, quantity)
      select ${store}, ${order}, made.id, sent.id, sent.quantity from made, sent
    )
    select id from made`.execute(db)
  return rows[0]?.id ?? null
}

const addReturn = async (
  db: Tx,
  { store, order }: OrderContext,
  given: NewReturn,
  delivery_id: string | null,
): Promise<string> => {
  const id = newId()
  const { ids, quantities, reasons, restocks } = columns(given)
  await sql`
    with returned as (
      insert into order_return (store_id, id, order_id, reason, delivery_id)
      values (${store}, ${id}, ${order}, ${given.reason || null}, ${delivery_id})
    )
    insert into return_line (store_id, order_id, return_id, order_line_id, quantity, reason, restock)
    select ${store}::uuid, ${order}::uuid, ${id}::uuid, a.* from
      unnest(${ids}::uuid[], ${quantities}::int[], ${reasons}::text[], ${restocks}::boolean[]) a`.execute(db)
  return id
}

export const returnOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: string,
  given: NewReturn,
): Promise<Written> => {
  const found = await lockOrder(db, store, order)
  if (!found) throw notFound('order')
  const errors = new ValidationErrors()
  checkLines(given.variants, await returnable(db, store, order), errors, (left) =>
    left === 0
      ? 'must not be more than was ordered: all units have been returned'
      : `must not be more than was ordered: ${unitsText(left)} left to return`,
  )
  errors.throwIfAny()
  const context = { store, order, app }
  const delivery = await addDelivery(db, context, given)
  await restockReturn(
    db,
    store,
    { id: order, counts: holdsStock({ ...found, status: found.status as OrderStatus }) },
    returnedUnits(given),
  )
  const id = await addReturn(db, context, given, delivery)
  const event = { subject: 'return', subject_id: id, from_state: null, to_state: 'unfulfilled' } as const
  await recordChange(db, context, delivery ? event : undefined)
  await checkOrderSize(db, context)
  return { order, part: id }
}
