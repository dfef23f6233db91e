import type { SeedContext, Seeded } from '../samples.ts'

export const needs = ['product']

export const seed = ({ make, known: { product } }: SeedContext) =>
  make('/discount', { code: 'WINTER', product_id: product.id })

export const samples = ({ product, discount }: Seeded) => [
  { route: 'GET /discount', querystring: { product_id: product.id } },
  { route: 'GET /discount/:id', params: { id: discount.id } },
  { route: 'POST /discount', body: { code: 'SUMMER', product_id: product.id } },
]
