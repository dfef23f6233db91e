import type { Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'page']

export const samples = ({ product, page }: Seeded) => [
  { route: 'GET /analytic/sales', querystring: { from: '2026-01-01', interval: 'month' } },
  { route: 'GET /analytic/products', querystring: { product_id: product.id } },
  { route: 'GET /analytic/customers', querystring: { interval: 'week' } },
  { route: 'GET /analytic/delivery', querystring: { to: '2026-01-01' } },
  { route: 'GET /analytic/landing-pages', querystring: { landing_page_id: page.id } },
  { route: 'GET /analytic/levels', querystring: { from: '2026-01-01', interval: 'month' } },
  { route: 'GET /analytic/stock', querystring: { cover: 30 } },
]
