import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { returnOrder } from '../orders/return-order.ts'
import { updateDelivery } from '../orders/update-delivery.ts'
import type { FoundParcel } from './queries.ts'

/** The units of a line may be in several parcels. */
const UNITS = sqlText`
  select h.order_line_id as id, least(h.quantity - b.of_parcel, l.quantity - b.units)::int as units
  from delivery_line h join order_line l on l.store_id = $1 and l.id = h.order_line_id
  cross join lateral (
    select coalesce(sum(r.quantity), 0) as units, coalesce(sum(r.quantity) filter (where t.parcel_id = $2), 0) as of_parcel
    from return_line r join order_return t on t.store_id = $1 and t.id = r.return_id
    where r.store_id = $1 and r.order_line_id = l.id
  ) b
  where h.store_id = $1 and h.delivery_id = $2 order by l.position, l.id`

const WAYS_BACK = sqlText`
  select b.id, b.status from order_return t join delivery b on b.store_id = $1 and b.id = t.delivery_id
  where t.store_id = $1 and t.order_id = $2 and b.status <> 'cancelled' and (t.parcel_id is null or t.parcel_id = $3) and t.id in (
    select r.return_id from return_line r where r.store_id = $1 and r.order_line_id in (
      select h.order_line_id from delivery_line h where h.store_id = $1 and h.delivery_id = $3))
  order by b.id`

const waysBack = (db: Tx, store: StoreId, { id, order_id }: FoundParcel) =>
  runSql<{ id: string; status: string }>(db, WAYS_BACK, [store, order_id, id])

/** A return of what is in the parcel and has not been returned yet. */
const returnRest = async (db: Tx, store: StoreId, app: AppRecord, parcel: FoundParcel, restock: boolean) => {
  const lines = await runSql<{ id: string; units: number }>(db, UNITS, [store, parcel.id])
  const variants = lines
    .filter(({ units }) => units > 0)
    .map(({ id, units }) => ({ order_variant_id: id, quantity: units, restock }))
  if (variants.length > 0) await returnOrder(db, store, app, parcel.order_id, { variants }, parcel.id)
}

/** Everything in a parcel goes back to the store, or has come back. What was known before changes nothing. */
export const sendBack = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  parcel: FoundParcel,
  { isReceived, restock }: { isReceived: boolean; restock: boolean },
) => {
  // Whatever comes back was sent: the stock depends on it.
  if (parcel.status === 'unfulfilled' || parcel.status === 'fulfilled')
    await updateDelivery(db, store, app, parcel.id, { status: 'shipped' })
  await returnRest(db, store, app, parcel, restock)
  const ways = await waysBack(db, store, parcel)
  if (ways.length === 0) throw invalid({ result: ['cannot be recorded: the return of its items was cancelled'] })
  for (const { id, status } of ways) {
    if (status === 'delivered' || (!isReceived && status === 'shipped')) continue
    await updateDelivery(db, store, app, id, { status: isReceived ? 'delivered' : 'shipped' })
  }
}
