import type { FullStore } from './full-store.ts'

/** A request that succeeds in the store it was made for; of each id that it carries, another store's must not. */
export interface Sample {
  /** `POST /product`, as the route table has it without the prefix. */
  route: string
  params?: Record<string, string>
  querystring?: Record<string, unknown>
  body?: Record<string, unknown>
  /** Carries an id where even the store's own has no place. */
  refused?: boolean
}

const lists = (s: FullStore): Sample[] => [
  { route: 'GET /product', querystring: { category: s.category.id, search: 'mug' } },
  { route: 'GET /category', querystring: { search: 'kitchen' } },
  {
    route: 'GET /order',
    querystring: {
      search: s.order.id,
      customer_id: s.order.customer_id,
      product_id: [s.product.id],
      landing_page_id: s.page.id,
    },
  },
  {
    route: 'GET /order/export',
    querystring: {
      search: s.order.id,
      customer_id: s.order.customer_id,
      product_id: [s.product.id],
      landing_page_id: s.page.id,
    },
  },
  { route: 'GET /customer', querystring: { search: 'shop' } },
  { route: 'GET /review', querystring: { product_id: s.product.id } },
  { route: 'GET /landing-page', querystring: { product_id: [s.product.id], domain_id: s.domain.id } },
  { route: 'GET /file', querystring: { fileable_type: 'product', fileable_id: s.product.id } },
]

const reads = (s: FullStore): Sample[] => [
  { route: 'GET /product/:id', params: { id: s.product.id } },
  { route: 'GET /order/:id', params: { id: s.order.id } },
  { route: 'GET /customer/:id', params: { id: s.customer.id } },
  { route: 'GET /review/:id', params: { id: s.review.id } },
  { route: 'GET /landing-page/:id', params: { id: s.page.id } },
  { route: 'GET /file/:id', params: { id: s.image.id } },
]

const productFields = (s: FullStore) => ({
  title: 'New',
  category_id: s.category.id,
  images: [{ id: s.image.id }],
  ugc_videos: [{ id: s.video.id }],
})

const productWrites = (s: FullStore): Sample[] => [
  {
    route: 'POST /product',
    body: {
      ...productFields(s),
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
  { route: 'POST /product', body: { ...productFields(s), default: { price: 1, file: s.document.id } } },
  {
    route: 'POST /product/:id/update',
    params: { id: s.product.id },
    body: {
      category_id: s.category.id,
      images: [{ id: s.image.id }],
      ugc_videos: [{ id: s.video.id }],
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

const orderWrites = (s: FullStore): Sample[] => [
  {
    route: 'POST /order',
    body: {
      variants: [{ variant_id: s.product.variants[0].id, quantity: 1 }],
      landing_page_id: s.page.id,
      payment_method_id: s.payment.id,
    },
  },
  { route: 'PUT /order/:id', params: { id: s.order.id }, body: { is_archived: true } },
  {
    route: 'PUT /order/delivery/:deliveryId',
    params: { deliveryId: s.order.deliveries[0].id },
    body: { tracking_number: 'T1', shipping_carrier: s.carrier.id },
  },
  {
    route: 'POST /order/:id/delivery',
    params: { id: s.order.id },
    body: { delivery_id: s.order.deliveries[0].id, variants: [{ order_variant_id: s.line, quantity: 1 }] },
  },
  {
    route: 'POST /order/:id/return',
    params: { id: s.order.id },
    body: { variants: [{ order_variant_id: s.line, quantity: 1 }] },
  },
  {
    route: 'POST /order/:id/refund',
    params: { id: s.order.id },
    body: { return_id: s.returned.id, variants: [{ order_variant_id: s.line, quantity: 1, amount: 1 }] },
  },
  { route: 'PUT /order/refund/:id', params: { id: s.refund.id }, body: { status: 'refunded' } },
]

/** Last, since with the right ids they take away what the others need. */
const removals = (s: FullStore): Sample[] => [
  { route: 'POST /landing-page/:id/publish', params: { id: s.page.id } },
  {
    route: 'DELETE /file/:id/link/:fileable_type/:fileable_id',
    params: { id: s.image.id, fileable_type: 'product', fileable_id: s.product.id },
  },
  { route: 'POST /file/:id', params: { id: s.spare.id } },
  { route: 'DELETE /review/:id', params: { id: s.review.id } },
  { route: 'DELETE /landing-page/:id', params: { id: s.page.id } },
]

export const samplesFor = (s: FullStore): Sample[] => [
  ...lists(s),
  ...reads(s),
  ...productWrites(s),
  ...orderWrites(s),
  { route: 'PUT /customer/:id', params: { id: s.customer.id }, body: { name: 'Amel' } },
  {
    route: 'POST /review',
    body: { product_id: s.product.id, content: 'Good', rating: 4, reviewer_name: 'Sami', image_ids: [s.image.id] },
  },
  { route: 'PUT /review/:id', params: { id: s.review.id }, body: { rating: 3 } },
  { route: 'POST /landing-page', body: { title: 'Hats', product_id: s.product.id, domain_id: s.domain.id } },
  {
    route: 'PUT /landing-page/:id',
    params: { id: s.page.id },
    body: { product_id: s.simple.id, domain_id: s.domain.id },
  },
  { route: 'POST /file', body: { fileable_type: 'product', fileable_id: s.product.id } },
  ...removals(s),
]
