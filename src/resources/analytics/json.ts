import { array, object, value } from '../../core/reading/json-text.ts'
import { type Period, periodJson, startsJson } from './period.ts'
import type { SeriesRow } from './queries.ts'
import { addUp, average, money, readSums, type Sums, share } from './sums.ts'

/** Figures as JSON text, by name. */
export type Figures = Record<string, string>

export const salesFigures = ({ orders, abandoned, cancelled, paid, units, gross, refunds }: Sums): Figures => ({
  orders: String(orders),
  abandoned: String(abandoned),
  cancelled: String(cancelled),
  paid: String(paid),
  units: String(units),
  gross: money(gross),
  refunds: money(refunds),
  revenue: money(gross - refunds),
  average_order: average(gross, paid),
})

export const productFigures = ({ ordered_units, units, gross }: Sums): Figures => ({
  ordered_units: String(ordered_units),
  units: String(units),
  gross: money(gross),
})

export const customerFigures = ({ orders, guests, first_orders }: Sums): Figures => ({
  orders: String(orders),
  new_customers: String(first_orders),
  returning_orders: String(orders - guests - first_orders),
  guest_orders: String(guests),
})

export const deliveryFigures = (sums: Sums): Figures => {
  const { unfulfilled, fulfilled, shipped, delivered, cancelled, returns } = sums
  return {
    deliveries: String(unfulfilled + fulfilled + shipped + delivered + cancelled),
    unfulfilled: String(unfulfilled),
    fulfilled: String(fulfilled),
    shipped: String(shipped),
    delivered: String(delivered),
    cancelled: String(cancelled),
    returns: String(returns),
    success_rate: share(delivered, delivered + cancelled),
  }
}

export const landingPageFigures = (sums: Sums): Figures => {
  const { orders, cancelled, paid, gross, refunds, delivered, delivered_amount } = sums
  return {
    orders: String(orders),
    cancelled: String(cancelled),
    paid: String(paid),
    gross: money(gross),
    refunds: money(refunds),
    revenue: money(gross - refunds),
    delivered: String(delivered),
    delivered_revenue: money(delivered_amount),
    paid_rate: share(paid, orders),
    delivered_rate: share(delivered, orders),
  }
}

export const levelFigures = ({ orders, cancelled, delivered, returns, delivered_amount }: Sums): Figures => ({
  orders: String(orders),
  cancelled: String(cancelled),
  delivered: String(delivered),
  returned: String(returns),
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

export const seriesText = (period: Period, sums: readonly Sums[], figures: (sums: Sums) => Figures): string =>
  array(
    startsJson(period).map(({ start, end, label }, place) =>
      object({
        start: value(start),
        end: value(end),
        label: value(label),
        ...figures(sums[place] as Sums),
      }),
    ),
  )

export const replyText = (period: Period, parts: Record<string, string>): string =>
  object({ data: object({ period: JSON.stringify(periodJson(period)), ...parts }) })
