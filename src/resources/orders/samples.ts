import { randomUUID } from 'node:crypto'
import type { Sample, SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'page', 'payment', 'carrier']

export const seed = async ({ all, make, known: { product, page, payment, carrier } }: SeedContext) => {
  const { order } = await make('/order', {
    status: 'paid',
    customer_email: `${randomUUID()}@shop.example`,
    landing_page_id: page.id,
    payment_method_id: payment.id,
    variants: [{ variant_id: product.variants[0].id, quantity: 6 }],
  })
  await all.put(`/order/delivery/${order.deliveries[0].id}`, { shipping_carrier: carrier.id })
  const line = order.variants[0].id as string
  const returned = (await make(`/order/${order.id}/return`, { variants: [{ order_variant_id: line, quantity: 1 }] }))
    .return
  const { refund } = await make(`/order/${order.id}/refund`, { return_id: returned.id, amount: 1 })
  const variants = [{ variant_id: product.variants[0].id, quantity: 1 }]
  const { order: waiting } = await make('/order', { variants })
  const { order: twin } = await make('/order', { variants })
  const { order: edited } = await make('/order', { variants })
  return { order, line, returned, refund, waiting, twin, edited }
}

const filters = ({ order, product, page, carrier }: Seeded) => ({
  search: order.id,
  customer_id: order.customer_id,
  product_id: [product.id],
  landing_page_id: page.id,
  carrier_id: carrier.id,
})

export const samples = (s: Seeded): Sample[] => {
  const params = { id: s.order.id }
  const line = { order_variant_id: s.line, quantity: 1 }
  return [
    { route: 'GET /phone/:number', params: { number: '+21620123456' } },
    { route: 'GET /order/claim' },
    { route: 'POST /order/claim', body: { order_id: s.waiting.id } },
    { route: 'POST /order/:id/confirmation', params, body: { result: 'confirmed' } },
    { route: 'POST /order/:id/note', params, body: { text: 'Rings twice' } },
    { route: 'POST /order/:id/merge', params: { id: s.waiting.id }, body: { order_id: s.twin.id } },
    {
      route: 'PUT /order/:id/variants',
      params: { id: s.edited.id },
      body: { variants: [{ id: s.edited.variants[0].id, quantity: 2 }] },
    },
    { route: 'GET /order', querystring: filters(s) },
    { route: 'GET /order/export', querystring: filters(s) },
    { route: 'GET /order/:id', params },
    {
      route: 'POST /order',
      body: {
        variants: [{ variant_id: s.product.variants[0].id, quantity: 1 }],
        landing_page_id: s.page.id,
        payment_method_id: s.payment.id,
      },
    },
    { route: 'PUT /order/:id', params, body: { is_archived: true } },
    {
      route: 'PUT /order/delivery/:deliveryId',
      params: { deliveryId: s.order.deliveries[0].id },
      body: { tracking_number: 'T1', shipping_carrier: s.carrier.id },
    },
    {
      route: 'POST /order/:id/delivery',
      params,
      body: { delivery_id: s.order.deliveries[0].id, variants: [line] },
    },
    { route: 'POST /order/:id/return', params, body: { variants: [line] } },
    {
      route: 'POST /order/:id/refund',
      params,
      body: { return_id: s.returned.id, variants: [{ ...line, amount: 1 }] },
    },
    { route: 'PUT /order/refund/:id', params: { id: s.refund.id }, body: { status: 'refunded' } },
  ]
}

export const removals = ({ order }: Seeded) => [{ route: 'DELETE /order/:id', params: { id: order.id } }]
