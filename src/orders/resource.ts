import type { Config } from '../config/config.ts'
import type { Examples, RecordedRows, Resource } from '../http/resource.ts'
import type { Db } from '../storage/database.ts'
import { orderBulk } from './bulk.ts'
import { orderDeletionRoutes } from './deletion-routes.ts'
import { exportRoutes } from './export-routes.ts'
import { fulfilmentRoutes } from './fulfilment-routes.ts'
import { orderRoutes } from './routes.ts'
import { deliveryKind, orderKind, refundKind, returnKind } from './text.ts'
import { trackingLinkKind } from './tracking-link.ts'

interface Line {
  id: string
}

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
    return {
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
  }),
  schemas: ({ order, refund, return: returned }) => ({
    OrderVariant: order.variants[0],
    OrderEvent: order.history[0],
    ReturnVariant: returned.return_variants[0],
    RefundVariant: refund.refund_variants[0],
  }),
  ids: ({ waiting_order }) => ({ splitDelivery: waiting_order.id }),
}

export const orders: Resource<{ db: Db; config: Config }> = {
  heading: 'Orders',
  description: 'Orders with their lines, deliveries, returns and refunds, and their export.',
  routes: (app, services) => {
    orderRoutes(app, services)
    orderDeletionRoutes(app, services)
    fulfilmentRoutes(app, services)
    exportRoutes(app, services)
  },
  kinds: {
    order: orderKind,
    delivery: deliveryKind,
    order_return: returnKind,
    refund: refundKind,
    tracking_link: trackingLinkKind,
  },
  events: {
    order: { permission: 'order:view', snapshot: { table: 'orders', order: 110, permission: 'order:export' } },
  },
  bulk: { order: orderBulk },
  examples,
}
