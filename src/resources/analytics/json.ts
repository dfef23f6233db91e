import { array, type Fields, type JsonText, object, value } from '../../core/reading/json-text.ts'
import { type Period, periodJson, startsJson } from './period.ts'
import type { SeriesRow } from './queries.ts'
import type {
  CustomersReply,
  DeliveryReply,
  Interval,
  LandingPageAnalytics,
  LevelAnalytics,
  ProductAnalytics,
  SalesAnalytics,
} from './schema.ts'
import { addUp, average, money, readSums, type Sums, share } from './sums.ts'

/** The figures that a reply shows of some sums. */
type FiguresOf<T> = (sums: Sums) => Fields<T>

const count = (sum: bigint) => String(sum) as JsonText<number>

export const salesFigures = ({
  orders,
  abandoned,
  cancelled,
  paid,
  units,
  gross,
  refunds,
}: Sums): Fields<SalesAnalytics['total']> => ({
  orders: count(orders),
  abandoned: count(abandoned),
  cancelled: count(cancelled),
  paid: count(paid),
  units: count(units),
  gross: money(gross),
  refunds: money(refunds),
  revenue: money(gross - refunds),
  average_order: average(gross, paid),
})

export const productFigures = ({
  ordered_units,
  units,
  gross,
}: Sums): Fields<Omit<ProductAnalytics, 'product_id' | 'title'>> => ({
  ordered_units: count(ordered_units),
  units: count(units),
  gross: money(gross),
})

export const customerFigures = ({ orders, guests, first_orders }: Sums): Fields<CustomersReply['data']['total']> => ({
  orders: count(orders),
  new_customers: count(first_orders),
  returning_orders: count(orders - guests - first_orders),
  guest_orders: count(guests),
})

export const deliveryFigures = (sums: Sums): Fields<DeliveryReply['data']['total']> => {
  const { unfulfilled, fulfilled, shipped, delivered, cancelled, returns } = sums
  return {
    deliveries: count(unfulfilled + fulfilled + shipped + delivered + cancelled),
    unfulfilled: count(unfulfilled),
    fulfilled: count(fulfilled),
    shipped: count(shipped),
    delivered: count(delivered),
    cancelled: count(cancelled),
    returns: count(returns),
    success_rate: share(delivered, delivered + cancelled),
  }
}

export const landingPageFigures = (sums: Sums): Fields<Omit<LandingPageAnalytics, 'landing_page_id' | 'title'>> => {
  const { orders, cancelled, paid, gross, refunds, delivered, delivered_amount } = sums
  return {
    orders: count(orders),
    cancelled: count(cancelled),
    paid: count(paid),
    gross: money(gross),
    refunds: money(refunds),
    revenue: money(gross - refunds),
    delivered: count(delivered),
    delivered_revenue: money(delivered_amount),
    paid_rate: share(paid, orders),
    delivered_rate: share(delivered, orders),
  }
}

export const levelFigures = ({
  orders,
  cancelled,
  delivered,
  returns,
  delivered_amount,
}: Sums): Fields<LevelAnalytics['total']> => ({
  orders: count(orders),
  cancelled: count(cancelled),
  delivered: count(delivered),
  returned: count(returns),
  delivered_revenue: money(delivered_amount),
  success_rate: share(delivered, delivered + returns),
  delivered_rate: share(delivered, orders),
})

const NOTHING = readSums()

/** The sums of every interval of the period, those in which nothing happened included. */
export const fillSeries = ({ starts }: Period, rows: readonly SeriesRow[]): Sums[] => {
  const sums = starts.map((): Sums[] => [])
  for (const row of rows) sums[row.place - 1]?.push(readSums(row))
  return sums.map((some) => (some.length > 1 ? addUp(some) : (some[0] ?? NOTHING)))
}

export const totalText = <T extends object>(sums: readonly Sums[], figures: FiguresOf<T>) =>
  object<T>(figures(addUp(sums)))

export const seriesText = <T extends object>(period: Period, sums: readonly Sums[], figures: FiguresOf<T>) =>
  array(
    startsJson(period).map(({ start, end, label }, place) => {
      const span: Fields<Interval> = { start: value(start), end: value(end), label: value(label) }
      return object<Interval & T>({ ...span, ...figures(sums[place] as Sums) } as Fields<Interval & T>)
    }),
  )

/** A reply about a period, with what else it shows. */
export const replyText = <Reply extends { data: { period: object } }>(
  period: Period,
  parts: Fields<Omit<Reply['data'], 'period'>>,
) =>
  object<Reply>({
    data: object<Reply['data']>({ period: value(periodJson(period)), ...parts } as Fields<Reply['data']>),
  } as Fields<Reply>)
