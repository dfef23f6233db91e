import type { Order } from '../../../../client/src/index.ts'
import type { Tone } from '../../components/Badge.tsx'

export type { Order }
export type Delivery = Order['deliveries'][number]
export type Line = Order['variants'][number]

export const STATUS_TONES: Record<Order['status'], Tone> = { paid: 'good', pending: 'warn', abandoned: 'plain' }

export const DELIVERY_TONES: Record<Delivery['status'], Tone> = {
  unfulfilled: 'warn',
  fulfilled: 'accent',
  shipped: 'accent',
  delivered: 'good',
  cancelled: 'plain',
}

const SEQUENCE: readonly Delivery['status'][] = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']

/** The statuses that an order's deliveries have, the least advanced first. The filter finds an order by each of them. */
export const deliveryStatuses = ({ deliveries }: Order) =>
  SEQUENCE.filter((status) => deliveries.some((delivery) => delivery.status === status))

const isOpen = (status: Delivery['status']) => status === 'unfulfilled' || status === 'fulfilled'

/** Some of its parcels are on their way, and others are not. */
export const isPartlyShipped = (order: Order) => {
  const statuses = deliveryStatuses(order)
  return statuses.some(isOpen) && statuses.some((status) => status === 'shipped' || status === 'delivered')
}

/** The parcels that are still to be sent. */
export const openDeliveries = ({ deliveries, is_cancelled }: Order): readonly Delivery[] =>
  is_cancelled ? [] : deliveries.filter(({ status }) => isOpen(status))

/** Whether somebody may still be told where to bring it: something is left to send, or nothing is sent at all. */
export const mayEditContact = (order: Order) =>
  !order.is_cancelled && (order.deliveries.length === 0 || openDeliveries(order).length > 0)

/** Waits for the word of the customer, or got another one than yes. */
export const isUnconfirmed = ({ confirmation }: Order) => confirmation !== null && confirmation.state !== 'confirmed'

/** As the API decides it: nothing was packed, sent, returned or refunded. */
export const mayEditLines = (order: Order) =>
  !order.is_cancelled &&
  order.status !== 'abandoned' &&
  order.bundle_name === null &&
  order.deliveries.length <= 1 &&
  order.deliveries.every(({ status }) => status === 'unfulfilled') &&
  order.returns.length + order.refunds.length === 0

/** Units of each line that a delivery, return or refund has taken already, by line. */
const sum = (entries: readonly { order_variant_id: string; quantity: number }[]) => {
  const units = new Map<string, number>()
  for (const { order_variant_id, quantity } of entries)
    units.set(order_variant_id, (units.get(order_variant_id) ?? 0) + quantity)
  return units
}

export const returnedUnits = ({ returns }: Order) => sum(returns.flatMap(({ return_variants }) => return_variants))

export const refundedUnits = ({ refunds }: Order) => sum(refunds.flatMap(({ refund_variants }) => refund_variants))

export const optionText = ({ options }: Line) => Object.values(options).join(' · ')
