import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { createPaymentMethod } from './queries.ts'

export const seed = async ({ api }: SeedContext) => ({
  payment: await createPaymentMethod(api.db, api.store.id, { name: 'Card' }),
})

export const samples = ({ payment }: Seeded) => [
  { route: 'GET /payment-method', querystring: { status: 'active' } },
  { route: 'GET /payment-method/:id', params: { id: payment.id } },
  { route: 'PUT /payment-method/:id', params: { id: payment.id }, body: { name: 'Cards', payment_types: ['card'] } },
]
