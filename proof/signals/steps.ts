import { PHONES, type ShownOrder } from '../../tests/support/recount-signals.ts'
import type { Random } from '../random.ts'
import type { Json } from '../record.ts'

export type Call = (method: string, path: string, body?: Json) => Promise<{ status: number; body: Json }>

export interface Shelf {
  /** Variants to order. */
  variants: string[]
  /** Orders that were placed. Some are deleted or merged by now. */
  orders: string[]
}

const KINDS = [
  ...['place', 'place', 'place', 'phone', 'deliver', 'deliver', 'deliver', 'return', 'return', 'cancel', 'archive'],
  ...['status', 'delete', 'delete', 'merge', 'erase', 'lines', 'confirm', 'claim'],
]
const STATUSES = ['unfulfilled', 'shipped', 'delivered', 'delivered', 'cancelled']
const ADDRESSES = ['12 rue de Marseille', 'Tunis']
/** With more orders than that, the recount takes longer than the history. */
const MAX_ORDERS = 150

const place = async (random: Random, call: Call, shelf: Shelf) => {
  const reply = await call('POST', '/order', {
    variants: [{ variant_id: random.pick(shelf.variants), quantity: random.pick([1, 1, 11]) }],
    customer_phone: random.pick(PHONES),
    customer_address: random.pick(ADDRESSES),
    ...(random.chance(0.5) && { customer_email: `buyer${random.below(3)}@shop.example` }),
    created_at: new Date(Date.UTC(2026, 2, 1, random.below(100))).toISOString(),
  })
  if (reply.status === 201) shelf.orders.push(reply.body.data.order.id)
  return reply
}

/** Makes one random step. Most replies are refusals now and then: an order may be gone, or in another state. */
export const step = async (random: Random, call: Call, shelf: Shelf): Promise<{ status: number }> => {
  const kind = shelf.orders.length > MAX_ORDERS ? 'delete' : random.pick(KINDS)
  const id = shelf.orders.length === 0 ? undefined : random.pick(shelf.orders)
  if (kind === 'place' || id === undefined) return place(random, call, shelf)
  const path = `/order/${id}`
  const flag = random.chance(0.5)
  const phone = { customer_phone: random.pick(PHONES), customer_address: random.pick(ADDRESSES) }
  const lines = { variants: [{ variant_id: random.pick(shelf.variants), quantity: random.pick([1, 11]) }] }
  if (kind === 'phone') return call('PUT', path, phone)
  if (kind === 'cancel') return call('PUT', path, { is_cancelled: flag })
  if (kind === 'archive') return call('PUT', path, { is_archived: flag })
  if (kind === 'status') return call('PUT', path, { status: random.pick(['abandoned', 'pending', 'paid']) })
  if (kind === 'merge') return call('POST', `${path}/merge`, { order_id: random.pick(shelf.orders) })
  if (kind === 'lines') return call('PUT', `${path}/variants`, lines)
  if (kind === 'confirm') return call('POST', `${path}/confirmation`, { result: 'refused', cancel: flag })
  if (kind === 'claim') return call('POST', '/order/claim', {})
  if (kind === 'delete') {
    shelf.orders.splice(shelf.orders.indexOf(id), 1)
    return call('DELETE', path)
  }
  const found = await call('GET', path)
  if (found.status !== 200) return found
  const order = found.body.data.order as ShownOrder & { variants: { id: string }[] }
  if (kind === 'erase')
    return order.customer_id ? call('DELETE', `/customer/${order.customer_id}?erase=${flag}`) : found
  if (kind === 'return') {
    const [line] = order.variants
    return line
      ? call('POST', `${path}/return`, { variants: [{ order_variant_id: line.id, quantity: 1, restock: flag }] })
      : found
  }
  const parcel = flag ? order.deliveries[0]?.id : order.returns[0]?.delivery?.id
  return parcel ? call('PUT', `/order/delivery/${parcel}`, { status: random.pick(STATUSES) }) : found
}
