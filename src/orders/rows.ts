import { value } from '../reading/json-text.ts'
import type { Db } from '../storage/database.ts'
import { COMMA, identifier, joinSql, type Sql, sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { decimal as decimalText, thousandths } from './rules.ts'

// The rows of an order, formatted for its text: times as ISO text, decimals exact.

type Column = string | number | boolean | null

const person = (prefix: 'customer' | 'billing') =>
  ['first_name', 'last_name', 'name', 'email', 'phone', 'address', 'city', 'state', 'postal_code'].map(
    (field) => `${prefix}_${field}`,
  )

/** Columns in the order of the JSON: those before the country, and those after. */
const BUYER = ['id', 'ref', 'status', 'currency', ...person('customer'), 'customer_id']
const REST = [
  ...person('billing'),
  ...['card_brand', 'card_last4', 'shipping_rate', 'shipping_name', 'discount', 'discount_code'],
  ...['tip', 'tip_type', 'tip_value', 'bundle_name', 'bundle_option_name', 'bundle_price'],
  ...['fee', 'subtotal', 'total', 'quantity', 'is_archived', 'is_cancelled'],
  ...['cancelled_at', 'paid_at', 'created_at', 'updated_at'],
]
const DECIMALS = new Set(['shipping_rate', 'discount', 'tip', 'tip_value', 'bundle_price', 'fee', 'subtotal', 'total'])

const decimal = (name: string) => sqlText`trim_scale(${identifier(name)})::text as ${identifier(name)}`
const time = (name: string) => sqlText`iso(${identifier(name)}) as ${identifier(name)}`

const column = (name: string) => {
  if (DECIMALS.has(name)) return decimal(name)
  if (name.endsWith('_at')) return time(name)
  const whose = /^(customer|billing)_name$/.exec(name)?.[1]
  if (!whose) return identifier(name)
  const [first, last] = [identifier(`${whose}_first_name`), identifier(`${whose}_last_name`)]
  return sqlText`btrim(${first} || ' ' || ${last}) as ${identifier(name)}`
}

/** The columns of each table that a text needs, for `select` and `returning`. */
export const COLUMNS = {
  orders: joinSql(
    [
      ...[...BUYER, ...REST].map(column),
      sqlText`country_id, payment_method_id, landing_page_id, source_link, meta_data::text as meta_data`,
    ],
    COMMA,
  ),
  lines: sqlText`id, order_id, product_id, variant_id, quantity, ${decimal('price')}, sku, title, is_digital,
    options::text as options`,
  deliveries: sqlText`id, order_id, is_return, status, tracking_number, carrier_id`,
  delivery_lines: sqlText`delivery_id, order_line_id, quantity`,
  returns: sqlText`id, order_id, reason, delivery_id, ${time('created_at')}`,
  return_lines: sqlText`id, return_id, order_line_id, quantity, reason, restock`,
  refunds: sqlText`id, order_id, status, ${decimal('amount')}, reason, return_id, ${time('created_at')}`,
  refund_lines: sqlText`id, refund_id, order_line_id, quantity, ${decimal('amount')}`,
  events: sqlText`id, order_id, app_id, app_name, account_name, subject, subject_id, from_state, to_state, ${time('created_at')}`,
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

/** As trim_scale() does it. */
const trimmed = (amount: number | string) => decimalText(thousandths(amount)).replace(/\.?0+$/, '')

/** As btrim() does it. */
const withoutOuterSpaces = (text: string) => text.replace(/^ +| +$/g, '')

/** The row of an order whose columns have just been written, as it would be read. */
export const newOrderRow = (columns: OrderRow): OrderRow => {
  const row: OrderRow = { ...columns, card_brand: null, card_last4: null }
  for (const name of DECIMALS) row[name] = row[name] === null ? null : trimmed(row[name] as number | string)
  for (const whose of ['customer', 'billing'])
    row[`${whose}_name`] = withoutOuterSpaces(`${row[`${whose}_first_name`]} ${row[`${whose}_last_name`]}`)
  return row
}

export const newLineRow = (line: Omit<LineRow, 'options'> & { options: object }): LineRow => ({
  ...line,
  price: trimmed(line.price),
  options: JSON.stringify(line.options),
})

/** All rows of some orders, each kind in display order. Rows that refer to a line are sorted by the line. */
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

const OF_ORDER = sqlText`order_id = any($2)`
/** Lines of deliveries, returns and refunds have no index by order, so they are found by their parent. */
const ofPart = (key: Sql, table: Sql) =>
  sqlText`${key} = any(array(select p.id from ${table} p where p.store_id = $1 and p.${OF_ORDER}))`

const SOURCES: Record<keyof OrderRows, [table: Sql, condition: Sql, order?: Sql]> = {
  orders: [sqlText`orders`, sqlText`id = any($2)`],
  lines: [sqlText`order_line`, OF_ORDER, sqlText`r.position, r.id`],
  deliveries: [sqlText`delivery`, OF_ORDER, sqlText`r.created_at, r.id`],
  delivery_lines: [sqlText`delivery_line`, ofPart(sqlText`delivery_id`, sqlText`delivery`)],
  returns: [sqlText`order_return`, OF_ORDER, sqlText`r.created_at, r.id`],
  return_lines: [sqlText`return_line`, ofPart(sqlText`return_id`, sqlText`order_return`)],
  refunds: [sqlText`refund`, OF_ORDER, sqlText`r.created_at, r.id`],
  refund_lines: [sqlText`refund_line`, ofPart(sqlText`refund_id`, sqlText`refund`)],
  events: [sqlText`order_event`, OF_ORDER, sqlText`r.created_at, r.id`],
}

/** Rows of one kind as a column of a statement. */
const jsonRows = (name: keyof OrderRows, from: Sql) =>
  sqlText`(select coalesce(json_agg(s), '[]') from (select ${COLUMNS[name]} from ${from}) s) as ${identifier(name)}`

const select = (name: keyof OrderRows) => {
  const [table, condition, order] = SOURCES[name]
  return jsonRows(
    name,
    sqlText`${table} r where store_id = $1 and ${condition}${order ? sqlText` order by ${order}` : sqlText``}`,
  )
}

/** One statement, so that all rows are from one snapshot. */
const READ = sqlText`select ${joinSql((Object.keys(SOURCES) as (keyof OrderRows)[]).map(select), COMMA)}`

export const readOrderRows = async (db: Db, store: StoreId, orders: string[]): Promise<OrderRows> =>
  (await runSql<OrderRows>(db, READ, [store, orders]))[0] as OrderRows

const fields = (order: OrderRow, names: readonly string[]) =>
  names.map((name) => `"${name}":${DECIMALS.has(name) ? (order[name] ?? null) : value(order[name] ?? null)}`).join()

/** The fields of an order that are its own columns: those before the country, and those after. */
export const flatFields = (order: OrderRow) => ({ buyer: fields(order, BUYER), rest: fields(order, REST) })
