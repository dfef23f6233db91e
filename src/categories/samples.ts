import { randomUUID } from 'node:crypto'
import type { SeedContext } from '../../tests/support/samples.ts'
import { createCategory } from './manage-categories.ts'

export const seed = async ({ api }: SeedContext) => ({
  category: await createCategory(api.db, api.store.id, `Kitchen ${randomUUID()}`),
})

export const samples = () => [{ route: 'GET /category', querystring: { search: 'kitchen' } }]
