import { hole } from '../../core/reading/holes.ts'
import { object, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import { cashOf, owesCash, stateOf } from './cash.ts'
import type { Parcel } from './schema.ts'
import type { ParcelState } from './states.ts'

interface ParcelRow {
  id: string
  order_id: string
  state: ParcelState
  tracking_number: string | null
  carrier_id: string | null
  cash_owed: number
  cash_received: number | null
  cash_received_at: string | null
  cash_reference: string | null
  updated_at: string
  order: { ref: string; name: string; phone: string; city: string; currency: string }
}

const D = sqlText`delivery`

const parcelText = ({ order, ...row }: ParcelRow) =>
  object<Parcel>({
    id: value(row.id),
    order_id: value(row.order_id),
    order_ref: value(order.ref),
    state: value(row.state),
    tracking_number: value(row.tracking_number),
    tracking_link: hole('tracking_link', row.tracking_number !== null && row.carrier_id !== null ? row.id : null),
    shipping_carrier: hole('shipping_carrier', row.carrier_id),
    customer_name: value(order.name),
    customer_phone: value(order.phone),
    customer_city: value(order.city),
    currency: value(order.currency),
    cash_owed: value(row.cash_owed),
    cash_received: value(row.cash_received),
    cash_received_at: value(row.cash_received_at),
    cash_reference: value(row.cash_reference),
    updated_at: value(row.updated_at),
  })

/** A delivery that a carrier has. Rendered on read: it changes with its order, its returns and its carrier. */
export const parcelKind = rowKind<unknown>({
  table: 'delivery',
  columns: (store) => sqlText`id, order_id, ${stateOf(D, store)} as state, tracking_number, carrier_id,
    case when ${owesCash(D, store)} then trim_scale(${cashOf(D, store)}) else 0 end as cash_owed,
    trim_scale(cash_received) as cash_received, iso(cash_received_at) as cash_received_at, cash_reference,
    iso(updated_at) as updated_at, (
      select json_build_object('ref', o.ref, 'name', btrim(o.customer_first_name || ' ' || o.customer_last_name),
        'phone', o.customer_phone, 'city', o.customer_city, 'currency', o.currency)
      from ${t.orders} o where o.store_id = ${store} and o.id = delivery.order_id) as "order"`,
  texts: (row: ParcelRow) => [[row.id, parcelText(row)]],
})
