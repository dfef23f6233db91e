import { groupBy } from '../../core/reading/group-by.ts'
import { firstHole, hole } from '../../core/reading/holes.ts'
import {
  array,
  createRenderer,
  escaped,
  type Fields,
  type JsonText,
  NULL,
  object,
  quoted,
  value,
} from '../../core/reading/json-text.ts'
import { type KeptIn, type Kind, type Scope, storeTexts } from '../../core/reading/texts.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { identifier, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type ColumnKind, type OrderRow, SHOWN_COLUMNS, type ShownColumn } from './columns.ts'
import type { OrderConfirmation } from './desk-schema.ts'
import {
  type DeliveryRow,
  type EventRow,
  type LineRow,
  type OrderRows,
  type RefundRow,
  type ReturnRow,
  readOrderRows,
} from './rows.ts'
import {
  type Delivery,
  Order,
  type OrderEvent,
  type OrderVariant,
  type Refund,
  type RefundVariant,
  type Return,
  type ReturnVariant,
} from './schema.ts'
import { withoutNotes } from './without-notes.ts'

/** A column of numeric(14, 3): a number holds all its digits. */
const amountText = (amount: number | string) => value(Number(amount))

/** A line of the order. Deliveries show it with the units they contain. */
const lineText = (line: LineRow, quantity = line.quantity) =>
  object<OrderVariant>({
    id: value(line.id),
    quantity: value(quantity),
    price: amountText(line.price),
    sku: value(line.sku),
    title: value(line.title),
    is_digital: value(line.is_digital),
    options: line.options,
    variant: hole('variant', line.variant_id),
    image_url: firstHole(
      'image_url',
      [line.variant_id, line.product_id].filter((id) => id !== null),
    ),
  })

const eventText = (event: EventRow) =>
  object<OrderEvent>({
    id: value(event.id),
    app_id: value(event.app_id),
    app_name: value(event.app_name),
    account_name: value(event.account_name),
    // Absent otherwise, as in texts from before.
    ...(event.via && { via: value(event.via) }),
    subject: value(event.subject),
    subject_id: value(event.subject_id),
    from: value(event.from_state),
    to: value(event.to_state),
    note: value(event.note),
    created_at: value(event.created_at),
  })

const confirmationText = (order: OrderRow) =>
  order.confirmation === null
    ? NULL
    : object<OrderConfirmation>({
        state: value(order.confirmation),
        attempts: value(order.confirmation_attempts),
        next_at: value(order.confirmation_next_at),
        by: value(order.confirmation_by),
        at: value(order.confirmation_at),
        note: value(order.confirmation_note),
      })

type Texts<T> = Map<string, JsonText<T>>

/** Everything that a reply may show: the orders, and each delivery, return and refund on its own. */
interface OrderTexts {
  orders: Texts<Order>
  deliveries: Texts<Delivery>
  returns: Texts<Return>
  refunds: Texts<Refund>
}

/** Texts of rows, in the order of the rows. */
const textsBy = <Row extends { id: string }, T>(rows: readonly Row[], text: (row: Row) => JsonText<T>): Texts<T> =>
  new Map(rows.map((row) => [row.id, text(row)]))

type Line = OrderRows['lines'][number]

/** Pairs rows that refer to a line with it, in the order of the lines. */
type ByLine = <Row extends { order_line_id: string; id?: string }>(rows: readonly Row[]) => { line: Line; row: Row }[]

const createByLine = (lines: readonly Line[]): ByLine => {
  const lineOf = new Map(lines.map((line, place) => [line.id, { line, place }]))
  return (rows) =>
    rows
      .flatMap((row) => {
        const found = lineOf.get(row.order_line_id)
        return found ? [{ ...found, row }] : []
      })
      .toSorted((one, other) => one.place - other.place || ((one.row.id ?? '') < (other.row.id ?? '') ? -1 : 1))
}

const deliveryTexts = (rows: OrderRows, byLine: ByLine) => {
  const linesOf = groupBy(rows.delivery_lines, ({ delivery_id }) => delivery_id)
  return textsBy(rows.deliveries, ({ id, status, tracking_number, carrier_id }: DeliveryRow) =>
    object<Delivery>({
      id: value(id),
      status: value(status),
      tracking_number: value(tracking_number),
      // Depends on the carrier's tracking URL.
      tracking_link: hole('tracking_link', tracking_number !== null && carrier_id !== null ? id : null),
      shipping_carrier: hole('shipping_carrier', carrier_id),
      order_variants: array(byLine(linesOf(id)).map(({ line, row }) => lineText(line, row.quantity))),
    }),
  )
}

const returnTexts = (rows: OrderRows, byLine: ByLine, deliveries: Texts<Delivery>) => {
  const linesOf = groupBy(rows.return_lines, ({ return_id }) => return_id)
  return textsBy(rows.returns, ({ id, order_id, reason, delivery_id, created_at }: ReturnRow) =>
    object<Return>({
      id: value(id),
      order_id: value(order_id),
      reason: value(reason),
      return_variants: array(
        byLine(linesOf(id)).map(({ line, row }) =>
          object<ReturnVariant>({
            id: value(row.id),
            order_variant_id: value(row.order_line_id),
            quantity: value(row.quantity),
            reason: value(row.reason),
            restock: value(row.restock),
            order_variant: lineText(line),
          }),
        ),
      ),
      delivery: (delivery_id && deliveries.get(delivery_id)) || NULL,
      created_at: value(created_at),
    }),
  )
}

const refundTexts = (rows: OrderRows, byLine: ByLine, returns: Texts<Return>) => {
  const linesOf = groupBy(rows.refund_lines, ({ refund_id }) => refund_id)
  return textsBy(rows.refunds, ({ id, order_id, status, amount, reason, return_id, created_at }: RefundRow) =>
    object<Refund>({
      id: value(id),
      order_id: value(order_id),
      status: value(status),
      amount: amountText(amount),
      reason: value(reason),
      return: (return_id && returns.get(return_id)) || NULL,
      refund_variants: array(
        byLine(linesOf(id)).map(({ line, row }) =>
          object<RefundVariant>({
            id: value(row.id),
            order_variant_id: value(row.order_line_id),
            quantity: value(row.quantity),
            amount: amountText(row.amount),
            order_variant: lineText(line),
          }),
        ),
      ),
      created_at: value(created_at),
    }),
  )
}

const COLUMN_TEXTS = {
  money: amountText,
  optional_money: (amount: number | string | null) => (amount === null ? NULL : amountText(amount)),
  json: (json: OrderRow['meta_data']) => json,
}

const columnText = (name: ShownColumn) => {
  const kind: ColumnKind = SHOWN_COLUMNS[name]
  const text = (kind in COLUMN_TEXTS ? COLUMN_TEXTS[kind as keyof typeof COLUMN_TEXTS] : value) as (
    cell: OrderRow[ShownColumn],
  ) => JsonText<never>
  return (order: OrderRow) => text(order[name])
}

const SHOWN_FIELDS = Object.fromEntries(
  (Object.keys(SHOWN_COLUMNS) as ShownColumn[]).map((name) => [name, columnText(name)]),
) as Record<ShownColumn, ReturnType<typeof columnText>>

/** Without spaces at either end. Without a first or a last name, it is the other one. */
const wholeName = (first: string, last: string) => value(`${first} ${last}`.replace(/^ +|(?<! ) +$/g, ''))

const linkText = (store: StoreId, page: string, ref: string) =>
  quoted(`https://${hole('store_domain', store)}/${page}/${escaped(ref)}`)

/** What an order shows besides its own columns. */
type Parts = Pick<Order, 'variants' | 'deliveries' | 'returns' | 'refunds' | 'history'>

const orderText = createRenderer<typeof Order, [OrderRow, Fields<Parts>, StoreId]>(Order, {
  ...SHOWN_FIELDS,
  customer_name: (order) => wholeName(order.customer_first_name, order.customer_last_name),
  customer_country: (order) => hole('country', order.country_id),
  billing_name: (order) => wholeName(order.billing_first_name, order.billing_last_name),
  payment_method: (order) => hole('payment_method', order.payment_method_id),
  variants: (_, parts) => parts.variants,
  deliveries: (_, parts) => parts.deliveries,
  returns: (_, parts) => parts.returns,
  refunds: (_, parts) => parts.refunds,
  landing_page: (order) => hole('landing_page', order.landing_page_id),
  checkout_link: (order, _, store) => linkText(store, 'checkout', order.ref),
  thank_you_link: (order, _, store) => linkText(store, 'thank-you', order.ref),
  signals: (order) => hole('order_signals', order.id),
  confirmation: (order) => confirmationText(order),
  history: (_, parts) => parts.history,
})

/** Renders orders from their own rows. Everything else is a hole. */
export const orderTexts = (rows: OrderRows, store: StoreId): OrderTexts => {
  const byLine = createByLine(rows.lines)
  const deliveries = deliveryTexts(rows, byLine)
  const returns = returnTexts(rows, byLine, deliveries)
  const refunds = refundTexts(rows, byLine, returns)

  const ofOrder = <Row extends { order_id: string }>(rowsOfKind: readonly Row[]) =>
    groupBy(rowsOfKind, (row) => row.order_id)
  const linesOf = ofOrder(rows.lines)
  const deliveriesOf = ofOrder(rows.deliveries)
  const returnsOf = ofOrder(rows.returns)
  const refundsOf = ofOrder(rows.refunds)
  const eventsOf = ofOrder(rows.events)
  const shown = <T>(texts: Texts<T>, of: readonly { id: string }[]) =>
    array(of.flatMap(({ id }) => texts.get(id) ?? []))
  const orders = textsBy(rows.orders, (order: OrderRow) => {
    const { id } = order
    const parts: Fields<Parts> = {
      variants: array(linesOf(id).map((line) => lineText(line))),
      deliveries: shown(
        deliveries,
        deliveriesOf(id).filter(({ is_return }) => !is_return),
      ),
      returns: shown(returns, returnsOf(id)),
      refunds: shown(refunds, refundsOf(id)),
      history: array(eventsOf(id).map(eventText)),
    }
    return orderText(order, parts, store)
  })
  return { orders, deliveries, returns, refunds }
}

/** The ids in a column of rows of these orders. */
const idsIn =
  (column: Sql, table: Sql, key: Sql = sqlText`order_id`) =>
  ({ store, ids }: Scope) => ({
    ids: sqlText`select ${column} from ${table} where store_id = ${store} and ${key} = any(${ids})`,
  })

/** Landing pages are left out: few orders refer to one. */
const ORDER_TEXT = {
  table: 'order_text',
  of: 'orders',
  fillings: {
    variant: idsIn(sqlText`variant_id`, t.order_line),
    image_url: idsIn(sqlText`unnest(array[variant_id, product_id])`, t.order_line),
    shipping_carrier: idsIn(sqlText`carrier_id`, t.delivery),
    tracking_link: ({ ids }) => ({
      where: sqlText`order_id = any(${ids}) and carrier_id is not null and tracking_number is not null`,
    }),
    payment_method: idsIn(sqlText`payment_method_id`, t.orders, sqlText`id`),
    store_domain: () => ({ where: sqlText`true` }),
    order_signals: ({ ids }) => ({ where: sqlText`orders.id = any(${ids})` }),
  },
} satisfies KeptIn

const renderOrders = async (db: Db, store: StoreId, ids: string[]) =>
  orderTexts(await readOrderRows(db, store, ids), store)

/** The last step of every write to an order, whose lock the caller holds. */
export const keepOrderTexts = async (db: Tx, store: StoreId, ids: string[]) =>
  storeTexts(db, ORDER_TEXT, store, (await renderOrders(db, store, ids)).orders)

export const orderKind: Kind<unknown> = {
  kept: ORDER_TEXT,
  keep: keepOrderTexts,
  render: async (db, store, ids) => (await renderOrders(db, store, ids)).orders,
  inEvents: withoutNotes,
}

/** A delivery, return or refund on its own, as in the reply to a write. Not kept: its order's text is. */
const partKind = (table: 'delivery' | 'order_return' | 'refund', part: Exclude<keyof OrderTexts, 'orders'>) =>
  ({
    render: async (db: Db, store: StoreId, ids: string[]) => {
      const text = sqlText`select distinct order_id from ${identifier(table)} where store_id = $1 and id = any($2)`
      const owners = await runSql<{ order_id: string }>(db, text, [store, ids])
      const texts = await renderOrders(
        db,
        store,
        owners.map(({ order_id }) => order_id),
      )
      return new Map(
        ids.flatMap((id) => {
          const found = texts[part].get(id)
          return found === undefined ? [] : [[id, found] as const]
        }),
      )
    },
  }) satisfies Kind<unknown>

export const deliveryKind = partKind('delivery', 'deliveries')
export const returnKind = partKind('order_return', 'returns')
export const refundKind = partKind('refund', 'refunds')
