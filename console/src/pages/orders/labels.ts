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

/** The status of an order's delivery that is least advanced. */
export const deliveryStatus = ({ deliveries }: Order): Delivery['status'] | undefined =>
  SEQUENCE.find((status) => deliveries.some((delivery) => delivery.status === status))

export const openDelivery = ({ deliveries, is_cancelled }: Order) =>
  is_cancelled ? undefined : deliveries.find(({ status }) => status === 'unfulfilled' || status === 'fulfilled')

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
