import type { Config } from '../../config/config.ts'
import type { Examples, RecordedRows, Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import type { SharedPhones } from '../shared-phones/shared-phones.ts'
import { orderBulk } from './bulk.ts'
import { orderDeletionRoutes } from './deletion-routes.ts'
import { deskRoutes } from './desk-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { fulfilmentRoutes } from './fulfilment-routes.ts'
import { orderRoutes } from './routes.ts'
import { signalsKind } from './signals.ts'
import { deliveryKind, orderKind, refundKind, returnKind } from './text.ts'
import { trackingLinkKind } from './tracking-link.ts'

interface Line {
  id: string
}

const claimOf = ({ id, ref }: RecordedRows) => ({
  order_id: id,
  order_ref: ref,
  by: 'Amina Ben Salah',
  is_own: false,
  until: '2026-11-01T09:03:00.000Z',
})

const newOrder = ({ product }: RecordedRows) => ({
  status: 'paid',
  customer_first_name: 'Amina',
  customer_last_name: 'Ben Salah',
  customer_email: 'amina@example.com',
  customer_phone: '+216 20 123 456',
  customer_address: '12 rue de Marseille',
  customer_city: 'Tunis',
  customer_postal_code: '1001',
  country_id: 'TN',
  variants: [{ variant_id: product.variants[0].id, quantity: 1 }],
  shipping_rate: 7,
  meta_data: { source: 'phone' },
})

/** A line of the recorded order that has not been returned. */
const keptLine = ({ order, return: { return_variants } }: RecordedRows) => {
  const returned = return_variants.map((line: { order_variant_id: string }) => line.order_variant_id)
  return order.variants.find(({ id }: Line) => !returned.includes(id))
}

const examples: Examples = {
  queries: {
    // An order with deliveries, returns and refunds.
    listOrders: 'refund_status=refunded&return_status=delivered&page_size=1',
    exportOrders: 'status=paid',
  },
  rows: async ({ getOrder }, read) => {
    const { deliveries, returns, refunds } = getOrder?.data.order ?? {}
    const query = 'delivery_status=unfulfilled&is_cancelled=false&order_by=quantity&page_size=1'
    const [{ id, variants }] = (await read(`/order?${query}`)).data.orders
    const waiting = await read('/order?status=pending&delivery_status=unfulfilled&is_cancelled=false')
    const [kept, merged, ...others] = waiting.data.orders.filter((order: RecordedRows) => order.bundle_name === null)
    const edited = others.find(({ deliveries }: RecordedRows) =>
      deliveries.every(({ status }: RecordedRows) => status === 'unfulfilled'),
    )
    const { orders: called } = (await read('/order?confirmation=no_answer&page_size=1')).data
    return {
      kept_order: kept,
      merged_order: merged,
      edited_order: edited,
      called_order: called[0],
      phone_number: (await read(`/phone/${encodeURIComponent(called[0].signals.phone)}`)).data.phone,
      /** Has units that have not been shipped. */
      waiting_order: { id, variants: variants.map(({ id }: Line) => ({ id })) },
      delivery: deliveries[0],
      return: returns[0],
      refund: refunds[0],
    }
  },
  bodies: (rows) => ({
    createOrder: newOrder(rows),
    updateOrder: { customer_address: '14 rue de Marseille', is_archived: true },
    updateDelivery: { status: 'shipped', tracking_number: 'TN-42', shipping_carrier: rows.carrier.id },
    splitDelivery: { variants: [{ order_variant_id: rows.waiting_order.variants[0].id, quantity: 1 }] },
    returnOrder: {
      reason: 'Arrived broken',
      variants: [{ order_variant_id: keptLine(rows)?.id, quantity: 1, restock: false }],
    },
    refundOrder: { amount: 5, status: 'refunded', reason: 'Arrived late' },
    updateRefund: { status: 'refunded' },
    confirmOrder: { result: 'confirmed' },
    createOrderNote: { text: 'Rings twice: the bell is broken.' },
    mergeOrders: { order_id: rows.merged_order.id },
    updateOrderLines: {
      variants: [{ id: rows.edited_order.variants[0].id, quantity: rows.edited_order.variants[0].quantity }],
    },
    claimOrder: { exclude: [] },
  }),
  schemas: ({ order, refund, return: returned, called_order, phone_number }) => ({
    OrderSignals: order.signals,
    OrderConfirmation: called_order.confirmation,
    OrderClaim: claimOf(called_order),
    PhoneNumber: phone_number,
    OrderVariant: order.variants[0],
    OrderEvent: order.history[0],
    ReturnVariant: returned.return_variants[0],
    RefundVariant: refund.refund_variants[0],
  }),
  replies: (rows) => ({
    claimOrder: { data: { order: rows.called_order } },
    listClaims: { data: { claims: [claimOf(rows.called_order)] } },
    getPhoneNumber: { data: { phone: rows.phone_number } },
  }),
  ids: ({ waiting_order, kept_order, called_order, edited_order }) => ({
    splitDelivery: waiting_order.id,
    updateOrderLines: edited_order.id,
    mergeOrders: kept_order.id,
    confirmOrder: called_order.id,
  }),
}

export const orders: Resource<{ db: Db; config: Config; sharedPhones: SharedPhones }> = {
  heading: 'Orders',
  description: 'Orders with their lines, deliveries, returns and refunds, and their export.',
  routes: (app, services) => {
    orderRoutes(app, services)
    orderDeletionRoutes(app, services)
    fulfilmentRoutes(app, services)
    exportRoutes(app, services)
    deskRoutes(app, services)
  },
  kinds: {
    order: orderKind,
    delivery: deliveryKind,
    order_return: returnKind,
    refund: refundKind,
    tracking_link: trackingLinkKind,
    order_signals: signalsKind,
  },
  events: {
    order: {
      permission: 'order:view',
      actions: ['created', 'updated', 'deleted', 'confirmed', 'refused'],
      snapshot: { table: 'orders', order: 110, permission: 'order:export' },
    },
  },
  bulk: { order: orderBulk },
  examples,
}
