import { decimal, type Thousandths, thousandths } from '../../core/input/money.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Plan, Subscription } from './queries.ts'

const MONTHS = { month: 1, year: 12 } as const
type Period = Plan['period']

/** The time `count` periods after `anchor`. The 31st becomes the last day of a shorter month. */
export const addPeriods = (anchor: Date, period: Period, count: number): Date => {
  const time = new Date(anchor)
  time.setUTCDate(1)
  time.setUTCMonth(time.getUTCMonth() + count * MONTHS[period])
  const lastDay = new Date(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + 1, 0)).getUTCDate()
  time.setUTCDate(Math.min(anchor.getUTCDate(), lastDay))
  return time
}

const decimalsOf = (currency: string) =>
  Math.min(3, new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2)

/** Rounds half up to the smallest unit of the currency. */
export const roundTo = (currency: string, amount: Thousandths): Thousandths => {
  const unit = 10n ** BigInt(3 - decimalsOf(currency))
  return ((amount + unit / 2n) / unit) * unit
}

export interface InvoiceLine {
  text: string
  amount: string
}

/** What switching to a plan means: from when on, and what is invoiced now. */
export interface Switch {
  subscription: Subscription
  effectiveAt: Date
  lines: InvoiceLine[]
}

const line = (text: string, amount: Thousandths): InvoiceLine => ({ text, amount: decimal(amount) })

/** The part of a price for what is left of the period. */
const restOf = (
  price: string,
  { currency, period_start, period_end }: Pick<Plan, 'currency'> & Pick<Subscription, 'period_start' | 'period_end'>,
  now: Date,
): Thousandths => {
  const whole = BigInt(period_end.getTime() - period_start.getTime())
  const left = BigInt(Math.max(0, period_end.getTime() - now.getTime()))
  return roundTo(currency, (thousandths(price) * left) / whole)
}

const yearly = ({ price, period }: Plan) => thousandths(price) * BigInt(12 / MONTHS[period])

/** Costs more, or as much with no limit lower. */
const isUpward = (from: Plan, to: Plan) => {
  if (yearly(from) !== yearly(to)) return yearly(to) > yearly(from)
  return Object.entries(to.limits).every(([name, limit]) => {
    const before = from.limits[name as keyof Plan['limits']]
    return before !== undefined && before <= limit
  })
}

/** A period that begins now. */
const begin = (store: StoreId, plan: Plan, now: Date): Subscription => ({
  store_id: store,
  plan_id: plan.id,
  anchor: now,
  periods: 1,
  period_start: now,
  period_end: addPeriods(now, plan.period, 1),
  next_plan_id: null,
  price: plan.price,
})

/** The first plan of a store. */
export const subscribe = (store: StoreId, plan: Plan, now: Date): Switch => ({
  subscription: begin(store, plan, now),
  effectiveAt: now,
  lines: [line(plan.name, thousandths(plan.price))],
})

/**
 * Upward at once, with what is left of the period credited. Downward, and to another currency, at the end of the period. To
 * the current plan: what was to follow is cancelled.
 */
export const switchPlan = (current: Subscription, from: Plan, to: Plan, now: Date): Switch => {
  if (to.id === from.id)
    return { subscription: { ...current, next_plan_id: null }, effectiveAt: current.period_start, lines: [] }
  const later: Switch = {
    subscription: { ...current, next_plan_id: to.id },
    effectiveAt: current.period_end,
    lines: [],
  }
  if (from.currency !== to.currency || !isUpward(from, to)) return later
  const goesOn = from.period === to.period
  const period = { ...current, currency: to.currency }
  const charged = goesOn
    ? line(`${to.name}, rest of the period`, restOf(to.price, period, now))
    : line(to.name, thousandths(to.price))
  // The plan may have another price by now.
  const unused = line(`${from.name}, unused`, -restOf(current.price ?? from.price, period, now))
  if (thousandths(charged.amount) + thousandths(unused.amount) < 0n) return later
  const subscription = goesOn
    ? { ...current, plan_id: to.id, next_plan_id: null, price: to.price }
    : begin(current.store_id, to, now)
  return { subscription, effectiveAt: now, lines: [charged, unused] }
}

/** The period after the one that has ended, under the plan that was to follow, if any. */
export const renew = (current: Subscription, plan: Plan, isOther: boolean): Switch => {
  const { store_id, anchor, periods, period_end } = current
  const lines = [line(plan.name, thousandths(plan.price))]
  const next = isOther
    ? begin(store_id, plan, period_end)
    : {
        ...current,
        periods: periods + 1,
        period_start: period_end,
        period_end: addPeriods(anchor, plan.period, periods + 1),
        next_plan_id: null,
        price: plan.price,
      }
  return { subscription: next, effectiveAt: period_end, lines }
}
