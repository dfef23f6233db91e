import type { AppRecord } from '../../core/http/access.ts'
import { decimal, type Thousandths } from '../../core/input/money.ts'
import { MAX_INTEGER } from '../../core/input/schemas.ts'
import { value } from '../../core/reading/json-text.ts'
import { refuseDuplicate, type Tx } from '../../core/storage/database.ts'
import { newId } from '../../core/storage/new-id.ts'
import { COMMA, identifiers, joinSql, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { cachedSql, Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { inStore } from '../../core/storage/store-statement.ts'
import { derivedColumns } from '../customers/derived-columns.ts'
import { EMPTY_ORDER, type OrderRow } from './columns.ts'
import { addToCustomerTotals, type OrderCustomer, orderCustomer } from './customer-totals.ts'
import { changedBy } from './order-changes.ts'
import type { OrderRows } from './rows.ts'
import type { OrderVariant } from './schema.ts'
import { orderSearchText, type SearchableOrder } from './search.ts'
import { ChangedMeanwhileError, mayTake, type OrderableVariant } from './stock.ts'

export interface NewLine {
  variant: OrderableVariant
  quantity: number
  price: string
  stock_taken: number
}

/** What a new order has; the database gives it the rest. */
type NewColumns = Omit<OrderRow, keyof typeof EMPTY_ORDER | 'created_at' | 'updated_at'> &
  Partial<OrderRow> & { is_cancelled: boolean }

/** A validated order with its derived values. */
interface DecidedOrder {
  /** The columns of the order by name, always in the same order. */
  columns: SearchableOrder & OrderCustomer & NewColumns
  /** Null at first. */
  createdAt: Date | null
  lines: readonly NewLine[]
  isDelivered: boolean
  /** The id of the existing customer, locked. Without an email there is none. */
  customer: string | null
  spent: Thousandths
}

/** The customer of the order: updated, created, or nobody. Another order may create the same customer concurrently. */
const buyer = ({ bind }: Statement, store: StoreId, order: DecidedOrder, createdAt: () => Sql): Sql => {
  const { columns, customer, spent } = order
  if (columns.customer_email === '') return sqlText`select null::uuid as id, true as is_settled`
  const amount = sqlText`${bind(decimal(spent))}::numeric`
  const id = sqlText`${bind(columns.id)}::uuid`
  if (customer !== null) {
    const ofStore = bind(store)
    return sqlText`update ${t.customer} c set order_count = c.order_count + 1, amount_spent = c.amount_spent + ${amount},
        latest_order_id = (
          select n.id from (
            (select o.id, o.created_at from ${t.orders} o where o.store_id = ${ofStore} and o.customer_id = c.id
              order by o.created_at desc, o.id desc limit 1)
            union all select ${id}, ${createdAt()}
          ) n order by n.created_at desc, n.id desc limit 1),
        updated_at = statement_timestamp()
      where c.store_id = ${ofStore} and c.id = ${bind(customer)} returning c.id, true as is_settled`
  }
  const given = orderCustomer(columns)
  const row = { store_id: store, ...given, ...derivedColumns(given) }
  const values = Object.values(row).map((value) => bind(value))
  return sqlText`insert into ${t.customer} as c (${identifiers(Object.keys(row))}, order_count, amount_spent, latest_order_id, updated_at)
    values (${joinSql(values, COMMA)}, 1, ${amount}, ${id}, clock_timestamp())
    on conflict (store_id, email_key) do update set order_count = c.order_count + 1,
      amount_spent = c.amount_spent + excluded.amount_spent, updated_at = excluded.updated_at
    returning id, xmax = 0 as is_settled`
}

/** Units to take from stock by variant. */
const unitsTaken = (lines: readonly NewLine[]) => {
  const taken = new Map<string, number>()
  for (const { variant, stock_taken } of lines)
    if (stock_taken > 0) taken.set(variant.id, (taken.get(variant.id) ?? 0) + stock_taken)
  return taken
}

/** The variants must be locked. */
const sold = ({ bind }: Statement, store: StoreId, taken: ReadonlyMap<string, number>): Sql => {
  if (taken.size === 0) return sqlText``
  const ids = sqlText`${bind([...taken.keys()])}::uuid[]`
  const units = sqlText`(${bind([...taken.values()])}::bigint[])[array_position(${ids}, id)]`
  return sqlText`sold as (
      update ${t.variant} v set quantity = least(quantity - ${units}, ${MAX_INTEGER}), stock_noted = stock_noted - ${units},
        updated_at = statement_timestamp()
      where store_id = ${bind(store)} and id = any(${ids}) and ${mayTake(bind(store), units)}
      returning 1
    ),`
}

const linesOf = (lines: readonly NewLine[]) =>
  lines.map(({ variant, quantity, price, stock_taken }, position) => ({
    id: newId(),
    position,
    product_id: variant.product_id,
    variant_id: variant.id,
    quantity,
    price,
    sku: variant.sku,
    title: variant.title,
    is_digital: variant.is_digital,
    options: variant.options,
    stock_taken,
  }))

interface Buyer {
  customer: string | null
  /** Whether the customer's latest order is known to be right. */
  is_settled: boolean
}

type WrittenRows = OrderRows & Buyer

interface BuyerAndTimes extends Buyer {
  created_at: string
  updated_at: string
  now: string
  /** How many variants have been sold. */
  sold: number
}

/** When the states of a new order were reached: when it was placed. */
const stateTimes = ({ status, is_cancelled }: DecidedOrder['columns'], now: string) => ({
  cancelled_at: is_cancelled ? now : null,
  paid_at: status === 'paid' ? now : null,
})

/** Rows of other tables than those of a new order. */
const NO_ROWS = { returns: [], return_lines: [], refunds: [], refund_lines: [] }

/**
 * One statement. Its text depends only on whether stock is taken and on who the customer is. All values are known but
 * the time and the customer: returning the rows as well would take a tenth of the statement.
 */
const write = async (db: Tx, store: StoreId, app: AppRecord, order: DecidedOrder): Promise<WrittenRows> => {
  const statement = new Statement()
  const { bind } = statement
  const { columns, isDelivered } = order
  const lines = linesOf(order.lines)
  const taken = unitsTaken(order.lines)
  const delivery = { id: newId(), is_return: false, status: 'unfulfilled' }
  const packed = isDelivered ? lines.filter(({ is_digital }) => !is_digital) : []
  const ofStore = sqlText`${bind(store)}::uuid`
  const id = sqlText`${bind(columns.id)}::uuid`
  const createdAt = sqlText`coalesce(${bind(order.createdAt)}::timestamptz, now())::timestamptz(3)`
  const event = { id: newId(), ...changedBy(app), subject: 'status', subject_id: columns.id, to_state: columns.status }
  const text = sqlText`with buyer as (${buyer(statement, store, order, () => createdAt)}), ${sold(statement, store, taken)}
    placed as (
      insert into ${t.orders} (store_id, created_at, customer_id, cancelled_at, paid_at, delivery_statuses,
        ${identifiers(Object.keys(columns))})
      values (${ofStore}, ${createdAt}, (select id from buyer),
        case when ${bind(columns.is_cancelled)}::boolean then now() end,
        case when ${bind(columns.status)}::text = 'paid' then now() end,
        ${bind(isDelivered ? ['unfulfilled'] : [])},
        ${joinSql(Object.values(columns).map(bind), COMMA)})
      returning updated_at
    ),
    searched as (
      insert into ${t.order_search} (store_id, order_id, created_at, text)
      values (${ofStore}, ${id}, ${createdAt}, ${bind(orderSearchText(columns))})
    ),
    noted as (
      insert into ${t.order_event} (store_id, order_id, created_at, ${identifiers(Object.keys(event))})
      values (${ofStore}, ${id}, now(), ${joinSql(Object.values(event).map(bind), COMMA)})
    ),
    lines as (
      insert into ${t.order_line} (store_id, order_id, id, position, product_id, variant_id, quantity, price, sku, title,
        is_digital, options, stock_taken, stock_placed, stock_placed_at)
      select ${ofStore}, ${id}, l.*, l.stock_taken, clock_timestamp() from json_to_recordset(${bind(JSON.stringify(lines))}::json) l (
        id uuid, position int, product_id uuid, variant_id uuid, quantity int, price numeric, sku text, title text,
        is_digital boolean, options json, stock_taken int)
    ),
    sent as (
      insert into ${t.delivery} (store_id, order_id, ${identifiers(Object.keys(delivery))})
      select ${ofStore}, ${id}, ${joinSql(Object.values(delivery).map(bind), COMMA)} where ${bind(isDelivered)}::boolean
    ),
    packed as (
      insert into ${t.delivery_line} (store_id, order_id, delivery_id, order_line_id, quantity)
      select ${ofStore}, ${id}, ${bind(delivery.id)}, l.* from unnest(
        ${bind(packed.map(({ id }) => id))}::uuid[], ${bind(packed.map(({ quantity }) => quantity))}::int[]) l
    )
    select iso(${createdAt}) as created_at, iso((select p.updated_at from placed p)) as updated_at,
      iso(now()::timestamptz(3)) as now,
      (select b.id from buyer b) as customer, (select b.is_settled from buyer b) as is_settled,
      ${taken.size === 0 ? sqlText`0` : sqlText`(select count(*) from sold)`}::integer as sold`
  const constant = cachedSql(text, () => text)
  const written = await inStore<BuyerAndTimes>(db, store, constant, statement.values)
  const { created_at, updated_at, now, customer, is_settled, sold: soldVariants } = written as BuyerAndTimes
  if (soldVariants < taken.size) throw new ChangedMeanwhileError('A product may not be oversold any more.')
  const times = { created_at, updated_at, ...stateTimes(columns, now) }
  const ofOrder = { order_id: columns.id }
  return {
    orders: [{ ...EMPTY_ORDER, ...columns, ...times, customer_id: customer }],
    lines: lines.map((line) => ({ ...line, ...ofOrder, options: value(line.options as OrderVariant['options']) })),
    deliveries: isDelivered ? [{ ...delivery, ...ofOrder, tracking_number: null, carrier_id: null }] : [],
    delivery_lines: packed.map(({ id, quantity }) => ({ delivery_id: delivery.id, order_line_id: id, quantity })),
    events: [{ ...event, ...ofOrder, from_state: null, note: null, created_at: now }],
    ...NO_ROWS,
    customer,
    is_settled,
  }
}

/** Writes an order with everything that follows from it. Returns its rows. */
export const writeNewOrder = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  order: DecidedOrder,
): Promise<OrderRows> => {
  const { customer, is_settled, ...rows } = await write(db, store, app, order).catch(
    refuseDuplicate(() => new ChangedMeanwhileError('The ref was taken meanwhile.'), 'orders_store_id_ref_key'),
  )
  // A concurrent order created the customer. That order was not visible when the latest order was determined.
  if (customer && !is_settled) await addToCustomerTotals(db, store, [{ id: customer, orders: 0, spent: 0n }])
  return rows
}
