import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'

const PERSON = {
  customer_first_name: 'Amel',
  customer_last_name: 'Ben Salah',
  customer_email: 'Amel@Example.tn',
  customer_phone: '+216 20 123 456',
  customer_address: '12 rue de Carthage',
  customer_city: 'Tunis',
  customer_state: 'Tunis',
  customer_postal_code: '1000',
  billing_first_name: 'Karim',
  billing_last_name: 'Ben Salah',
  billing_email: 'karim@example.tn',
  billing_phone: '+216 20 654 321',
  billing_address: '3 avenue Bourguiba',
  billing_city: 'Sousse',
  billing_state: 'Sousse',
  billing_postal_code: '4000',
}

test('an order can be created from an empty body', async () => {
  const api = await startTestApi()
  const reply = await api.as('order:create').post('/order')
  expect(reply.status).toBe(201)
  const { order } = reply.body.data
  expect(order).toMatchObject({
    status: 'pending',
    currency: 'TND',
    customer_name: '',
    customer_email: '',
    billing_name: '',
    customer_id: null,
    customer_country: null,
    subtotal: 0,
    total: 0,
    tip: 0,
    quantity: 0,
    is_archived: false,
    is_cancelled: false,
    cancelled_at: null,
    paid_at: null,
    meta_data: {},
    payment_method: null,
    landing_page: null,
    variants: [],
    returns: [],
    refunds: [],
    source_link: null,
  })
  expect(order.ref).toMatch(/^[2-9A-HJKMNP-TV-Z]{8}$/)
  expect(order.checkout_link).toBe(`https://${api.store.domain}/checkout/${order.ref}`)
  expect(order.thank_you_link).toBe(`https://${api.store.domain}/thank-you/${order.ref}`)
  expect(order.deliveries).toMatchObject([{ status: 'unfulfilled', order_variants: [], shipping_carrier: null }])
})

test('the fields of the contract come back as given, and the order is found by its id', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const input = { ...PERSON, status: 'paid', country_id: 'TN', is_archived: true, is_cancelled: false }
  const { order } = (await all.post('/order', input)).body.data
  const { country_id, ...same } = input
  expect(order).toMatchObject({ ...same, customer_name: 'Amel Ben Salah', billing_name: 'Karim Ben Salah' })
  expect(order.customer_country).toMatchObject({ id: 'TN', code: 'TN', name: 'Tunisia' })
  expect(order.paid_at).toMatch(/Z$/)
  expect((await all.get(`/order/${order.id}`)).body.data.order).toEqual(order)
  expect((await all.get(`/order/${order.id.toUpperCase()}`)).body.data.order).toEqual(order)
})

test('an order with lines has correct totals, copies the product data and reduces stock', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { title: 'Mug', price: 12.345, sku: 'MUG-1', quantity: 5 })
  const shirt = await addProduct(api, { title: 'Shirt', price: 30, sizes: ['S', 'M'], quantity: 4 })
  const medium = shirt.variants[1] as string
  const reply = await all.post('/order', {
    variants: [
      { variant_id: mug.variant, quantity: 3 },
      { variant_id: medium.toUpperCase(), quantity: 2, price: 0.1 },
    ],
    shipping_rate: 7,
    shipping_name: 'Express',
    fee: 0.2,
    discount: 1.001,
    discount_code: 'SPRING',
    tip_type: 'percent',
    tip_value: 10,
    meta_data: { source: 'till', deep: [1, { a: null }] },
    source_link: 'https://example.com/ad',
  })
  expect(reply.status).toBe(201)
  const { order } = reply.body.data
  // 3 x 12.345 + 2 x 0.1 = 37.235; a tenth of it, 3.7235, is rounded to 3.724.
  expect(order).toMatchObject({
    subtotal: 37.235,
    tip: 3.724,
    tip_type: 'percent',
    tip_value: 10,
    total: 47.158,
    quantity: 5,
    shipping_name: 'Express',
    discount_code: 'SPRING',
    meta_data: { source: 'till', deep: [1, { a: null }] },
    source_link: 'https://example.com/ad',
  })
  expect(order.variants).toMatchObject([
    { title: 'Mug', sku: 'MUG-1', price: 12.345, quantity: 3, options: {}, variant: { id: mug.variant, quantity: 2 } },
    { title: 'Shirt', sku: null, price: 0.1, quantity: 2, options: { Size: 'M' }, variant: { id: medium } },
  ])
  expect(order.deliveries).toHaveLength(1)
  expect(order.deliveries[0].order_variants).toEqual(order.variants)
  expect(await stockOf(api, mug.variant)).toBe(2)
  expect(await stockOf(api, medium)).toBe(2)
  expect(await stockOf(api, shirt.variants[0] as string)).toBe(4)
})

test('editing a product later does not change a past order', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { price: 10 })
  const { order } = (await all.post('/order', { variants: [{ variant_id: mug.variant, quantity: 1 }] })).body.data
  await api.db.updateTable('variant').set({ price: 99, sku: 'NEW' }).where('id', '=', mug.variant).execute()
  await api.db.updateTable('product').set({ title: 'Cup' }).where('id', '=', mug.id).execute()
  const { variants, total } = (await all.get(`/order/${order.id}`)).body.data.order
  expect(variants[0]).toMatchObject({ title: 'Mug', price: 10, sku: null, variant: { price: 99, sku: 'NEW' } })
  expect(total).toBe(10)
})

test('a fixed tip is added as it is, and a discount larger than the order makes it free', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const tipped = await all.post('/order', { tip_type: 'fixed', tip_value: 2.5, shipping_rate: 1 })
  expect(tipped.body.data.order).toMatchObject({ tip: 2.5, total: 3.5 })
  const free = await all.post('/order', { shipping_rate: 5, discount: 8 })
  expect(free.body.data.order).toMatchObject({ discount: 8, total: 0 })
})

test('tips and totals are accepted up to their limit', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const place = (body: object) => all.post('/order', body)
  const total = async (body: object) => (await place(body)).body.data.order.total
  expect(await total({ fee: 50, tip_type: 'percent', tip_value: 100 })).toBe(50)
  expect(await place({ tip_type: 'percent', tip_value: 100.001 })).toBeRefused(422, 'tip_value')
  expect(await total({ tip_type: 'fixed', tip_value: 100.001 })).toBe(100.001)
  const goods = await addProduct(api, { price: 999_999_999, quantity: 1000 })
  const rest = { variants: [{ variant_id: goods.variant, quantity: 100 }], shipping_rate: 99.999 }
  expect(await total({ ...rest, fee: 0 })).toBe(99_999_999_999.999)
  expect(await place({ ...rest, fee: 0.001 })).toBeRefused(422, 'total')
})

test('a customer with only one name has that name', async () => {
  const all = (await startTestApi()).as()
  await all.post('/order', { customer_email: 'a@example.com', customer_first_name: 'Amel' })
  await all.post('/order', { customer_email: 'b@example.com', customer_last_name: 'Trabelsi' })
  const { customers } = (await all.get('/customer?order_by=email&order_direction=ASC')).body.data
  expect(customers.map(({ name }: { name: string }) => name)).toEqual(['Amel', 'Trabelsi'])
})

test('an order of digital products has no delivery; a mixed order delivers the physical ones', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const book = await addProduct(api, { title: 'E-book', is_digital: true, stock_tracked: false })
  const mug = await addProduct(api)
  const download = { variant_id: book.variant, quantity: 1 }
  const digital = (await all.post('/order', { variants: [download] })).body.data.order
  expect(digital.deliveries).toEqual([])
  expect(digital.variants).toMatchObject([{ is_digital: true }])
  const both = (await all.post('/order', { variants: [download, { variant_id: mug.variant, quantity: 2 }] })).body.data
  expect(both.order.variants).toHaveLength(2)
  expect(both.order.deliveries).toMatchObject([{ order_variants: [{ title: 'Mug', quantity: 2 }] }])
})

test('an order for more than is in stock is refused and takes nothing', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { quantity: 3 })
  const cup = await addProduct(api, { quantity: 3 })
  const refused = await all.post('/order', {
    customer_email: 'nobody@example.com',
    variants: [
      { variant_id: cup.variant, quantity: 1 },
      { variant_id: mug.variant, quantity: 4 },
    ],
  })
  expect(refused).toBeRefused(422, 'variants.1.quantity')
  expect(await stockOf(api, mug.variant)).toBe(3)
  expect(await stockOf(api, cup.variant)).toBe(3)
  expect((await all.get('/order')).body.data.pagination.total).toBe(0)
  expect((await all.get('/customer')).body.data.pagination.total).toBe(0)
})

test('lines of the same variant share its stock', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const mug = await addProduct(api, { quantity: 5 })
  const line = (quantity: number) => ({ variant_id: mug.variant, quantity })
  expect(await all.post('/order', { variants: [line(3), line(3)] })).toBeRefused(422, 'variants.1.quantity')
  expect(await all.post('/order', { variants: [line(6), line(5), line(1)] })).toBeRefused(
    422,
    'variants.0.quantity',
    'variants.2.quantity',
  )
  const reply = await all.post('/order', { variants: [line(3), line(2)] })
  expect(reply.body.data.order.variants).toMatchObject([{ quantity: 3 }, { quantity: 2 }])
  expect(await stockOf(api, mug.variant)).toBe(0)
})

test('untracked products have no stock, and stock may go below zero if the product allows it', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const untracked = await addProduct(api, { quantity: 1, stock_tracked: false })
  const allowed = await addProduct(api, { quantity: 1, allow_order_when_oos: true })
  for (const { variant } of [untracked, allowed])
    expect((await all.post('/order', { variants: [{ variant_id: variant, quantity: 3 }] })).status).toBe(201)
  expect(await stockOf(api, untracked.variant)).toBe(1)
  expect(await stockOf(api, allowed.variant)).toBe(-2)
})

test('abandoned and cancelled orders take nothing from stock', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const mug = await addProduct(api, { quantity: 1 })
  const variants = [{ variant_id: mug.variant, quantity: 5 }]
  for (const state of [{ status: 'abandoned' }, { is_cancelled: true }])
    expect((await all.post('/order', { variants, ...state })).status).toBe(201)
  expect(await stockOf(api, mug.variant)).toBe(1)
})

test.each(['pending', 'paid', 'abandoned'])('a new order has the status %s that it was given', async (status) => {
  const api = await startTestApi()
  const { order } = (await api.as('order:create').post('/order', { status })).body.data
  expect(order.status).toBe(status)
  expect(order.paid_at !== null).toBe(status === 'paid')
  expect(order.history).toMatchObject([{ app_name: 'Test app', subject: 'status', from: null, to: status }])
})

test('a cancelled order has the time of its cancellation; a past order keeps its date', async () => {
  const api = await startTestApi()
  const all = await api.as('order:create')
  const cancelled = (await all.post('/order', { is_cancelled: true })).body.data.order
  expect(cancelled).toMatchObject({ is_cancelled: true, cancelled_at: expect.stringMatching(/Z$/) })
  const created = async (created_at: string) => (await all.post('/order', { created_at })).body.data.order.created_at
  expect(await created('2021-05-06T07:08:09.123+01:00')).toBe('2021-05-06T06:08:09.123Z')
  expect(await created('2021-05-06')).toBe('2021-05-06T00:00:00.000Z')
  expect(await created('1600000000')).toBe('2020-09-13T12:26:40.000Z')
})

test.each([
  [{ status: 'shipped' }, 'status'],
  [{ status: null }, 'status'],
  [{ customer_first_name: 5 }, 'customer_first_name'],
  [{ customer_address: 'x'.repeat(501) }, 'customer_address'],
  [{ customer_email: 'not an email' }, 'customer_email'],
  [{ country_id: 'XX' }, 'country_id'],
  [{ country_id: 'tn' }, 'country_id'],
  [{ is_archived: 'yes' }, 'is_archived'],
  [{ is_cancelled: 2 }, 'is_cancelled'],
  [{ currency: 'dinar' }, 'currency'],
  [{ shipping_rate: -1 }, 'shipping_rate'],
  [{ fee: 0.0001 }, 'fee'],
  [{ discount: 1e12 }, 'discount'],
  [{ tip_type: 'half', tip_value: 1 }, 'tip_type'],
  [{ tip_value: 1 }, 'tip_type'],
  [{ tip_type: 'percent', tip_value: 101 }, 'tip_value'],
  [{ meta_data: [] }, 'meta_data'],
  [{ meta_data: { a: 'nul\0' } }, 'meta_data.a'],
  [{ landing_page_id: randomUUID() }, 'landing_page_id'],
  [{ payment_method_id: 'x' }, 'payment_method_id'],
  [{ payment_method_id: randomUUID() }, 'payment_method_id'],
  [{ created_at: 'yesterday' }, 'created_at'],
  [{ variants: {} }, 'variants'],
  [{ variants: [{ quantity: 1 }] }, 'variants.0.variant_id'],
  [{ variants: [{ variant_id: randomUUID(), quantity: 1 }] }, 'variants.0.variant_id'],
  [{ variants: [{ variant_id: randomUUID(), quantity: 0 }] }, 'variants.0.quantity'],
  [{ shipping_rate: 99_999_999_999, fee: 99_999_999_999 }, 'total'],
])('an order with %j is refused', async (input, field) => {
  const api = await startTestApi()
  const all = await api.as()
  expect(await all.post('/order', input)).toBeRefused(422, field)
  expect((await all.get('/order')).body.data.pagination.total).toBe(0)
})

test('all errors are reported at once', async () => {
  const api = await startTestApi()
  const reply = await api.as('order:create').post('/order', {
    country_id: 'XX',
    customer_email: '@',
    landing_page_id: randomUUID(),
    variants: [{ variant_id: randomUUID(), quantity: 1 }],
  })
  expect(reply).toBeRefused(422, 'country_id', 'customer_email', 'landing_page_id', 'variants.0.variant_id')
})

test('computed fields are ignored and named', async () => {
  const api = await startTestApi()
  const reply = await api.as('order:create').post('/order', { total: 5, id: randomUUID(), ref: 'MINE' })
  expect(reply.status).toBe(201)
  expect(reply.body.data.order).toMatchObject({ total: 0 })
  expect(reply.headers.get('x-ignored-input')).toBe('total, id, ref')
})

test('variants, landing pages and payment methods of another store are refused', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mug = await addProduct(other)
  const own = { store_id: other.store.id }
  const { id: landing_page_id } = await api.db
    .insertInto('landing_page')
    .values({ ...own, title: 'Page', slug: 'page', product_id: mug.id })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id: payment_method_id } = await api.db
    .insertInto('payment_method')
    .values({ ...own, name: 'Card' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const mine = await api.as()
  const foreign = { landing_page_id, payment_method_id, variants: [{ variant_id: mug.variant, quantity: 1 }] }
  const unknown = {
    landing_page_id: randomUUID(),
    payment_method_id: randomUUID(),
    variants: [{ variant_id: randomUUID(), quantity: 1 }],
  }
  const refused = await mine.post('/order', foreign)
  expect(refused).toBeRefused(422, 'landing_page_id', 'payment_method_id', 'variants.0.variant_id')
  expect((await mine.post('/order', unknown)).text).toBe(refused.text)
  expect(await stockOf(other, mug.variant)).toBe(100)

  const theirs = (await other.as().post('/order', foreign)).body.data.order
  expect(theirs.landing_page).toMatchObject({ id: landing_page_id, product: { id: mug.id, default: { quantity: 99 } } })
  expect(theirs.payment_method).toEqual({
    id: payment_method_id,
    name: 'Card',
    status: 'active',
    payment_types: [],
    connected: false,
  })
  const hidden = await mine.get(`/order/${theirs.id}`)
  expect(hidden).toFailWith('not_found')
  expect((await mine.get(`/order/${randomUUID()}`)).text).toBe(hidden.text)
  expect((await mine.get('/order/nonsense')).text).toBe(hidden.text)
  expect(await mine.put(`/order/${theirs.id}`, { status: 'paid' })).toFailWith('not_found')
  expect((await mine.get('/order')).body.data.orders).toEqual([])
})

test('each endpoint needs its own permission', async () => {
  const api = await startTestApi()
  const { order } = (await api.as().post('/order')).body.data
  const viewer = await api.as('order:view')
  const creator = await api.as('order:create')
  expect(await viewer.post('/order', {})).toFailWith('forbidden')
  expect(await viewer.put(`/order/${order.id}`, {})).toFailWith('forbidden')
  expect(await creator.get('/order')).toFailWith('forbidden')
  expect(await creator.get(`/order/${order.id}`)).toFailWith('forbidden')
  expect((await viewer.get(`/order/${order.id}`)).status).toBe(200)
})

test('a line shows the picture of its variant, or else of its product', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const shirt = await addProduct(api, { title: 'Shirt', sizes: ['S', 'M'] })
  const own = { store_id: api.store.id }
  const sha256 = Buffer.alloc(32)
  await api.db
    .insertInto('blob')
    .values({ ...own, sha256, size: 1, mime_type: 'image/png' })
    .execute()
  const addPicture = async (owner: object, role: string) => {
    const { id } = await api.db
      .insertInto('file')
      .values({ ...own, sha256, name: 'a.png', size: 1, mime_type: 'image/png' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await api.db
      .insertInto('file_link')
      .values({ ...own, file_id: id, role, ...owner })
      .execute()
    return id
  }
  const shown = await addPicture({ product_id: shirt.id }, 'product_images')
  const medium = await addPicture({ variant_id: shirt.variants[1] as string }, 'variant_image')
  const variants = shirt.variants.map((variant_id) => ({ variant_id, quantity: 1 }))
  const { order } = (await all.post('/order', { variants })).body.data
  expect(order.variants[0].image_url).toMatch(new RegExp(`/${api.store.id}/${shown}$`))
  expect(order.variants[1].image_url).toBe(order.variants[1].variant.image.permanent_url)
  expect(order.variants[1].image_url).toContain(medium)
})

test('reading an order again with its ETag is 304', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { order } = (await all.post('/order')).body.data
  const etag = (await all.get(`/order/${order.id}`)).headers.get('etag') as string
  expect((await all.get(`/order/${order.id}`, { 'if-none-match': etag })).status).toBe(304)
})

test('replies have no spaces between values, and meta_data keeps its key order', async () => {
  const api = await startTestApi()
  const app = await api.as('order:create', 'order:view', 'order:update', 'product:create', 'product:view')
  const values = (...texts: string[]) => texts.map((value, order) => ({ order, value }))
  const { body } = await app.post('/product', {
    title: 'Shirt',
    options: [
      { order: 0, name: 'Size', values: values('S', 'M') },
      { order: 1, name: 'Colour', values: values('Red') },
    ],
    variants: ['S', 'M'].map((size) => ({ price: 10, quantity: 5, values: values(size, 'Red') })),
    properties: ['Cotton', 'Washed'].map((value) => ({ name: 'Made of', value })),
  })
  const { variants } = body.data.product
  const meta_data = { zone: [1, { b: 2, a: 1 }], a: 'x, y: z', nothing: {} }
  const placed = await app.post('/order', {
    ...{ meta_data, status: 'paid' },
    variants: variants.map(({ id }: { id: string }) => ({ variant_id: id, quantity: 1 })),
  })
  const { order } = placed.body.data
  expect(JSON.stringify(order.meta_data)).toBe(JSON.stringify(meta_data))
  expect(Object.keys(order.variants[0].options)).toEqual(['Size', 'Colour'])
  await app.post(`/order/${order.id}/return`, {
    variants: order.variants.map(({ id }: { id: string }) => ({ order_variant_id: id, quantity: 1 })),
  })
  for (const path of [`/order/${order.id}`, '/order', '/product', '/country', '/shipping-carrier']) {
    const { text } = await app.get(path)
    expect(text, path).toBe(JSON.stringify(JSON.parse(text)))
  }
})

test('the reply to a new order says what its rows say', async () => {
  const api = await startTestApi()
  const all = api.as()
  const mug = await addProduct(api, { price: 12.5 })
  const file = await addProduct(api, { is_digital: true, price: 0.125 })
  const lines = [
    { variant_id: mug.variant, quantity: 2 },
    { variant_id: file.variant, quantity: 3, price: 100 },
    { variant_id: mug.variant, quantity: 1, price: 0.001 },
  ]
  const bodies = [
    {},
    {
      variants: lines,
      customer_email: 'amel@example.com',
      customer_first_name: ' Amel',
      customer_last_name: 'Ben Ali ',
    },
    { variants: lines, customer_email: 'amel@example.com', status: 'paid', created_at: '2026-03-01T10:20:30.45Z' },
    { variants: lines.slice(1, 2), is_cancelled: true, is_archived: true, billing_last_name: 'Trabelsi' },
    { shipping_rate: 9_999_999_999, discount: 0.1, fee: 10.01, tip_type: 'percent', tip_value: 33.333 },
    {
      variants: lines,
      tip_type: 'fixed',
      tip_value: 1000,
      shipping_name: '"quoted"',
      meta_data: { b: 1, a: [1.0, null] },
    },
  ]
  for (const body of bodies) {
    const reply = await all.post('/order', body)
    expect(reply.status).toBe(201)
    const { order } = reply.body.data
    await sql`delete from order_text where store_id = ${api.store.id} and id = ${order.id}`.execute(api.db)
    const read = await all.get(`/order/${order.id}`)
    expect(read.body.data.order).toEqual(order)
    expect(read.headers.get('etag')).toBe(reply.headers.get('etag'))
  }
})

test('an order whose ref is taken gets another', async ({ skip }) => {
  skip(isOnCitus, 'it runs triggers of a test on the workers')
  const api = await startTestApi()
  const { order } = (await api.as().post('/order', {})).body.data
  await sql`create sequence attempts`.execute(api.db)
  await sql
    .raw(`create function take_ref() returns trigger language plpgsql as $$
    begin
      if nextval('attempts') = 1 then new.ref := '${order.ref}'; end if;
      return new;
    end $$`)
    .execute(api.db)
  await sql`create trigger take_ref before insert on orders for each row execute function take_ref()`.execute(api.db)
  const reply = await api.as().post('/order', {})
  await sql`drop trigger take_ref on orders`.execute(api.db)
  expect(reply.status).toBe(201)
  expect(reply.body.data.order.ref).not.toBe(order.ref)
  const { rows } = await sql<{ attempts: number }>`select last_value::int as attempts from attempts`.execute(api.db)
  expect(rows).toEqual([{ attempts: 2 }])
  expect((await api.as().get('/order')).body.data.pagination.total).toBe(2)
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  ' https://a.example',
  'ftp://a.example',
  'a.example',
  '\njavascript:1',
])('an order does not take %j as the page that the customer came from', async (source_link) => {
  const api = await startTestApi()
  const all = await api.as()
  expect(await all.post('/order', { source_link })).toBeRefused(422, 'source_link')
  expect((await all.get('/order')).body.data.orders).toEqual([])
})

test('an order takes http and https as the page that the customer came from, or none', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const source_link of ['http://a.example', 'HTTPS://A.example/x?y#z', '', null])
    expect((await all.post('/order', { source_link })).body.data.order.source_link).toBe(source_link)
})
