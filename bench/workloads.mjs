import { api } from './paths.mjs'

/** The workloads, each with its reference and its target ratio, if any. All connections send `requests` in turn. */
export const smallWorkloads = (targets, token) => {
  const headers = { Authorization: `Bearer ${token}` }
  const json = { ...headers, 'Content-Type': 'application/json' }
  const get = (path) => ({ path: `${api}${path}`, headers })
  const each = (resource, ids) => ids.map((id) => get(`/${resource}/${id}`))
  const read = (name, requests) => ({ name, requests, against: 'L2' })
  const post = (path, body) => [{ method: 'POST', path: `${api}${path}`, headers: json, body: JSON.stringify(body) }]
  const person = {
    customer_first_name: 'Amira',
    customer_last_name: 'Trabelsi',
    customer_phone: '+216 20 123 456',
    customer_address: '12 Olive Street',
    customer_city: 'Tunis',
    country_id: 'TN',
  }
  return [
    read('GET /product/{id}', each('product', targets.product)),
    read('GET /order/{id}', each('order', targets.order)),
    read('GET /customer/{id}', each('customer', targets.customer)),
    read('20 products', [get('/product?page_size=20')]),
    read('20 orders', [get('/order?page_size=20')]),
    read('20 customers', [get('/customer?page_size=20')]),
    read('20 reviews', [get('/review?page_size=20')]),
    {
      name: 'POST /customer',
      requests: post('/customer', {
        name: 'Amira Trabelsi',
        email: 'bench-########@example.com',
        phone: '+216 20 123 456',
        country_id: 'TN',
      }),
      target: 0.6,
      against: 'bare',
    },
    {
      name: 'POST /order, 2 lines',
      // Each order has its own variants: orders for the same variant would wait for each other's locks.
      requests: Array.from({ length: 400 }, (_, n) =>
        post('/order', {
          ...person,
          customer_email: 'bench-order-########@example.com',
          customer_phone: '+336########',
          variants: targets.variants.slice(n * 2, n * 2 + 2).map((variant_id) => ({ variant_id, quantity: 1 })),
        }),
      ).flat(),
      target: 0.6,
      against: 'bare',
    },
    { name: 'POST /auth/get-token', requests: post('/auth/get-token', targets.credentials), against: 'L1' },
    { name: 'GET /permission', requests: [get('/permission')], against: 'L1' },
  ]
}

/** The workloads of two builds that are compared: reads, writes, and the change of one field. */
export const comparedWorkloads = (targets, token) => [
  ...smallWorkloads(targets, token)
    .filter(({ against }) => against !== 'L1')
    .map((work) => ({ ...work, stamped: work.against === 'bare' })),
  {
    // Far more than the server remembers.
    name: '20 orders, 1,200 pages in turn',
    requests: ['date', 'total', 'quantity'].flatMap((sort) =>
      ['ASC', 'DESC'].flatMap((direction) =>
        Array.from({ length: 200 }, (_, page) => ({
          path: `${api}/order?page_size=20&page=${page + 1}&order_by=${sort}&order_direction=${direction}`,
          headers: { Authorization: `Bearer ${token}` },
        })),
      ),
    ),
    stamped: false,
  },
  {
    name: 'POST /product/{id}/update, one field',
    requests: targets.product.map((id) => ({
      method: 'POST',
      path: `${api}/product/${id}/update`,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"meta_description":"########"}',
    })),
    stamped: true,
  },
]

const MEGABYTE = 1024 * 1024
export const uploadWork = (token) => ({
  name: 'POST /file, 5 MB',
  upload: { path: `${api}/file`, headers: { Authorization: `Bearer ${token}` }, bytes: 5 * MEGABYTE },
  target: 0.8,
  against: 'L3',
})

/** Requests whose p50 on data set L must not be much higher than on S. */
export const growthWorkloads = (targets) => {
  const { order1, product, category, customer } = targets
  const list = (resource, ...queries) =>
    queries.map((query) => [`${resource}?${query}`, `/${resource}?page_size=20&${query}`])
  const sorts = (...names) => names.flatMap((name) => [`order_by=${name}`, `order_by=${name}&order_direction=ASC`])
  return [
    ...['product', 'order', 'customer', 'review', 'file', 'landing-page'].map((resource) => [
      `${resource}/{id}`,
      `/${resource}/${targets[resource === 'landing-page' ? 'page' : resource][0]}`,
    ]),
    ...list(
      'product',
      ...sorts('created_at', 'title', 'category'),
      'status=active',
      'status=inactive',
      'is_digital=true',
      'is_digital=false',
      'out_of_stock=true',
      'out_of_stock=false',
      `category=${category[0]}`,
      `title=${encodeURIComponent(targets.title)}`,
      'search=cotton',
      'search=blue+mug',
      'search=number',
      'page=50',
    ),
    ...list(
      'order',
      ...sorts('date', 'total', 'quantity', 'status'),
      'status=paid',
      'status=abandoned',
      'delivery_status=shipped',
      'return_status=shipped',
      'refund_status=pending',
      'exclude_delivery_status=delivered',
      'exclude_return_status=delivered',
      'exclude_refund_status=refunded',
      'is_cancelled=true',
      'is_archived=false',
      `ref=${order1.ref}`,
      `customer_id=${order1.customer_id}`,
      `product_id=${product[0]}`,
      `landing_page_id=${targets.page[0]}`,
      'from=2025-12-31',
      'to=2025-12-31',
      'updated_from=2025-12-31',
      'updated_to=2025-12-31',
      `search=${encodeURIComponent(order1.phone)}`,
      `search=${encodeURIComponent(order1.last_name)}`,
      'search=amira',
      `search=${encodeURIComponent(order1.email)}`,
      'page=200',
    ),
    // The small store has enough rows for this page only with a small page_size.
    ['order?page=500', '/order?page_size=10&page=500'],
    ...list(
      'customer',
      ...sorts('amount_spent', 'order_count', 'name', 'email', 'phone', 'address', 'city', 'postal_code', 'created_at'),
      ...sorts('subscription_status'),
      'country=DE',
      `search=${encodeURIComponent(order1.last_name)}`,
      'search=amira',
      `search=${encodeURIComponent(order1.email)}`,
      'page=200',
    ),
    ...list(
      'review',
      ...sorts('created_at', 'rating', 'product_id'),
      'status=pending',
      'status=published',
      'rating=4',
      `product_id=${product[0]}`,
    ),
    ...list(
      'file',
      ...sorts('created_at'),
      'fileable_type=product',
      `fileable_type=product&fileable_id=${product[0]}`,
      'mime_type=image/jpeg',
      `mime_type=${encodeURIComponent('image/*')}`,
      'from=2025-12-31',
      'to=2025-12-31',
    ),
    ...list('landing-page', ...sorts('created_at', 'updated_at'), `product_id=${product[0]}`, 'cod_type=popup'),
    ...list('category', ...sorts('name', 'created_at')),
    ...['sales', 'products', 'customers', 'delivery', 'landing-pages'].map((name) => [
      `analytic/${name}, a year by day`,
      `/analytic/${name}?from=2025-01-01&to=2025-12-31`,
    ]),
    ['shipping-carrier', '/shipping-carrier'],
    ['country', '/country'],
  ].map(([name, path]) => ({ name, path: `${api}${path}`, of: customer }))
}
