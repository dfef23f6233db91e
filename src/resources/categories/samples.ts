import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'
import { createCategory } from './queries.ts'

export const seed = async ({ api }: SeedContext) => ({
  category: await createCategory(api.db, api.store.id, { name: `Kitchen ${randomUUID()}` }),
})

export const samples = ({ category }: Seeded) => [
  { route: 'GET /category', querystring: { search: 'kitchen' } },
  { route: 'GET /category/:id', params: { id: category.id } },
  { route: 'POST /category', body: { name: `Garden ${randomUUID()}` } },
  { route: 'PUT /category/:id', params: { id: category.id }, body: { name: `Bath ${randomUUID()}` } },
]

export const removals = ({ category }: Seeded) => [{ route: 'DELETE /category/:id', params: { id: category.id } }]
