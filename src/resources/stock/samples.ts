import type { Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product']

export const samples = ({ product }: Seeded) => [
  { route: 'GET /stock/:id/history', params: { id: product.variants[0].id } },
  { route: 'POST /stock', body: { stock: [{ variant_id: product.variants[0].id, delta: 1, reason: 'Counted' }] } },
]
