import type { Db } from '../../core/storage/database.ts'
import { COMMA, identifier, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { FLAT_COLUMNS, flatNames } from './columns.ts'

// The rows of an order as its text needs them: times as ISO text, decimals as text with all their digits.

type Column = string | number | boolean | null

const decimal = (name: string) => sqlText`${identifier(name)}::text as ${identifier(name)}`
const time = (name: string) => sqlText`iso(${identifier(name)}) as ${identifier(name)}`

const flatColumn = (name: keyof typeof FLAT_COLUMNS) => {
  const kind = FLAT_COLUMNS[name]
  if (kind === 'money' || kind === 'optional_money') return decimal(name)
  return kind === 'time' || kind === 'optional_time' ? time(name) : identifier(name)
}

/** The columns of each table that a text needs, for `select` and `returning`. */
export const COLUMNS = {
  orders: joinSql(
    [
      ...flatNames.map(flatColumn),
      sqlText`country_id, payment_method_id, landing_page_id, source_link, meta_data::text as meta_data,
        confirmation, confirmation_attempts, ${time('confirmation_next_at')}, confirmation_by, ${time('confirmation_at')},
        confirmation_note`,
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
  events: sqlText`id, order_id, app_id, app_name, account_name, via, subject, subject_id, from_state, to_state, note,
    ${time('created_at')}`,
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
  via: 'assistant' | null
  subject: string
  subject_id: string
  from_state: string | null
  to_state: string
  note: string | null
  created_at: string
}

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
