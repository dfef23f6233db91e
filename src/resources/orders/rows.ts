import type { JsonText } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import { COMMA, identifier, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type ColumnKind, type OrderRow, RENDERED_COLUMNS } from './columns.ts'
import type { OrderVariant } from './schema.ts'

// The rows of an order as its text needs them, read as JSON: times as ISO text, JSON as it was sent.

const time = (name: string) => sqlText`iso(${identifier(name)}) as ${identifier(name)}`
const json = (name: string) => sqlText`${identifier(name)}::text as ${identifier(name)}`

const SELECTED: Partial<Record<ColumnKind, (name: string) => Sql>> = { time, optional_time: time, json }

const orderColumns = Object.entries<ColumnKind>(RENDERED_COLUMNS).map(([name, kind]) =>
  (SELECTED[kind] ?? identifier)(name),
)

/** The columns of each table that a text needs. */
const COLUMNS = {
  orders: joinSql(orderColumns, COMMA),
  lines: sqlText`id, order_id, product_id, variant_id, quantity, price, sku, title, is_digital, ${json('options')}`,
  deliveries: sqlText`id, order_id, is_return, status, tracking_number, carrier_id`,
  delivery_lines: sqlText`delivery_id, order_line_id, quantity`,
  returns: sqlText`id, order_id, reason, delivery_id, ${time('created_at')}`,
  return_lines: sqlText`id, return_id, order_line_id, quantity, reason, restock`,
  refunds: sqlText`id, order_id, status, amount, reason, return_id, ${time('created_at')}`,
  refund_lines: sqlText`id, refund_id, order_line_id, quantity, amount`,
  events: sqlText`id, order_id, app_id, app_name, account_name, via, subject, subject_id, from_state, to_state, note,
    ${time('created_at')}`,
} as const

export interface LineRow {
  id: string
  order_id: string
  product_id: string | null
  variant_id: string | null
  quantity: number
  /** Of a new order, text with all its decimals. */
  price: number | string
  sku: string | null
  title: string
  is_digital: boolean
  options: JsonText<OrderVariant['options']>
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
  amount: number
  reason: string | null
  return_id: string | null
  created_at: string
}

interface RefundLineRow {
  id: string
  refund_id: string
  order_line_id: string
  quantity: number
  amount: number
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
