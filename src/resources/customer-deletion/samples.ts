import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const seed = async ({ make }: SeedContext) => ({
  leaving: (await make('/customer', { email: `${randomUUID()}@shop.example` })).customer,
})

export const removals = ({ leaving }: Seeded) => [
  { route: 'DELETE /customer/:id', params: { id: leaving.id }, querystring: { erase: true } },
]
