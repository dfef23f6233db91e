import { expect, test } from 'vitest'
import { createCarrier } from '../../src/resources/carriers/create-carrier.ts'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import { addProduct } from '../../tests/support/products.ts'
import { type Client, createClient } from './client.ts'
import { parseCsv } from './csv.ts'
import { ConflictError } from './errors.ts'
import { etagOf } from './request.ts'

const collect = async <T>(rows: AsyncIterable<T>) => {
  const all: T[] = []
  for await (const row of rows) all.push(row)
  return all
}

test('iterating yields every row once, even if rows are added meanwhile', async () => {
  const { client, proxy } = await startClientFixture()
  for (let n = 0; n < 7; n++) await client.customers.create({ email: `c${n}@example.com`, name: `C${n}` })
  const seen: string[] = []
  for await (const customer of client.customers.all({
    page_size: 3,
    order_by: 'created_at',
    order_direction: 'DESC',
  })) {
    seen.push(customer.name)
    if (seen.length === 2) await client.customers.create({ email: 'late@example.com', name: 'Late' })
  }
  expect(seen).toEqual(['C6', 'C5', 'C4', 'C3', 'C2', 'C1', 'C0'])
  expect(proxy.count('GET', '/customer')).toBe(3)
  expect(await collect(client.customers.all({ search: 'nobody' }))).toEqual([])
})

test('list filters accept arrays, dates and booleans', async () => {
  const { client, proxy } = await startClientFixture()
  await client.orders.create({ status: 'paid', customer_email: 'a@example.com' })
  const { orders, pagination } = await client.orders.list({
    delivery_status: ['unfulfilled', 'shipped'],
    is_cancelled: false,
    from: new Date(Date.now() - 60_000),
    to: Math.ceil(Date.now() / 1000) + 60,
    customer_id: undefined,
  })
  expect(orders).toHaveLength(pagination.total ?? -1)
  expect(new URL(proxy.seen.at(-1)?.path ?? '', 'http://x').searchParams.get('delivery_status')).toBe(
    'unfulfilled,shipped',
  )
})

test('a product is created, read and updated; an update of a stale version is rejected', async () => {
  const { client } = await startClientFixture()
  const made = await client.products.create({ title: 'Teapot', default: { price: 12.5, quantity: 3, sku: 'POT' } })
  expect((await client.products.list({ status: made.status })).products).toHaveLength(1)
  const early = await client.products.get(made.id)
  expect(etagOf(early)).toMatch(/^"/)
  const changed = await client.products.update(made.id, { default: { quantity: 9 } }, { ifMatch: early })
  expect(changed.default?.quantity).toBe(9)
  await expect(client.products.update(made.id, { title: 'Kettle' }, { ifMatch: early })).rejects.toThrow(ConflictError)
  await client.products.update(made.id, { title: 'Big teapot' }, { ifMatch: changed })
  expect(await client.products.get(made.id)).toMatchObject({ title: 'Big teapot', default: { quantity: 9 } })
  const [listed] = (await client.products.list()).products
  await expect(client.products.update(made.id, {}, { ifMatch: listed })).rejects.toThrow('ifMatch')
})

test('ifMatch works with every resource; deliveries use the version of their order', async () => {
  const { client } = await startClientFixture()
  const customer = await client.customers.create({ email: 'a@shop.example' })
  const renamed = await client.customers.update(customer.id, { name: 'Amel' }, { ifMatch: customer })
  await expect(client.customers.update(customer.id, { city: 'Sfax' }, { ifMatch: customer })).rejects.toThrow(
    ConflictError,
  )
  await client.customers.update(customer.id, { city: 'Sfax' }, { ifMatch: renamed })
  const order = await client.orders.create()
  const [parcel] = order.deliveries
  const shipped = await client.orders.updateDelivery(parcel?.id ?? '', { status: 'shipped' }, { ifMatch: order })
  await expect(client.orders.update(order.id, { is_archived: true }, { ifMatch: order })).rejects.toThrow(ConflictError)
  await client.orders.update(order.id, { is_archived: true }, { ifMatch: shipped })
})

test('an order is placed, shipped, partly returned and refunded', async () => {
  const { api, client } = await startClientFixture()
  const mug = await addProduct(api, { title: 'Mug', price: 10, quantity: 5 })
  await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift' })
  const [carrier] = await client.carriers.list()
  const order = await client.orders.create({
    status: 'paid',
    customer_email: 'amina@example.com',
    country_id: 'TN',
    variants: [{ variant_id: mug.variant, quantity: 3 }],
  })
  const [line] = order.variants
  const split = await client.orders.splitDelivery(order.id, {
    variants: [{ order_variant_id: line?.id ?? '', quantity: 1 }],
  })
  const shipped = await client.orders.updateDelivery(split.id, {
    status: 'shipped',
    tracking_number: 'TN-1',
    shipping_carrier: carrier?.id ?? '',
  })
  expect(shipped).toMatchObject({ status: 'shipped', tracking_number: 'TN-1', shipping_carrier: { name: 'Swift' } })
  const returned = await client.orders.return(order.id, {
    variants: [{ order_variant_id: line?.id ?? '', quantity: 1 }],
  })
  const refund = await client.orders.refund(order.id, { return_id: returned.id })
  expect(await client.orders.updateRefund(refund.id, { status: 'refunded' })).toMatchObject({ amount: 10 })
  expect(await client.orders.update(order.id, { is_archived: true })).toMatchObject({ is_archived: true })
  expect(await client.orders.get(order.id)).toMatchObject({ returns: [{ id: returned.id }], total: 30 })
  expect((await client.customers.list()).customers).toMatchObject([{ order_count: 1 }])
})

test('reviews, landing pages, customers, categories and countries have their calls', async () => {
  const { api, client } = await startClientFixture()
  const { id: product_id } = await addProduct(api)
  const review = await client.reviews.create({ product_id, content: 'Good', rating: 5, reviewer_name: 'Ali' })
  expect(await client.reviews.update(review.id, { status: 'published' })).toMatchObject({ status: 'published' })
  expect(await collect(client.reviews.all({ status: 'published' }))).toHaveLength(1)
  await client.reviews.delete(review.id)
  expect(await collect(client.reviews.all())).toEqual([])

  const page = await client.landingPages.create({ title: 'Sale', product_id })
  await client.landingPages.update(page.id, { title: 'Summer sale' })
  await client.landingPages.publish(page.id)
  expect(await client.landingPages.get(page.id)).toMatchObject({ title: 'Summer sale' })
  expect((await client.landingPages.list({ product_id })).landingPages).toHaveLength(1)
  await client.landingPages.delete(page.id)
  expect(await collect(client.landingPages.all())).toEqual([])

  const customer = await client.customers.create({ email: 'a@example.com' })
  expect(await client.customers.update(customer.id, { city: 'Sousse' })).toMatchObject({ city: 'Sousse' })
  expect(await client.customers.get(customer.id)).toMatchObject({ city: 'Sousse' })
  expect(await collect(client.categories.all())).toEqual([])
  expect((await client.countries.list()).find(({ id }) => id === 'TN')?.currency).toBe('TND')
})

test('any operation can be called by its method and path', async () => {
  const { client } = await startClientFixture()
  const { customer } = await client.request('POST', '/customer', { body: { email: 'b@example.com' } })
  const { customers } = await client.request('GET', '/customer', { query: { search: 'b@example' } })
  expect(customers.map(({ id }) => id)).toEqual([customer.id])
})

test('calls that the API would reject do not compile', () => {
  const never = (client: Client) => [
    // @ts-expect-error no such status
    client.products.list({ status: 'sold' }),
    // @ts-expect-error a review is of a product
    client.reviews.create({ content: 'Good', rating: 5, reviewer_name: 'Ali' }),
    // @ts-expect-error no such path
    client.request('GET', '/products'),
    // @ts-expect-error the id is missing
    client.request('GET', '/product/{id}'),
    // @ts-expect-error pages are walked through here
    client.orders.all({ page: 2 }),
    // @ts-expect-error a secret and no id
    createClient({ baseUrl: '', clientSecret: 's' }),
  ]
  expect(never).toBeTypeOf('function')
})

test('an export is available as a stream and as rows with named columns', async () => {
  const { client } = await startClientFixture()
  const odd = 'He said "tea,\r\nplease" 🫖'
  await client.orders.create({ customer_address: odd, customer_phone: '+216 20 000 000', customer_city: 'متجر' })
  await client.orders.create({ status: 'paid', customer_first_name: "'quoted'" })
  const text = await new Response(await client.orders.export()).text()
  expect(text).toMatch(/^id,ref,status,/)
  const rows = await collect(client.orders.exportRows({ order_direction: 'ASC' }))
  expect(rows).toMatchObject([
    { customer_address: odd, customer_phone: '+216 20 000 000', customer_city: 'متجر', phone: '+21620000000' },
    { status: 'paid', customer_first_name: "'quoted'", phone: '' },
  ])
  expect(await collect(client.orders.exportRows({ from: '2100-01-01' }))).toEqual([])
  const stop = new AbortController()
  const stream = await client.orders.export({}, { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(new Response(stream).text()).rejects.toThrow()
})

test('CSV is parsed correctly wherever its chunks are split', async () => {
  const text = 'sku,name,"a ""note"""\r\nA-1,"Mug, blue","two\r\nlines"\nB-2,,\r\n\r\nC-3,"é🫖",x'
  const bytes = new TextEncoder().encode(text)
  const rows = [
    { sku: 'A-1', name: 'Mug, blue', 'a "note"': 'two\r\nlines' },
    { sku: 'B-2', name: '', 'a "note"': '' },
    { sku: 'C-3', name: 'é🫖', 'a "note"': 'x' },
  ]
  const cut = async function* (size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size)
  }
  for (const size of [1, 2, 3, 7, 1000]) expect(await collect(parseCsv(cut(size)))).toEqual(rows)
  expect(await collect(parseCsv(`\uFEFF${text}`))).toEqual(rows)
  // As a file stream with an encoding yields them, or text() of a decoded stream.
  const pieces = async function* (size: number) {
    for (let at = 0; at < text.length; at += size) yield `${at === 0 ? '\uFEFF' : ''}${text.slice(at, at + size)}`
  }
  for (const size of [1, 2, 3, 7, 1000]) expect(await collect(parseCsv(pieces(size)))).toEqual(rows)
  const mixed = async function* () {
    yield bytes.slice(0, 30)
    yield new TextDecoder().decode(bytes.slice(30))
  }
  expect(await collect(parseCsv(mixed()))).toEqual(rows)
  expect(await collect(parseCsv(new Blob([text]).stream().pipeThrough(new TextDecoderStream())))).toEqual(rows)
})
