import type { Thousandths } from '../core/input/money.ts'
import type { DeliveryStatus, EventSubject, RefundStatus } from '../resources/orders/schema.ts'
import { DAY, HOUR, MINUTE, SeededRandom, seededId, TODAY } from './random.ts'
import { isDigital, paidAt, paidFor, type Sale, type SaleLine, statusOf } from './sales.ts'
import { carrierRows } from './store.ts'

interface Units {
  line: SaleLine
  quantity: number
}

export interface Delivery {
  id: string
  isReturn: boolean
  status: DeliveryStatus
  trackingNumber: string | null
  carrierId: string | null
  units: Units[]
  at: number
  changed: number
}

export interface Return {
  id: string
  reason: string | null
  delivery: Delivery
  units: (Units & { reason: string | null; restock: boolean })[]
  at: number
}

export interface Refund {
  id: string
  returnId: string | null
  status: RefundStatus
  amount: Thousandths
  reason: string | null
  units: (Units & { amount: Thousandths })[]
  at: number
}

interface Event {
  subject: EventSubject
  subjectId: string
  from: string | null
  to: string
  at: number
}

/** Deliveries, returns, refunds and history of a sale. */
export interface Outcome {
  status: ReturnType<typeof statusOf>
  paidAt: number | null
  cancelledAt: number | null
  archived: boolean
  deliveries: Delivery[]
  returns: Return[]
  refunds: Refund[]
  events: Event[]
  updatedAt: number
}

const ageOf = (at: number) => (TODAY - at) / DAY

const drawStatus = (sale: Sale, cancelled: boolean, random: SeededRandom): DeliveryStatus => {
  if (sale.abandoned) return 'unfulfilled'
  if (cancelled) return random.chance(0.75) ? 'cancelled' : 'unfulfilled'
  const age = ageOf(sale.at)
  if (age < 1.5) return 'unfulfilled'
  if (age < 3.5) return random.pick(['unfulfilled', 'fulfilled'])
  if (age < 8) return random.weighted({ shipped: 60, fulfilled: 20, delivered: 20 })
  return random.weighted({ delivered: 88, shipped: 6, fulfilled: 2, unfulfilled: 2, cancelled: 2 })
}

const PATHS: Record<DeliveryStatus, DeliveryStatus[]> = {
  unfulfilled: [],
  cancelled: ['cancelled'],
  fulfilled: ['fulfilled'],
  shipped: ['fulfilled', 'shipped'],
  delivered: ['fulfilled', 'shipped', 'delivered'],
}

/** Some older deliveries are by the carrier that is inactive now. */
const drawCarrier = (sale: Sale, random: SeededRandom) => {
  const [aramex, post, dhl, courier, closed] = carrierRows
  if (sale.buyer.country !== 'TN') return dhl
  if (ageOf(sale.at) > 220 && random.chance(0.3)) return closed
  return random.pick([aramex, post, post, courier])
}

/** Ships units, or returns them, and records each step. */
const makeDelivery = (
  sale: Sale,
  units: Units[],
  start: { key: string; at: number; status: DeliveryStatus; returnId?: string },
  random: SeededRandom,
  events: Event[],
): Delivery => {
  const { key, at, returnId, status } = start
  const id = seededId(returnId ? 'return delivery' : 'delivery', key, at)
  const about = returnId ? ({ subject: 'return', subjectId: returnId } as const) : undefined
  let [before, changed]: [DeliveryStatus, number] = ['unfulfilled', at]
  for (const to of PATHS[status]) {
    changed = Math.min(TODAY, changed + random.between(10, 26) * HOUR + random.below(60) * MINUTE)
    events.push({ ...(about ?? { subject: 'delivery', subjectId: id }), from: before, to, at: changed })
    before = to
  }
  const handedOver = status === 'shipped' || status === 'delivered' || (status === 'fulfilled' && random.chance(0.5))
  const carrier = handedOver ? drawCarrier(sale, random) : undefined
  const trackingNumber = carrier?.tracking_url ? `${random.pick(['TN', 'RR', 'EE'])}${random.digits(9)}` : null
  return {
    id,
    isReturn: returnId !== undefined,
    status,
    trackingNumber,
    carrierId: carrier?.id ?? null,
    units,
    at,
    changed,
  }
}

const drawDeliveries = (sale: Sale, cancelled: boolean, random: SeededRandom, events: Event[]): Delivery[] => {
  const sent = sale.lines.filter((line) => !isDigital(line)).map((line) => ({ line, quantity: line.quantity }))
  if (sent.length === 0) return []
  const parcels = sent.length > 1 && random.chance(0.12) ? [sent.slice(0, 1), sent.slice(1)] : [sent]
  return parcels.map((units, parcel) => {
    const status = drawStatus(sale, cancelled, random)
    const key = `${sale.id} ${parcel}`
    return makeDelivery(sale, units, { key, at: sale.at, status }, random, events)
  })
}

const RETURN_REASONS = {
  en: ['Arrived damaged', 'Not the colour I expected', 'Ordered the wrong size'],
  fr: ['Arrivé cassé', 'La couleur ne convient pas', 'Commandé par erreur'],
  ar: ['وصل مكسورا', 'اللون مختلف عن الصورة', 'تراجعت عن الشراء'],
}

const drawReturn = (sale: Sale, [delivery]: Delivery[], random: SeededRandom, events: Event[]): Return[] => {
  const [sent] = delivery?.units ?? []
  if (!delivery || !sent || delivery.status !== 'delivered' || ageOf(sale.at) < 16 || !random.chance(0.11)) return []
  const at = delivery.changed + random.between(2, 6) * DAY
  const status = random.weighted({ delivered: 50, shipped: 15, fulfilled: 12, unfulfilled: 15, cancelled: 8 })
  const quantity = random.between(1, sent.quantity)
  const id = seededId('return', sale.id, at)
  events.push({ subject: 'return', subjectId: id, from: null, to: 'unfulfilled', at })
  const units = [{ line: sent.line, quantity }]
  const back = makeDelivery(sale, units, { key: sale.id, at, status, returnId: id }, random, events)
  const reason = random.pick(RETURN_REASONS[sale.buyer.language])
  const restock = status === 'delivered' && random.chance(0.6)
  return [
    {
      id,
      reason: random.chance(0.85) ? reason : null,
      delivery: back,
      units: [{ line: sent.line, quantity, reason: random.chance(0.7) ? reason : null, restock }],
      at,
    },
  ]
}

const refundOf = (sale: Sale, at: number, refund: Omit<Refund, 'id' | 'at'>, events: Event[]): Refund => {
  const id = seededId('refund', sale.id, at)
  events.push({ subject: 'refund', subjectId: id, from: null, to: 'pending', at })
  if (refund.status === 'refunded')
    events.push({ subject: 'refund', subjectId: id, from: 'pending', to: 'refunded', at: Math.min(TODAY, at + DAY) })
  return { id, at, ...refund }
}

const priced = (sale: Sale, units: Units[]) =>
  units.map(({ line, quantity }) => ({ line, quantity, amount: paidFor(sale, line, quantity) }))

const sum = (units: { amount: Thousandths }[]) => units.reduce((total, { amount }) => total + amount, 0n)

/** Refunds paid orders: for returned goods, for a cancellation, or as a courtesy. */
const drawRefund = (
  sale: Sale,
  cancelledAt: number | null,
  returns: Return[],
  random: SeededRandom,
  events: Event[],
) => {
  const [returned] = returns
  if (cancelledAt !== null) {
    const units = priced(
      sale,
      sale.lines.map((line) => ({ line, quantity: line.quantity })),
    )
    const status: RefundStatus = random.chance(0.7) ? 'refunded' : 'pending'
    const reason = random.chance(0.8) ? 'Order cancelled' : null
    return [refundOf(sale, cancelledAt, { returnId: null, status, amount: sale.totals.total, reason, units }, events)]
  }
  if (returned && random.chance(0.8)) {
    const units = priced(sale, returned.units)
    const status: RefundStatus =
      returned.delivery.status === 'delivered' && random.chance(0.85) ? 'refunded' : 'pending'
    const at = Math.min(TODAY, returned.delivery.changed + 6 * HOUR)
    const { id: returnId, reason } = returned
    return [refundOf(sale, at, { returnId, status, amount: sum(units), reason, units }, events)]
  }
  if (!returned && ageOf(sale.at) > 20 && sale.totals.total > 20_000n && random.chance(0.02)) {
    const reason = 'A gesture for the late parcel'
    return [
      refundOf(
        sale,
        sale.at + 9 * DAY,
        { returnId: null, status: 'refunded', amount: 5_000n, reason, units: [] },
        events,
      ),
    ]
  }
  return []
}

const ARCHIVED_AFTER = 150

/** Simulates what happens to a sale up to the date of the demo store. */
export const simulateOutcome = (sale: Sale): Outcome => {
  const random = new SeededRandom(`outcome of ${sale.ref}`)
  const events: Event[] = []
  const cancelled = !sale.abandoned && random.chance(0.07)
  const cancelledAt = cancelled ? Math.min(TODAY, sale.at + random.between(1, 30) * HOUR) : null
  const deliveries = drawDeliveries(sale, cancelled, random, events)
  const delivered = deliveries.filter(({ status }) => status === 'delivered').at(-1)
  const paid = paidAt(sale, delivered?.changed)
  const status = statusOf(sale, paid)
  const first = status === 'abandoned' ? 'abandoned' : 'pending'
  events.push({ subject: 'status', subjectId: sale.id, from: null, to: first, at: sale.at })
  if (paid !== null) events.push({ subject: 'status', subjectId: sale.id, from: 'pending', to: 'paid', at: paid })
  if (cancelledAt !== null)
    events.push({ subject: 'is_cancelled', subjectId: sale.id, from: 'false', to: 'true', at: cancelledAt })
  const returns = drawReturn(sale, deliveries, random, events)
  const refunds = status === 'paid' ? drawRefund(sale, cancelledAt, returns, random, events) : []
  const archived = ageOf(sale.at) > ARCHIVED_AFTER && random.chance(0.3)
  if (archived) {
    const at = sale.at + ARCHIVED_AFTER * DAY
    events.push({ subject: 'is_archived', subjectId: sale.id, from: 'false', to: 'true', at })
  }
  const updatedAt = Math.max(...events.map(({ at }) => at))
  return { status, paidAt: paid, cancelledAt, archived, deliveries, returns, refunds, events, updatedAt }
}
