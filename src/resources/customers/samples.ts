import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const seed = ({ make }: SeedContext) => make('/customer', { email: `${randomUUID()}@shop.example` })

export const samples = ({ customer }: Seeded) => [
  { route: 'GET /customer', querystring: { search: 'shop' } },
  { route: 'GET /customer/:id', params: { id: customer.id } },
  { route: 'PUT /customer/:id', params: { id: customer.id }, body: { name: 'Amel' } },
]
