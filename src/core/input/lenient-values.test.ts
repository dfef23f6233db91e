import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { form } from '../../../tests/support/uploads.ts'

const nulls = (...fields: string[]) => Object.fromEntries(fields.map((field) => [field, null]))

test('null counts as missing for optional fields of every creation', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const people = ['first_name', 'last_name', 'email', 'phone', 'address', 'city', 'state', 'postal_code']
  const order = await all.post('/order', {
    ...nulls(...people.flatMap((field) => [`customer_${field}`, `billing_${field}`]), 'country_id', 'currency'),
    ...nulls('is_archived', 'is_cancelled', 'shipping_rate', 'fee', 'tip_type', 'tip_value', 'meta_data', 'variants'),
    ...nulls('source_link', 'created_at', 'payment_method_id', 'landing_page_id'),
    customer_city: 'Sfax',
  })
  expect(order.status, order.text).toBe(201)
  expect(order.body.data.order).toMatchObject({
    status: 'pending',
    customer_city: 'Sfax',
    customer_phone: '',
    customer_id: null,
    currency: 'TND',
    meta_data: {},
  })
  expect(order.headers.get('x-ignored-input')).toBeNull()

  const optional = nulls('name', 'phone', 'address', 'city', 'postal_code', 'country_id')
  const customer = await all.post('/customer', { email: 'null@phone.example', ...optional })
  expect(customer.status, customer.text).toBe(201)
  expect(customer.body.data.customer).toMatchObject({ name: '', phone: null, subscription_status: 'not_subscribed' })

  const product = await all.post('/product', {
    title: 'Mug',
    ...nulls('slug', 'is_digital', 'images', 'variants', 'options', 'properties', 'ugc_videos'),
    default: { price: 5, compare_price: null, quantity: null, sku: null },
  })
  expect(product.status, product.text).toBe(201)
  expect(product.body.data.product).toMatchObject({ slug: 'mug', status: 'active', default: { price: 5, quantity: 0 } })
  const product_id = product.body.data.product.id

  const metadata = { product_id, content: 'Good', rating: 5, reviewer_name: 'Amina' }
  const review = await all.post(
    '/review',
    form({ metadata: JSON.stringify({ ...metadata, ...nulls('reviewer_email', 'image_ids') }) }),
  )
  expect(review.status, review.text).toBe(201)
  expect(review.body.data.review.status).toBe('pending')

  const page = { title: 'Page', product_id, ...nulls('slug', 'lang', 'domain_id', 'screenshot_url') }
  expect((await all.post('/landing-page', page)).body.data.landing_page).toMatchObject({ slug: 'page', lang: null })

  const { client_id, client_secret } = await api.install([])
  const token = await api.anonymous.post('/auth/get-token', { client_id, client_secret, install_id: null, ttl: null })
  expect(token.status, token.text).toBe(200)
  expect(token.body.data.ttl).toBe(3600)
  const basic = { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
  expect((await api.anonymous.post('/auth/get-token', nulls('client_id', 'client_secret'), basic)).status).toBe(200)
})

test('null is rejected for required fields and for fields of an update', async () => {
  const api = await startTestApi()
  const all = await api.as()
  expect(await all.post('/customer', { email: null })).toBeRefused(422, 'email')
  expect(await all.post('/product', { title: null })).toBeRefused(422, 'title')
  expect(await all.post('/order', { variants: [{ variant_id: null, quantity: 1 }] })).toBeRefused(
    422,
    'variants.0.variant_id',
  )
  const { id } = (await all.post('/order', { customer_city: 'Sfax' })).body.data.order
  expect(await all.put(`/order/${id}`, { customer_city: null })).toBeRefused(422, 'customer_city')
  expect((await all.get(`/order/${id}`)).body.data.order.customer_city).toBe('Sfax')
})

test('exact decimals may be strings, and booleans may be written as 0, 1, "true" or "false"', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const metadata = JSON.stringify({
    title: 'Mug',
    is_digital: 'false',
    stock_tracked: 1,
    allow_order_when_oos: 'true',
    default: { price: '10.50', compare_price: '12', quantity: '3' },
  })
  const created = await all.post('/product', form({ metadata }))
  expect(created.status, created.text).toBe(201)
  const { product } = created.body.data
  expect(product).toMatchObject({ is_digital: false, stock_tracked: true, allow_order_when_oos: true })
  expect(product.default).toMatchObject({ price: 10.5, compare_price: 12, quantity: 3 })
  const order = await all.post('/order', {
    variants: [{ variant_id: product.default.id, quantity: '2', price: '0.125' }],
    is_archived: 0,
    shipping_rate: '7.000',
    meta_data: { count: '3', flag: 'true', one: 1 },
  })
  expect(order.status, order.text).toBe(201)
  expect(order.body.data.order).toMatchObject({
    subtotal: 0.25,
    total: 7.25,
    is_archived: false,
    meta_data: { count: '3', flag: 'true', one: 1 },
  })
  const update = await all.post(`/product/${product.id}/update`, { is_digital: 1, default: { quantity_delta: '-1' } })
  expect(update.body.data.product).toMatchObject({ is_digital: true, default: { quantity: 0 } })
})

test('ambiguous numbers and booleans are rejected', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const prices = [
    '',
    ' 1',
    '1 ',
    '+1',
    '1e3',
    '0x10',
    '007',
    '1,5',
    '.5',
    '5.',
    'NaN',
    '1.2345',
    '-1',
    '9'.repeat(30),
    true,
  ]
  for (const price of prices)
    expect(await all.post('/product', { title: 'x', default: { price } }), String(price)).toBeRefused(
      422,
      'default.price',
    )
  for (const quantity of ['1.5', 'three', false])
    expect(await all.post('/product', { title: 'x', default: { quantity } })).toBeRefused(422, 'default.quantity')
  for (const is_digital of ['yes', '1', '0', 'TRUE', '', 2, -1, 'on'])
    expect(await all.post('/product', { title: 'x', is_digital }), String(is_digital)).toBeRefused(422, 'is_digital')
  expect(await all.post('/customer', { email: 'a@b.example', name: 5 })).toBeRefused(422, 'name')
})

test('the sort direction may be in lower case', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const email of ['a@x.example', 'b@x.example']) await all.post('/customer', { email })
  const emails = async (direction: string) =>
    (await all.get(`/customer?order_by=email&order_direction=${direction}`)).body.data.customers.map(
      ({ email }: { email: string }) => email,
    )
  for (const up of ['ASC', 'asc', 'Asc']) expect(await emails(up)).toEqual(['a@x.example', 'b@x.example'])
  expect(await emails('desc')).toEqual(['b@x.example', 'a@x.example'])
  expect(await all.get('/customer?order_direction=up')).toBeRefused(422, 'order_direction')
})

test('a value of the wrong type gets one error, and its content is not validated', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const inside = Array.from({ length: 1000 }, () => '\0')
  const reply = await all.post('/order', { customer_city: inside, variants: { a: inside }, status: [inside] })
  expect(Object.keys(reply.body.errors).sort()).toEqual(['customer_city', 'status', 'variants'])
  expect((await all.post('/order', [inside])).body.errors).toEqual({ body: ['must be an object'] })
})

test('meta_data may have up to 64 kB as JSON', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const sized = (bytes: number) => ({ note: 'é'.repeat(10) + 'x'.repeat(bytes - '{"note":""}'.length - 20) })
  const { id } = (await all.post('/order', { meta_data: sized(65_536) })).body.data.order
  const larger = await all.post('/order', { meta_data: sized(65_537) })
  expect(larger).toBeRefused(422, 'meta_data')
  expect(larger.body.errors.meta_data).toEqual(['must be an object of at most 64 kB as JSON'])
  expect(await all.put(`/order/${id}`, { meta_data: sized(65_537) })).toBeRefused(422, 'meta_data')
  const long = { ['k'.repeat(3_000_000)]: Array(100_000).fill(1) }
  expect(await all.post('/order', { meta_data: long })).toBeRefused(422, 'meta_data')
})
