import { groupBy } from '../../core/reading/group-by.ts'
import { firstHole, hole } from '../../core/reading/holes.ts'
import { array, object, value } from '../../core/reading/json-text.ts'
import { type KeptIn, type Kind, type Scope, storeTexts } from '../../core/reading/texts.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import { identifier, type Sql, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { FLAT_COLUMNS, flatNames } from './columns.ts'
import {
  type DeliveryRow,
  type EventRow,
  type LineRow,
  type OrderRow,
  type OrderRows,
  type RefundRow,
  type ReturnRow,
  readOrderRows,
} from './rows.ts'
import { withoutNotes } from './without-notes.ts'

/** An amount as JSON: without zeros at the end. PostgreSQL writes three decimals; a new row has what was given. */
const amountText = (amount: string | number) => {
  const text = typeof amount === 'number' ? amount.toFixed(3) : amount
  return text.includes('.') ? text.replace(/\.0+$|(?<![.0])0+$/, '') : text
}

/** A line of the order. Deliveries show it with the units they contain. */
const lineText = (line: LineRow, quantity = line.quantity) =>
  object({
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
  object({
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
  (order.confirmation ?? null) === null
    ? 'null'
    : object({
        state: value(order.confirmation ?? null),
        attempts: value(order.confirmation_attempts ?? 0),
        next_at: value(order.confirmation_next_at ?? null),
        by: value(order.confirmation_by ?? null),
        at: value(order.confirmation_at ?? null),
        note: value(order.confirmation_note ?? null),
      })

/** Everything that a reply may show: the orders, and each delivery, return and refund on its own. */
interface OrderTexts {
  orders: Map<string, string>
  deliveries: Map<string, string>
  returns: Map<string, string>
  refunds: Map<string, string>
}

/** Texts of rows, in the order of the rows. */
const textsBy = <Row extends { id: string }>(rows: readonly Row[], text: (row: Row) => string) =>
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
    object({
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

const returnTexts = (rows: OrderRows, byLine: ByLine, deliveries: Map<string, string>) => {
  const linesOf = groupBy(rows.return_lines, ({ return_id }) => return_id)
  return textsBy(rows.returns, ({ id, order_id, reason, delivery_id, created_at }: ReturnRow) =>
    object({
      id: value(id),
      order_id: value(order_id),
      reason: value(reason),
      return_variants: array(
        byLine(linesOf(id)).map(({ line, row }) =>
          object({
            id: value(row.id),
            order_variant_id: value(row.order_line_id),
            quantity: value(row.quantity),
            reason: value(row.reason),
            restock: value(row.restock),
            order_variant: lineText(line),
          }),
        ),
      ),
      delivery: (delivery_id && deliveries.get(delivery_id)) ?? 'null',
      created_at: value(created_at),
    }),
  )
}

const refundTexts = (rows: OrderRows, byLine: ByLine, returns: Map<string, string>) => {
  const linesOf = groupBy(rows.refund_lines, ({ refund_id }) => refund_id)
  return textsBy(rows.refunds, ({ id, order_id, status, amount, reason, return_id, created_at }: RefundRow) =>
    object({
      id: value(id),
      order_id: value(order_id),
      status: value(status),
      amount: amountText(amount),
      reason: value(reason),
      return: (return_id && returns.get(return_id)) ?? 'null',
      refund_variants: array(
        byLine(linesOf(id)).map(({ line, row }) =>
          object({
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

/** A column of an order as fields of its JSON. A last name is followed by the whole name. */
const flatField = (order: OrderRow, name: keyof typeof FLAT_COLUMNS) => {
  const cell = order[name] ?? null
  const kind = FLAT_COLUMNS[name]
  const isAmount = (kind === 'money' || kind === 'optional_money') && cell !== null
  const field = `"${name}":${isAmount ? amountText(cell as string | number) : value(cell)}`
  const whose = /^(\w+)_last_name$/.exec(name)?.[1]
  if (!whose) return field
  const whole = `${order[`${whose}_first_name`]} ${cell}`.replace(/^ +|(?<! ) +$/g, '')
  return `${field},"${whose}_name":${value(whole)}`
}

const COUNTRY_AT = flatNames.indexOf('customer_id') + 1
const BEFORE_COUNTRY = flatNames.slice(0, COUNTRY_AT)
const AFTER_COUNTRY = flatNames.slice(COUNTRY_AT)

const linkText = (store: StoreId, page: string, ref: string) => {
  const path = value(`/${page}/${ref}`).slice(1)
  return `"https://${hole('store_domain', store)}${path}`
}

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
  const shown = (texts: Map<string, string>, of: readonly { id: string }[]) =>
    array(of.map(({ id }) => texts.get(id) ?? 'null'))
  const orders = textsBy(rows.orders, (order: OrderRow) => {
    const { id, ref } = order
    const [buyer, rest] = [BEFORE_COUNTRY, AFTER_COUNTRY].map((names) => names.map((name) => flatField(order, name)))
    return `{${buyer},"customer_country":${hole('country', order.country_id)},${rest},${object({
      meta_data: order.meta_data,
      payment_method: hole('payment_method', order.payment_method_id),
      variants: array(linesOf(id).map((line) => lineText(line))),
      deliveries: shown(
        deliveries,
        deliveriesOf(id).filter(({ is_return }) => !is_return),
      ),
      returns: shown(returns, returnsOf(id)),
      refunds: shown(refunds, refundsOf(id)),
      landing_page: hole('landing_page', order.landing_page_id),
      source_link: value(order.source_link),
      checkout_link: linkText(store, 'checkout', ref),
      thank_you_link: linkText(store, 'thank-you', ref),
      signals: hole('order_signals', id),
      confirmation: confirmationText(order),
      history: array(eventsOf(id).map(eventText)),
    }).slice(1)}`
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
    variant: idsIn(sqlText`variant_id`, sqlText`order_line`),
    image_url: idsIn(sqlText`unnest(array[variant_id, product_id])`, sqlText`order_line`),
    shipping_carrier: idsIn(sqlText`carrier_id`, sqlText`delivery`),
    tracking_link: ({ ids }) => ({
      where: sqlText`order_id = any(${ids}) and carrier_id is not null and tracking_number is not null`,
    }),
    payment_method: idsIn(sqlText`payment_method_id`, sqlText`orders`, sqlText`id`),
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
