import { type Static, type TSchema, Type } from 'typebox'
import { DateBound, data, nullable, oneOf, ref, resource, Timestamp, Uuid } from '../../core/input/schemas.ts'
import { LEVELS } from '../orders/desk-schema.ts'
import { INTERVALS, MAX_INTERVALS } from './local-time.ts'
import { MAX_PLACES } from './queries.ts'
import { LANDING_PAGE_SORTS, PRODUCT_SORTS } from './ranking.ts'

const closed = <T extends Record<string, TSchema>>(properties: T, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

const count = (description: string) => Type.Integer({ description })
const amount = (description: string) => Type.Number({ description })
const rate = (description: string) => nullable(Type.Number({ description }))

const period = {
  from: Type.Optional(
    DateBound(
      'Start of the period. A date is a day in the time zone of the store; a time is rounded down to a quarter of an ' +
        'hour. Default: 30 days up to `to`.',
    ),
  ),
  to: Type.Optional(
    DateBound(
      'End of the period, inclusive. A date is a day in the time zone of the store; a time is rounded up to a quarter ' +
        'of an hour. Default: the end of today.',
    ),
  ),
  interval: oneOf(INTERVALS, {
    default: 'day',
    description:
      `Length of the intervals, by the calendar of the store; weeks begin on Monday. At most ${MAX_INTERVALS} ` +
      'intervals. The first and the last are cut where the period begins and ends.',
  }),
}

const currency = Type.Optional(
  Type.String({
    pattern: '^[A-Z]{3}$',
    errorMessage: 'must be a currency code such as TND',
    description: 'Only orders in this currency. Default: the currency of the store.',
  }),
)
const limit = Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'How many are shown.' })

export const PeriodQuery = Type.Object(period)
export type PeriodQuery = Static<typeof PeriodQuery>

export const ProductAnalyticsQuery = Type.Object({
  ...period,
  currency,
  product_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only this product, with its `series`.' })),
  order_by: oneOf(PRODUCT_SORTS, { default: 'gross', description: 'Highest first.' }),
  limit,
})

export const LandingPageAnalyticsQuery = Type.Object({
  ...period,
  currency,
  landing_page_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only this landing page, with its `series`.' }),
  ),
  order_by: oneOf(LANDING_PAGE_SORTS, { default: 'orders', description: 'Highest first.' }),
  limit,
})

export const LevelAnalyticsQuery = Type.Object({ ...period, currency })

const { interval: _, ...bounds } = period
export const StockQuery = Type.Object({
  ...bounds,
  cover: Type.Integer({
    minimum: 1,
    maximum: 365,
    default: 14,
    description: 'Products whose stock lasts fewer days than this are `low`.',
  }),
  limit,
})

const span = {
  from: Timestamp,
  to: Type.String({ format: 'date-time', description: 'Exclusive.' }),
  time_zone: Type.String({ description: 'Of the store.' }),
}
const Period = resource('AnalyticPeriod', closed({ ...span, interval: oneOf(INTERVALS) }))

const interval = {
  start: Timestamp,
  end: Type.String({ format: 'date-time', description: 'Exclusive.' }),
  label: Type.String({
    description: 'The interval by the calendar of the store: `2026-11-16T14:00`, `2026-11-16` or `2026-11`.',
  }),
}

const Interval = closed(interval)
export type Interval = Static<typeof Interval>

const series = <T extends Record<string, TSchema>>(figures: T, options: { description?: string } = {}) =>
  Type.Array(closed({ ...interval, ...figures }), options)

const sales = {
  orders: count('Orders placed, except abandoned ones.'),
  abandoned: count('Abandoned orders.'),
  cancelled: count('How many of `orders` have been cancelled since.'),
  paid: count('Orders paid and not cancelled, at the time of payment.'),
  units: count('Units in the paid orders.'),
  gross: amount('Totals of the paid orders.'),
  refunds: amount('Refunds made, at the time of the refund, of orders that count as paid.'),
  revenue: amount('`gross` less `refunds`.'),
  average_order: nullable(Type.Number({ description: '`gross` divided by `paid`.' })),
}

export const SalesAnalytics = resource(
  'SalesAnalytics',
  closed({ currency: Type.String(), total: closed(sales), series: series(sales) }),
)
export type SalesAnalytics = Static<typeof SalesAnalytics>

const product = {
  ordered_units: count('Units in orders placed, except abandoned and cancelled ones.'),
  units: count('Units in paid orders, at the time of payment.'),
  gross: amount('Price of these units, before discounts, shipping and refunds of the order.'),
}

export const ProductAnalytics = resource(
  'ProductAnalytics',
  closed({
    product_id: nullable(Type.String({ format: 'uuid', description: 'Null for all products that were deleted.' })),
    title: nullable(Type.String()),
    ...product,
  }),
)
export type ProductAnalytics = Static<typeof ProductAnalytics>

const customers = {
  orders: count('Orders placed, except abandoned ones.'),
  new_customers: count('Customers who placed their first order.'),
  returning_orders: count('Orders of customers who had ordered before.'),
  guest_orders: count('Orders without a customer.'),
}

const deliveries = {
  deliveries: count('Deliveries to customers, by the time at which they were created.'),
  unfulfilled: count('How many of them are in this status now.'),
  fulfilled: count('How many of them are in this status now.'),
  shipped: count('How many of them are in this status now.'),
  delivered: count('How many of them are in this status now.'),
  cancelled: count('How many of them are in this status now.'),
  returns: count('Deliveries of returns, not among `deliveries`.'),
  success_rate: rate('`delivered` divided by `delivered` and `cancelled`; null if there are none.'),
}

const landingPage = {
  orders: count('Orders placed through the page, except abandoned ones. All figures are about these orders.'),
  cancelled: count('How many of them were cancelled.'),
  paid: count('How many of them are paid and not cancelled.'),
  gross: amount('Totals of the paid ones.'),
  refunds: amount('Refunds made of the paid ones.'),
  revenue: amount('`gross` less `refunds`.'),
  delivered: count(
    'How many of them have arrived: every delivery is delivered or cancelled, and at least one delivered.',
  ),
  delivered_revenue: amount('Totals of the delivered ones, whether they are marked as paid or not, before refunds.'),
  paid_rate: rate('`paid` divided by `orders`.'),
  delivered_rate: rate('`delivered` divided by `orders`.'),
}

export const LandingPageAnalytics = resource(
  'LandingPageAnalytics',
  closed({
    landing_page_id: Uuid,
    title: nullable(Type.String()),
    ...landingPage,
  }),
)
export type LandingPageAnalytics = Static<typeof LandingPageAnalytics>

const level = {
  orders: count('Orders placed, except abandoned ones. All figures are about these orders.'),
  cancelled: count('How many of them were cancelled.'),
  delivered: count('How many of them have a delivered parcel and no return.'),
  returned: count('How many of them came back.'),
  delivered_revenue: amount('Totals of the delivered ones.'),
  success_rate: rate('`delivered` divided by `delivered` and `returned`; null if there are none.'),
  delivered_rate: rate('`delivered` divided by `orders`.'),
}

export const LevelAnalytics = resource(
  'LevelAnalytics',
  closed({ level: oneOf(LEVELS), total: closed(level), series: series(level) }),
)
export type LevelAnalytics = Static<typeof LevelAnalytics>

const place = (description: string) => ({
  description: `${description} The ${MAX_PLACES} with the most deliveries.`,
})

export const StockAnalytics = resource(
  'StockAnalytics',
  closed({
    product_id: Uuid,
    title: Type.String(),
    quantity: count('Units of all its variants.'),
    variants: count('How many variants it has.'),
    variants_out_of_stock: count('How many of them have no unit left.'),
    allow_order_when_oos: Type.Boolean({ description: 'Whether it can be ordered when nothing is left.' }),
    ordered_units: product.ordered_units,
    units_per_day: amount('`ordered_units` divided by `days`.'),
    days_of_cover: rate('How many days `quantity` lasts at that rate; null if none was ordered.'),
  }),
)
export type StockAnalytics = Static<typeof StockAnalytics>

const head = { period: ref(Period) }
const ofOne = { description: 'Empty unless a single one is requested.' }

export const SalesReply = data({
  ...head,
  sales: Type.Array(ref(SalesAnalytics), {
    description: 'The currency of the store first, then those with the most orders, ten at most.',
  }),
})
export type SalesReply = Static<typeof SalesReply>
export const ProductsReply = data({
  ...head,
  currency: Type.String(),
  products: Type.Array(ref(ProductAnalytics)),
  series: series(product, ofOne),
})
export type ProductsReply = Static<typeof ProductsReply>
export const CustomersReply = data({ ...head, total: closed(customers), series: series(customers) })
export type CustomersReply = Static<typeof CustomersReply>
export const DeliveryReply = data({
  ...head,
  total: closed(deliveries),
  series: series(deliveries),
  carriers: Type.Array(
    closed({ carrier_id: nullable(Uuid), name: nullable(Type.String()), ...deliveries }),
    place('By carrier; null for deliveries without one.'),
  ),
  cities: Type.Array(
    closed({ city: nullable(Type.String()), ...deliveries }),
    place('By city of the order, ignoring case; null for orders without one.'),
  ),
})
export type DeliveryReply = Static<typeof DeliveryReply>
export const LandingPagesReply = data({
  ...head,
  currency: Type.String(),
  landing_pages: Type.Array(ref(LandingPageAnalytics)),
  series: series(landingPage, ofOne),
})
export type LandingPagesReply = Static<typeof LandingPagesReply>
export const LevelsReply = data({
  ...head,
  currency: Type.String(),
  levels: Type.Array(ref(LevelAnalytics), { description: 'All four, from `good` to `bad`.' }),
})
export type LevelsReply = Static<typeof LevelsReply>
export const StockReply = data({
  period: closed(span),
  days: amount('How many days of the period are over.'),
  total: closed({
    out_of_stock: count('All active products whose stock is tracked and that have none left.'),
    low: count('All active products whose stock is tracked and lasts fewer days than `cover`.'),
  }),
  out_of_stock: Type.Array(ref(StockAnalytics), { description: 'Those with the most ordered units first.' }),
  low: Type.Array(ref(StockAnalytics), { description: 'Those that run out first come first.' }),
})
export type StockReply = Static<typeof StockReply>
