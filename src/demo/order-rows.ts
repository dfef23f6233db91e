import { decimal } from '../core/input/money.ts'
import { holdsStock } from '../resources/orders/rules.ts'
import { orderSearchText } from '../resources/orders/search.ts'
import { type Outcome, simulateOutcome } from './fulfilment.ts'
import type { Person } from './names-and-places.ts'
import { HOUR, seededId, TODAY } from './random.ts'
import { isDigital, paymentMethodOf, type Sale } from './sales.ts'
import { APP, STORE } from './store.ts'

/** A sale with its deliveries, returns, refunds and history. */
export interface SaleWithOutcome {
  sale: Sale
  outcome: Outcome
}

export const withOutcomes = (sales: Sale[]): SaleWithOutcome[] =>
  sales.map((sale) => ({ sale, outcome: simulateOutcome(sale) }))

const store_id = STORE.id
const time = (at: number | null) => (at === null ? null : new Date(at))

const contact = <P extends 'customer' | 'billing'>(prefix: P, person: Person | undefined) =>
  Object.fromEntries(
    Object.entries({
      first_name: person?.first,
      last_name: person?.last,
      email: person?.email,
      phone: person?.phone,
      address: person?.address,
      city: person?.city,
      state: person?.state,
      postal_code: person?.postal,
    }).map(([field, value]) => [`${prefix}_${field}`, value ?? '']),
  ) as Record<`${P}_${string}`, string>

const distinct = (statuses: string[]) => [...new Set(statuses)].sort()

/** Set here, because an update by the triggers would write every index of the order again. */
const statusSets = ({ deliveries, returns, refunds }: Outcome) => ({
  delivery_statuses: distinct(deliveries.map(({ status }) => status)),
  return_statuses: distinct(returns.map(({ delivery }) => delivery.status)),
  refund_statuses: distinct(refunds.map(({ status }) => status)),
})

/** An order is called before it is packed. Some people do not answer at first. */
const confirmationOf = ({ sale, outcome }: SaleWithOutcome) => {
  if (sale.abandoned || outcome.cancelledAt !== null || outcome.status !== 'pending') return {}
  const isWaiting = outcome.deliveries.some(({ status }) => status === 'unfulfilled')
  const calledAt = Math.min(TODAY, sale.at + 2 * HOUR)
  const called = { confirmation_attempts: 1, confirmation_by: APP.name, confirmation_at: time(calledAt) }
  if (!isWaiting) return { confirmation: 'confirmed', ...called }
  return sale.totals.quantity % 3 === 0
    ? {
        confirmation: 'no_answer',
        ...called,
        confirmation_next_at: time(calledAt + 3 * HOUR),
        confirmation_note: 'Sonne sans réponse',
      }
    : { confirmation: 'waiting' }
}

const noteRows = (simulated: SaleWithOutcome) => {
  const { sale } = simulated
  const { confirmation, confirmation_at } = confirmationOf(simulated) as {
    confirmation?: string
    confirmation_at?: Date
  }
  if (confirmation !== 'no_answer' || !confirmation_at) return []
  return [
    {
      store_id,
      id: seededId('note', sale.id, confirmation_at.getTime()),
      order_id: sale.id,
      app_id: APP.id,
      app_name: APP.name,
      subject: 'note',
      subject_id: sale.id,
      from_state: null,
      to_state: '',
      note: 'Rappeler après 17 h, elle travaille.',
      created_at: confirmation_at,
    },
  ]
}

const orderRow = ({ sale, outcome }: SaleWithOutcome, customerId: (person: Person) => string) => ({
  store_id,
  id: sale.id,
  ref: sale.ref,
  status: outcome.status,
  currency: STORE.currency,
  customer_id: sale.known ? customerId(sale.buyer) : null,
  ...contact('customer', sale.buyer),
  country_id: sale.buyer.country,
  // An abandoned order has no billing details yet.
  ...contact('billing', sale.abandoned ? undefined : sale.payer),
  card_brand: sale.card?.brand ?? null,
  card_last4: sale.card?.last4 ?? null,
  ...sale.charges,
  tip: decimal(sale.totals.tip),
  subtotal: decimal(sale.totals.subtotal),
  total: decimal(sale.totals.total),
  quantity: sale.totals.quantity,
  is_archived: outcome.archived,
  is_cancelled: outcome.cancelledAt !== null,
  cancelled_at: time(outcome.cancelledAt),
  paid_at: time(outcome.paidAt),
  ...statusSets(outcome),
  meta_data: sale.meta,
  payment_method_id: paymentMethodOf(sale),
  landing_page_id: sale.page?.id ?? null,
  source_link: sale.source,
  created_at: time(sale.at),
  updated_at: time(outcome.updatedAt),
  phone_e164: '?',
  confirmation_attempts: 0,
  ...confirmationOf({ sale, outcome }),
})

const searchRow = ({ sale: { id, ref, buyer, at } }: SaleWithOutcome) => ({
  store_id,
  order_id: id,
  created_at: time(at),
  text: orderSearchText({
    id,
    ref,
    customer_first_name: buyer.first,
    customer_last_name: buyer.last,
    customer_email: buyer.email,
    customer_phone: buyer.phone,
    customer_address: buyer.address,
    customer_city: buyer.city,
    customer_state: buyer.state,
    customer_postal_code: buyer.postal,
  }),
})

const lineRows = ({ sale, outcome: { status, cancelledAt } }: SaleWithOutcome) =>
  sale.lines.map((line, position) => ({
    store_id,
    id: line.id,
    order_id: sale.id,
    position,
    product_id: line.product.id,
    variant_id: line.variant.id,
    quantity: line.quantity,
    price: decimal(line.variant.price),
    sku: line.variant.sku,
    title: line.product.note.title,
    is_digital: isDigital(line),
    options: Object.fromEntries(line.variant.choices.map(({ option, value }) => [option, value])),
    stock_taken:
      holdsStock({ status, is_cancelled: cancelledAt !== null }) && !line.product.note.untracked ? line.quantity : 0,
  }))

const deliveriesOf = ({ outcome: { deliveries, returns } }: SaleWithOutcome) => [
  ...deliveries,
  ...returns.map(({ delivery }) => delivery),
]

const deliveryRows = (simulated: SaleWithOutcome) =>
  deliveriesOf(simulated).map((delivery) => ({
    store_id,
    id: delivery.id,
    order_id: simulated.sale.id,
    is_return: delivery.isReturn,
    status: delivery.status,
    tracking_number: delivery.trackingNumber,
    carrier_id: delivery.carrierId,
    created_at: time(delivery.at),
    updated_at: time(delivery.changed),
  }))

const deliveryLineRows = (simulated: SaleWithOutcome) =>
  deliveriesOf(simulated).flatMap(({ id, units }) =>
    units.map(({ line, quantity }) => ({
      store_id,
      order_id: simulated.sale.id,
      delivery_id: id,
      order_line_id: line.id,
      quantity,
    })),
  )

const returnRows = ({ sale, outcome }: SaleWithOutcome) =>
  outcome.returns.map(({ id, reason, delivery, at }) => ({
    store_id,
    id,
    order_id: sale.id,
    reason,
    delivery_id: delivery.id,
    created_at: time(at),
  }))

const returnLineRows = ({ sale, outcome }: SaleWithOutcome) =>
  outcome.returns.flatMap(({ id, units, at }) =>
    units.map(({ line, quantity, reason, restock }) => ({
      store_id,
      id: seededId('return line', line.id, at),
      order_id: sale.id,
      return_id: id,
      order_line_id: line.id,
      quantity,
      reason,
      restock,
    })),
  )

const refundRows = ({ sale, outcome }: SaleWithOutcome) =>
  outcome.refunds.map(({ id, returnId, status, amount, reason, at }) => ({
    store_id,
    id,
    order_id: sale.id,
    return_id: returnId,
    status,
    amount: decimal(amount),
    reason,
    refunded_at: status === 'refunded' ? time(at) : null,
    created_at: time(at),
  }))

const refundLineRows = ({ sale, outcome }: SaleWithOutcome) =>
  outcome.refunds.flatMap(({ id, units, at }) =>
    units.map(({ line, quantity, amount }) => ({
      store_id,
      id: seededId('refund line', line.id, at),
      order_id: sale.id,
      refund_id: id,
      order_line_id: line.id,
      quantity,
      amount: decimal(amount),
    })),
  )

const eventRows = ({ sale, outcome }: SaleWithOutcome) =>
  outcome.events.map(({ subject, subjectId, from, to, at }) => ({
    store_id,
    id: seededId('event', `${subjectId} ${subject} ${to}`, at),
    order_id: sale.id,
    app_id: APP.id,
    app_name: APP.name,
    subject,
    subject_id: subjectId,
    from_state: from,
    to_state: to,
    created_at: time(at),
  }))

export const orderRows = (orders: SaleWithOutcome[], customerId: (person: Person) => string) => ({
  orders: orders.map((simulated) => orderRow(simulated, customerId)),
  order_search: orders.map(searchRow),
  order_line: orders.flatMap(lineRows),
  delivery: orders.flatMap(deliveryRows),
  delivery_line: orders.flatMap(deliveryLineRows),
  order_return: orders.flatMap(returnRows),
  return_line: orders.flatMap(returnLineRows),
  refund: orders.flatMap(refundRows),
  refund_line: orders.flatMap(refundLineRows),
  order_event: [...orders.flatMap(eventRows), ...orders.flatMap(noteRows)],
})
