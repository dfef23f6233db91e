import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'domain']

export const seed = async ({ make, known: { product, domain } }: SeedContext) => {
  const made = await make('/landing-page', { title: 'Mugs', product_id: product.id, domain_id: domain.id })
  return { page: made.landing_page }
}

export const samples = ({ product, simple, domain, page }: Seeded) => [
  { route: 'GET /landing-page', querystring: { product_id: [product.id], domain_id: domain.id } },
  { route: 'GET /landing-page/:id', params: { id: page.id } },
  { route: 'POST /landing-page', body: { title: 'Hats', product_id: product.id, domain_id: domain.id } },
  { route: 'PUT /landing-page/:id', params: { id: page.id }, body: { product_id: simple.id, domain_id: domain.id } },
]

export const removals = ({ page }: Seeded) => [
  { route: 'POST /landing-page/:id/publish', params: { id: page.id } },
  { route: 'POST /landing-page/:id/unpublish', params: { id: page.id } },
  { route: 'DELETE /landing-page/:id', params: { id: page.id } },
]
