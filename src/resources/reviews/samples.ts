import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

export const needs = ['product', 'image']

const newReview = ({ product, image }: Seeded) => ({
  product_id: product.id,
  content: 'Fine',
  rating: 5,
  reviewer_name: 'Amel',
  image_ids: [image.id],
})

export const seed = ({ make, known }: SeedContext) => make('/review', newReview(known))

export const samples = (s: Seeded) => [
  { route: 'GET /review', querystring: { product_id: s.product.id } },
  { route: 'GET /review/:id', params: { id: s.review.id } },
  { route: 'POST /review', body: newReview(s) },
  { route: 'PUT /review/:id', params: { id: s.review.id }, body: { rating: 3 } },
]

export const removals = ({ review }: Seeded) => [{ route: 'DELETE /review/:id', params: { id: review.id } }]
