import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { createCarrier } from './create-carrier.ts'

export const seed = async ({ api }: SeedContext) => ({
  carrier: await createCarrier(api.db, api.store.id, { name: 'Swift', code: randomUUID() }),
})

export const samples = ({ carrier }: Seeded) => [
  { route: 'GET /shipping-carrier', querystring: { status: 'all' } },
  { route: 'GET /shipping-carrier/:id', params: { id: carrier.id } },
  { route: 'POST /shipping-carrier', body: { name: 'Aramex', code: randomUUID() } },
  { route: 'PUT /shipping-carrier/:id', params: { id: carrier.id }, body: { name: 'Swifter' } },
]

export const removals = ({ carrier }: Seeded) => [{ route: 'DELETE /shipping-carrier/:id', params: { id: carrier.id } }]
