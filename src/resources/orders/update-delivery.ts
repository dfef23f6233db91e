import { sql } from 'kysely'
import type { AppRecord } from '../../core/http/access.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound, ValidationErrors } from '../../errors.ts'
import type { DeliveryChange } from './fulfilment-schema.ts'
import { lockOrder, recordChange } from './order-changes.ts'
import type { Written } from './order-reply.ts'
import { receiveReturn } from './receive-return.ts'

export const findDelivery = (db: Db, store: StoreId, id: string) =>
  db
    .selectFrom('delivery as d')
    .leftJoin('order_return as r', (join) =>
      join.onRef('r.store_id', '=', 'd.store_id').onRef('r.delivery_id', '=', 'd.id'),
    )
    .select(['d.order_id', 'd.status', 'd.tracking_number', 'd.carrier_id', 'r.id as return_id'])
    .where('d.store_id', '=', store)
    .where('d.id', '=', id)
    .executeTakeFirst()

type DeliveryRow = NonNullable<Awaited<ReturnType<typeof findDelivery>>>

/** Locks the carrier against deletion until the transaction ends. */
const findActiveCarrier = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('shipping_carrier')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('status', '=', 'active')
    .forKeyShare()
    .executeTakeFirst()

const carrierFor = async (db: Tx, store: StoreId, delivery: DeliveryRow, change: DeliveryChange) => {
  const errors = new ValidationErrors()
  const { shipping_carrier: carrierId } = change
  const numbered = change.tracking_number === undefined ? delivery.tracking_number : change.tracking_number
  if (!carrierId) {
    if (change.tracking_number) errors.add('shipping_carrier', 'is required when tracking_number is set')
    else if (carrierId !== undefined && numbered)
      errors.add('shipping_carrier', 'cannot be removed from a delivery with a tracking number')
    errors.throwIfAny()
    return undefined
  }
  const carrier = isUuid(carrierId) ? await findActiveCarrier(db, store, carrierId) : undefined
  if (!carrier) errors.add('shipping_carrier', 'must be the id of an active shipping carrier')
  errors.throwIfAny()
  return carrier
}

/** The delivery's columns after the change. */
const changed = async (db: Tx, store: StoreId, delivery: DeliveryRow, change: DeliveryChange) => {
  const carrier = await carrierFor(db, store, delivery, change)
  const { status, tracking_number, shipping_carrier } = change
  return {
    status: status ?? delivery.status,
    tracking_number: tracking_number === undefined ? delivery.tracking_number : tracking_number || null,
    carrier_id: shipping_carrier === undefined ? delivery.carrier_id : (carrier?.id ?? null),
  }
}

/** Any status can follow any other. Setting the current values adds no history entry. */
export const updateDelivery = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  id: string,
  change: DeliveryChange,
): Promise<Written> => {
  const { order_id: order } = (await findDelivery(db, store, id)) ?? {}
  const locked = order && (await lockOrder(db, store, order))
  if (!locked) throw notFound('delivery')
  const delivery = await findDelivery(db, store, id)
  if (!delivery) throw notFound('delivery')
  const next = await changed(db, store, delivery, change)
  const same = (['status', 'tracking_number', 'carrier_id'] as const).every((field) => next[field] === delivery[field])
  if (same) return { order, part: id }
  await db
    .updateTable('delivery')
    .set({ ...next, updated_at: sql`statement_timestamp()` })
    .where('store_id', '=', store)
    .where('id', '=', id)
    .execute()
  if (delivery.return_id && next.status === 'delivered') await receiveReturn(db, store, locked, delivery.return_id)
  const context = { store, order, app }
  const event = {
    subject: delivery.return_id ? 'return' : 'delivery',
    subject_id: delivery.return_id ?? id,
    from_state: delivery.status,
    to_state: next.status,
  } as const
  await recordChange(db, context, next.status === delivery.status ? undefined : event)
  return { order, part: id }
}
