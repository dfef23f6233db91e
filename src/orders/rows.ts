import { value } from '../reading/json-text.ts'
import type { Db } from '../storage/database.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'

// The rows of an order, as its text shows them: times as text, and exact decimals as they are written.

type Column = string | number | boolean | null

const person = (prefix: 'customer' | 'billing') =>
  ['first_name', 'last_name', 'name', 'email', 'phone', 'address', 'city', 'state', 'postal_code'].map(
    (field) => `${prefix}_${field}`,
  )

/** Columns in the sequence in which an order shows them: those before its country, and those after. */
const BUYER = ['id', 'ref', 'status', 'currency', ...person('customer'), 'customer_id']
const REST = [
  ...person('billing'),
  ...['card_brand', 'card_last4', 'shipping_rate', 'shipping_name', 'discount', 'discount_code'],
  ...['tip', 'tip_type', 'tip_value', 'bundle_name', 'bundle_option_name', 'bundle_price'],
  ...['fee', 'subtotal', 'total', 'quantity', 'is_archived', 'is_cancelled'],
  ...['cancelled_at', 'paid_at', 'created_at', 'updated_at'],
]
const DECIMALS = new Set(['shipping_rate', 'discount', 'tip', 'tip_value', 'bundle_price', 'fee', 'subtotal', 'total'])

const decimal = (column: string) => `trim_scale(${column})::text as ${column}`
const time = (column: string) => `iso(${column}) as ${column}`

const column = (name: string) => {
  if (DECIMALS.has(name)) return decimal(name)
  if (name.endsWith('_at')) return time(name)
  const whose = /^(customer|billing)_name$/.exec(name)?.[1]
  return whose ? `btrim(${whose}_first_name || ' ' || ${whose}_last_name) as ${name}` : name
}

/** What each table gives to a text: for `select` and for `returning`. */
export const COLUMNS = {
  orders: [
    ...[...BUYER, ...REST].map(column),
    ...['country_id', 'payment_method_id', 'landing_page_id', 'source_link', 'meta_data::text as meta_data'],
  ].join(', '),
  lines: `id, order_id, product_id, variant_id, quantity, ${decimal('price')}, sku, title, is_digital,
    options::text as options`,
  deliveries: 'id, order_id, is_return, status, tracking_number, carrier_id',
  delivery_lines: 'delivery_id, order_line_id, quantity',
  returns: `id, order_id, reason, delivery_id, ${time('created_at')}`,
  return_lines: 'id, return_id, order_line_id, quantity, reason, restock',
  refunds: `id, order_id, status, ${decimal('amount')}, reason, return_id, ${time('created_at')}`,
  refund_lines: `id, refund_id, order_line_id, quantity, ${decimal('amount')}`,
  events: `id, order_id, app_id, app_name, account_name, subject, subject_id, from_state, to_state, ${time('created_at')}`,
} as const

export type OrderRow = {
  id: string
  ref: string
  country_id: string | null
  payment_method_id: string | null
  landing_page_id: string | null
  source_link: string | null
  /** JSON, as it was sent. */
  meta_data: string
} & Record<string, Column>

export interface LineRow {
  id: string
  order_id: string
  product_id: string | null
  variant_id: string | null
  quantity: number
  price: string
  sku: string | null
  title: string
  is_digital: boolean
  /** JSON. */
  options: string
}

export interface DeliveryRow {
  id: string
  order_id: string
  is_return: boolean
  status: string
  tracking_number: string | null
  carrier_id: string | null
}

interface DeliveryLineRow {
  delivery_id: string
  order_line_id: string
  quantity: number
}

export interface ReturnRow {
  id: string
  order_id: string
  reason: string | null
  delivery_id: string | null
  created_at: string
}

interface ReturnLineRow {
  id: string
  return_id: string
  order_line_id: string
  quantity: number
  reason: string | null
  restock: boolean
}

export interface RefundRow {
  id: string
  order_id: string
  status: string
  amount: string
  reason: string | null
  return_id: string | null
  created_at: string
}

interface RefundLineRow {
  id: string
  refund_id: string
  order_line_id: string
  quantity: number
  amount: string
}

export interface EventRow {
  id: string
  order_id: string
  app_id: string | null
  app_name: string
  account_name: string | null
  subject: string
  subject_id: string
  from_state: string | null
  to_state: string
  created_at: string
}

/** All rows of some orders, each kind in the sequence it is shown in; what names a line is sorted by the line. */
export interface OrderRows {
  orders: OrderRow[]
  lines: LineRow[]
  deliveries: DeliveryRow[]
  delivery_lines: DeliveryLineRow[]
  returns: ReturnRow[]
  return_lines: ReturnLineRow[]
  refunds: RefundRow[]
  refund_lines: RefundLineRow[]
  events: EventRow[]
}

const OF_ORDER = 'order_id = any($2)'
/** Lines of a part have no index by their order: they are found by the part. */
const ofPart = (key: string, table: string) =>
  `${key} = any(array(select p.id from ${table} p where p.store_id = $1 and p.${OF_ORDER}))`

const SOURCES: Record<keyof OrderRows, [table: string, condition: string, order?: string]> = {
  orders: ['orders', 'id = any($2)'],
  lines: ['order_line', OF_ORDER, 'r.position, r.id'],
  deliveries: ['delivery', OF_ORDER, 'r.created_at, r.id'],
  delivery_lines: ['delivery_line', ofPart('delivery_id', 'delivery')],
  returns: ['order_return', OF_ORDER, 'r.created_at, r.id'],
  return_lines: ['return_line', ofPart('return_id', 'order_return')],
  refunds: ['refund', OF_ORDER, 'r.created_at, r.id'],
  refund_lines: ['refund_line', ofPart('refund_id', 'refund')],
  events: ['order_event', OF_ORDER, 'r.created_at, r.id'],
}

/** Rows of one kind as a column of a statement. */
export const jsonRows = (name: keyof OrderRows, from: string) =>
  `(select coalesce(json_agg(s), '[]') from (select ${COLUMNS[name]} from ${from}) s) as ${name}`

const select = (name: keyof OrderRows) => {
  const [table, condition, order] = SOURCES[name]
  return jsonRows(name, `${table} r where store_id = $1 and ${condition}${order ? ` order by ${order}` : ''}`)
}

/** One statement, which sees all rows at the same moment. */
const READ = `select ${(Object.keys(SOURCES) as (keyof OrderRows)[]).map(select).join(', ')}`

export const readOrderRows = async (db: Db, store: StoreId, orders: string[]): Promise<OrderRows> =>
  (await runSql<OrderRows>(db, READ, [store, orders]))[0] as OrderRows

const fields = (order: OrderRow, names: readonly string[]) =>
  names.map((name) => `"${name}":${DECIMALS.has(name) ? (order[name] ?? null) : value(order[name] ?? null)}`).join()

/** The fields of an order that are columns of it: those before its country, and those after. */
export const flatFields = (order: OrderRow) => ({ buyer: fields(order, BUYER), rest: fields(order, REST) })
