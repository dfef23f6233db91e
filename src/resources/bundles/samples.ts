import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'simple']

const newBundle = (product_id: string) => ({
  product_id,
  name: 'More for less',
  options: [{ name: 'Two', quantity: 2, price: 15 }],
})

export const seed = async ({ make, known: { simple } }: SeedContext) => {
  const { bundle } = await make('/bundle', newBundle(simple.id))
  return { bundle, bundle_option: bundle.options[0] }
}

export const samples = ({ product, simple, bundle, bundle_option: option }: Seeded) => [
  { route: 'GET /bundle', querystring: { product_id: simple.id } },
  { route: 'GET /bundle/:id', params: { id: bundle.id } },
  { route: 'POST /bundle', body: newBundle(product.id) },
  {
    route: 'PUT /bundle/:id',
    params: { id: bundle.id },
    body: { options: [{ id: option.id, name: 'Two', quantity: 2, price: 14 }] },
  },
  {
    route: 'POST /order',
    body: { variants: [{ variant_id: simple.default.id, bundle_option_id: option.id }] },
  },
]

export const removals = ({ bundle }: Seeded) => [{ route: 'DELETE /bundle/:id', params: { id: bundle.id } }]
