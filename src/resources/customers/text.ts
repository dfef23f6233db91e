import { hole } from '../../core/reading/holes.ts'
import { type JsonText, object, quoted, value } from '../../core/reading/json-text.ts'
import { rowKind } from '../../core/reading/texts.ts'
import { sqlText, t } from '../../core/storage/sql.ts'
import type { Customer } from './schema.ts'

export interface CustomerRow {
  id: string
  name: string
  email: string
  phone: string | null
  address: string | null
  city: string | null
  postal_code: string | null
  country_id: string | null
  created_at: string
  updated_at: string
  order_count: number
  amount_spent: JsonText<number>
  latest_order_id: string | null
  subscription_status: string
}

/** The columns of a text: times as ISO text, decimals exact. */
export const CUSTOMER_COLUMNS = sqlText`id, name, email, phone, address, city, postal_code, country_id,
  iso(created_at) as created_at, iso(updated_at) as updated_at, order_count,
  trim_scale(amount_spent)::text as amount_spent, latest_order_id, subscription_status`

/** A customer is a single row, so its text is not kept: fetching the row is as fast. */
export const customerText = (row: CustomerRow) =>
  object<Customer>({
    id: quoted(row.id),
    name: value(row.name),
    email: value(row.email),
    phone: value(row.phone),
    address: value(row.address),
    city: value(row.city),
    postal_code: value(row.postal_code),
    country_id: value(row.country_id),
    created_at: quoted(row.created_at),
    updated_at: quoted(row.updated_at),
    country: hole('country', row.country_id),
    order_count: value(row.order_count),
    amount_spent: row.amount_spent,
    latest_order: hole('order', row.latest_order_id),
    subscription_status: value(row.subscription_status),
  })

export const customerKind = rowKind<unknown>({
  table: 'customer',
  columns: CUSTOMER_COLUMNS,
  fillings: {
    order: ({ store, ids }) => ({
      ids: sqlText`select latest_order_id from ${t.customer} where store_id = ${store} and id = any(${ids})`,
    }),
  },
  texts: (row: CustomerRow) => [[row.id, customerText(row)]],
})
