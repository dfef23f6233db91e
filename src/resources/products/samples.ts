import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['category', 'image', 'document']

export const seed = async ({ make, known: { category, image, document } }: SeedContext) => {
  const { product } = await make('/product', {
    title: 'Mug',
    category_id: category.id,
    images: [{ id: image.id }],
    properties: [{ name: 'Clay', value: 'red' }],
    options: [{ order: 1, name: 'Size', values: [{ value: 'S' }, { value: 'L' }] }],
    variants: ['S', 'L'].map((value) => ({
      price: 10,
      quantity: 50,
      file: document.id,
      values: [{ order: 1, value }],
    })),
  })
  const simple = (await make('/product', { title: 'Hat', default: { price: 5, quantity: 50 } })).product
  const doomed = (await make('/product', { title: 'Cap' })).product
  return { product, simple, doomed }
}

const fields = ({ category, image, video }: Seeded) => ({
  category_id: category.id,
  images: [{ id: image.id }],
  ugc_videos: [{ id: video.id }],
})

const creations = (s: Seeded) => [
  {
    route: 'POST /product',
    body: {
      title: 'New',
      ...fields(s),
      options: [{ order: 1, name: 'Size', values: [{ order: 1, value: 'S' }] }],
      variants: [{ price: 1, image: s.image.id, file: s.document.id, values: [{ order: 1, value: 'S' }] }],
    },
  },
  {
    route: 'POST /product',
    refused: true,
    body: {
      title: 'New',
      options: [
        { id: s.product.options[0].id, name: 'Size', values: [{ id: s.product.options[0].values[0].id, value: 'S' }] },
      ],
      variants: [{ id: s.product.variants[0].id, price: 1, values: [{ value: 'S' }] }],
    },
  },
  { route: 'POST /product', body: { title: 'New', ...fields(s), default: { price: 1, file: s.document.id } } },
]

const changes = (s: Seeded) => [
  {
    route: 'POST /product/:id/update',
    params: { id: s.product.id },
    body: {
      ...fields(s),
      options: [{ id: s.product.options[0].id, values: [{ id: s.product.options[0].values[0].id, value: 'XS' }] }],
      variants: [{ id: s.product.variants[0].id, price: 11, image: s.image.id, file: s.document.id }],
    },
  },
  {
    route: 'POST /product/:id/update',
    params: { id: s.simple.id },
    body: { default: { price: 6, file: s.document.id } },
  },
]

export const samples = (s: Seeded) => [
  { route: 'GET /product', querystring: { category: s.category.id, search: 'mug' } },
  { route: 'GET /product/:id', params: { id: s.product.id } },
  ...creations(s),
  ...changes(s),
]

export const removals = ({ doomed }: Seeded) => [{ route: 'DELETE /product/:id', params: { id: doomed.id } }]
