import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const seed = async ({ make }: SeedContext) => make('/policy', { type: 'custom', title: 'Gift wrapping' })

export const samples = ({ policy }: Seeded) => [
  { route: 'GET /policy', querystring: { type: 'custom', is_published: false } },
  { route: 'GET /policy/:id', params: { id: policy.id } },
  { route: 'POST /policy', body: { type: 'custom', title: 'Repairs' } },
  { route: 'PUT /policy/:id', params: { id: policy.id }, body: { content: 'For free.' } },
]

export const removals = ({ policy }: Seeded) => [{ route: 'DELETE /policy/:id', params: { id: policy.id } }]
