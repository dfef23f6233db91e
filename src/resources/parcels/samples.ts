import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'carrier']

export const seed = async ({ all, make, known: { product, carrier } }: SeedContext) => {
  const { order } = await make('/order', { variants: [{ variant_id: product.variants[0].id, quantity: 1 }] })
  const [{ id }] = order.deliveries
  const number = randomUUID()
  const sent = { status: 'delivered', tracking_number: number, shipping_carrier: carrier.id }
  expect((await all.put(`/order/delivery/${id}`, sent)).status).toBe(200)
  return { parcel: { id, number } }
}

export const samples = ({ parcel, carrier }: Seeded) => [
  { route: 'GET /parcel', querystring: { carrier_id: carrier.id, cash: 'owed', state: ['delivered'] } },
  { route: 'GET /parcel/summary', querystring: { from: '2020-01-01' } },
  {
    route: 'POST /parcel/result',
    body: { results: [{ tracking_number: parcel.number, result: 'delivered' }], carrier_id: carrier.id },
  },
  { route: 'POST /parcel/cash', body: { parcel_ids: [parcel.id] } },
]
