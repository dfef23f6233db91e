import type { RecordedResources } from './recorded-examples.ts'

/** Stand-ins for what is secret or different on every server. */
export const PLACEHOLDERS = {
  client_id: 'app_0000000000000000',
  client_secret: 'sk_this-is-not-a-secret',
  install_id: '00000000-0000-7000-8000-000000000001',
  token: 'eyJhbGciOiJIUzI1NiJ9.this-is-not-a-token.this-is-not-a-signature',
}

const person = {
  customer_first_name: 'Amina',
  customer_last_name: 'Ben Salah',
  customer_email: 'amina@example.com',
  customer_phone: '+216 20 123 456',
  customer_address: '12 rue de Marseille',
  customer_city: 'Tunis',
  customer_postal_code: '1001',
  country_id: 'TN',
}

const size = (value: string) => [{ order: 0, value }]

/** A body for each operation that takes one. Ids are those of the demo store, so that trying it out works there. */
export const requestExamples = (recorded: RecordedResources): Record<string, unknown> => {
  const { product, order, carrier, category } = recorded
  const returned = recorded.return.return_variants.map((line) => line.order_variant_id)
  const kept = order.variants.find(({ id }) => !returned.includes(id))
  const [variant] = product.variants
  return {
    getToken: {
      client_id: PLACEHOLDERS.client_id,
      client_secret: PLACEHOLDERS.client_secret,
      install_id: PLACEHOLDERS.install_id,
      ttl: 3600,
    },
    // A file that is there wherever the command is pasted in a checkout.
    uploadFile: { file: '@README.md', alt: 'How to start' },
    createProduct: {
      title: 'Stoneware mug',
      description: 'Thrown by hand, glazed in brown.',
      status: 'active',
      category_id: category.id,
      options: [{ order: 0, name: 'Size', values: [...size('Small'), { order: 1, value: 'Large' }] }],
      variants: [
        { price: 24.5, compare_price: 0, sku: 'MUG-S', quantity: 12, image: null, file: null, values: size('Small') },
        { price: 29.9, compare_price: 35, sku: 'MUG-L', quantity: 8, image: null, file: null, values: size('Large') },
      ],
      properties: [{ name: 'Material', value: 'Stoneware' }],
    },
    updateProduct: { status: 'active', variants: [{ id: variant?.id, price: 26.9 }] },
    createOrder: {
      status: 'paid',
      ...person,
      variants: [{ variant_id: variant?.id, quantity: 1 }],
      shipping_rate: 7,
      meta_data: { source: 'phone' },
    },
    updateOrder: { customer_address: '14 rue de Marseille', is_archived: true },
    updateDelivery: {
      status: 'shipped',
      tracking_number: 'TN-42',
      shipping_carrier: carrier.id,
    },
    splitDelivery: {
      variants: [{ order_variant_id: recorded.waiting_order.variants[0]?.id, quantity: 1 }],
    },
    returnOrder: {
      reason: 'Arrived broken',
      variants: [{ order_variant_id: kept?.id, quantity: 1, restock: false }],
    },
    refundOrder: { amount: 5, status: 'refunded', reason: 'Arrived late' },
    updateRefund: { status: 'refunded' },
    createCustomer: {
      email: 'amina@example.com',
      name: 'Amina Ben Salah',
      phone: '+216 20 123 456',
      city: 'Tunis',
      country_id: 'TN',
      subscription_status: 'subscribed',
    },
    updateCustomer: { city: 'Sfax', subscription_status: 'not_subscribed' },
    createReview: {
      product_id: product.id,
      content: 'Keeps the coffee warm, and the glaze is even better in the sun.',
      rating: 5,
      reviewer_name: 'Amina',
      status: 'published',
    },
    updateReview: { status: 'hidden' },
    createLandingPage: {
      title: 'Mugs for the winter',
      product_id: product.id,
      meta_description: 'Thrown by hand in Nabeul.',
      lang: 'en',
      cod_type: 'popup',
    },
    updateLandingPage: { title: 'Mugs for the spring' },
  }
}
