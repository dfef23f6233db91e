import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { createCategory } from '../../resources/categories/queries.ts'

const ordersOf = (reply: { body: { data: { orders: { id: string }[] } } }) =>
  reply.body.data.orders.map(({ id }) => id).sort()

/** Three orders, with deliveries that are unfulfilled, shipped and delivered. */
const startShopWithDeliveries = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const orders: Record<string, string> = {}
  for (const status of ['unfulfilled', 'shipped', 'delivered']) {
    const { order } = (await all.post('/order', { created_at: '2026-03-01T12:00:00Z' })).body.data
    await all.put(`/order/delivery/${order.deliveries[0].id}`, { status })
    orders[status] = order.id
  }
  return { api, all, orders: orders as Record<'unfulfilled' | 'shipped' | 'delivered', string> }
}

test('filters accept several values as indexed parameters, in lists and in the export', async () => {
  const { all, orders } = await startShopWithDeliveries()
  const wanted = [orders.shipped, orders.delivered].sort()
  for (const query of [
    'delivery_status[0]=shipped&delivery_status[1]=delivered',
    'delivery_status%5B0%5D=shipped&delivery_status%5B1%5D=delivered',
    'delivery_status[3]=shipped&delivery_status[]=delivered',
    'delivery_status=shipped&delivery_status[0]=delivered',
  ]) {
    const reply = await all.get(`/order?${query}`)
    expect(ordersOf(reply), query).toEqual(wanted)
    expect(reply.body.data.pagination.total).toBe(2)
    expect(reply.headers.get('x-ignored-input')).toBeNull()
    expect((await all.get(`/order/export?${query}`)).text.trim().split('\r\n')).toHaveLength(3)
  }
  expect(ordersOf(await all.get('/order?exclude_delivery_status[0]=shipped'))).toHaveLength(2)
  expect(ordersOf(await all.get('/order?status[0]=pending'))).toHaveLength(3)
  expect(ordersOf(await all.get('/order?status[0]=pending&status[1]=paid'))).toHaveLength(3)
})

test('a misspelt parameter is rejected with the right spelling', async () => {
  const { all } = await startShopWithDeliveries()
  for (const [sent, right] of [
    ['delivery_status[a]', 'delivery_status'],
    ['delivery_status[0][x]', 'delivery_status'],
    ['delivery_status[', 'delivery_status'],
    ['Delivery_Status', 'delivery_status'],
    ['delivery-status', 'delivery_status'],
    ['deliveryStatus', 'delivery_status'],
    ['STATUS', 'status'],
    ['PageSize', 'page_size'],
    ['From', 'from'],
  ] as const) {
    for (const list of ['/order', '/order/export']) {
      const known = list === '/order' || right !== 'page_size'
      const reply = await all.get(`${list}?${encodeURIComponent(sent)}=shipped`)
      if (!known) expect(reply.status).toBe(200)
      else {
        expect(reply, sent).toBeRefused(422, sent)
        expect(reply.body.errors[sent]).toEqual([`must be written ${right}`])
      }
    }
  }
  expect(await all.get('/product?Category=x')).toBeRefused(422, 'Category')
  const other = await all.get('/order?utm_source=mail&statuses=paid')
  expect(other.status).toBe(200)
  expect(other.headers.get('x-ignored-input')).toBe('utm_source, statuses')
})

test('ids are case-insensitive in filters, paths, bodies and totals', async () => {
  const { api, all } = await startShopWithDeliveries()
  const category = await createCategory(api.db, api.store.id, { name: 'Cups' })
  const shown = async (path: string) => {
    const { pagination, ...rows } = (await all.get(path)).body.data
    return { total: pagination.total, rows: (Object.values(rows)[0] as unknown[]).length }
  }
  const product = (
    await all.post('/product', {
      title: 'Mug',
      category_id: category.id.toUpperCase(),
      default: { quantity: 5 },
    })
  ).body.data.product
  const variant = product.default.id
  const placed = await all.post('/order', { variants: [{ variant_id: variant.toUpperCase(), quantity: 1 }] })
  expect(placed.status).toBe(201)
  expect(await shown(`/product?category=${category.id.toUpperCase()}`)).toEqual({ total: 1, rows: 1 })
  expect(await shown(`/order?product_id=${product.id.toUpperCase()}`)).toEqual({ total: 1, rows: 1 })
  expect((await all.get(`/product/${product.id.toUpperCase()}`)).body.data.product.id).toBe(product.id)
  const changed = await all.post(`/product/${product.id.toUpperCase()}/update`, {
    default: { quantity: 5 },
    category_id: category.id.toUpperCase(),
  })
  expect(changed.body.data.product).toMatchObject({ id: product.id, category: { id: category.id } })
})

test('a retry with its ids in upper case counts as the same request', async () => {
  const { api, all } = await startShopWithDeliveries()
  const goods = await addProduct(api, {})
  const form = (id: string) => {
    const form = new FormData()
    form.set('metadata', JSON.stringify({ product_id: id, content: 'Good', rating: 4, reviewer_name: 'Amel' }))
    return form
  }
  const key = { 'idempotency-key': 'capitals' }
  const first = await all.post('/review', form(goods.id), key)
  const again = await all.post('/review', form(goods.id.toUpperCase()), key)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const { id } = first.body.data.review
  const other = { 'idempotency-key': 'path in capitals' }
  expect((await all.put(`/review/${id}`, { rating: 5 }, other)).status).toBe(200)
  const replayed = await all.put(`/review/${id.toUpperCase()}`, { rating: 5 }, other)
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
})

test('dates are days, timestamps, Unix seconds or milliseconds; other numbers are rejected', async () => {
  const { all } = await startShopWithDeliveries()
  const seconds = Date.parse('2026-03-01T12:00:00Z') / 1000
  for (const [query, found] of [
    [`from=${seconds}`, 3],
    [`from=${seconds + 1}`, 0],
    [`to=${seconds}000`, 3],
    [`to=${seconds - 1}999`, 0],
    [`from=${seconds}001`, 0],
    ['from=100000000', 3],
    ['to=99999999999', 3],
    ['from=2026-03-01', 3],
  ] as const)
    expect((await all.get(`/order?${query}`)).body.data.pagination.total, query).toBe(found)
  for (const date of ['20261115', '2026', '0', '12345678', '123456789012', '12345678901234', '-1763200000', '1e9'])
    for (const path of ['/order?from=', '/order?updated_to=', '/file?to=', '/order/export?from='])
      expect((await all.get(path + date)).status, path + date).toBe(422)
})

test('the creation time of an order may be a number too', async () => {
  const { all } = await startShopWithDeliveries()
  for (const created_at of [1_763_200_000, 1_763_200_000_000, '1763200000', '2025-11-15T09:46:40Z']) {
    const reply = await all.post('/order', { created_at })
    expect(reply.body.data.order.created_at).toBe('2025-11-15T09:46:40.000Z')
  }
  for (const created_at of [20_261_115, 2026, 0, -1_763_200_000, 1_763_200_000.5, 1e21, true, '20261115'])
    expect(await all.post('/order', { created_at })).toBeRefused(422, 'created_at')
})

test('text is stored as NFC; other data is stored as sent', async () => {
  const { all } = await startShopWithDeliveries()
  const [composed, typed] = ['Café Müsli', 'Café Müsli'].map((text, n) => text.normalize(n ? 'NFD' : 'NFC')) as [
    string,
    string,
  ]
  expect(typed).not.toBe(composed)
  const made = (await all.post('/product', { title: typed, properties: [{ name: typed, value: typed }] })).body.data
  expect(made.product).toMatchObject({ title: composed, properties: [{ name: composed, value: composed }] })
  for (const title of [composed, typed]) {
    const { products } = (await all.get(`/product?title=${encodeURIComponent(title)}`)).body.data
    expect(products).toHaveLength(1)
  }
  const form = new FormData()
  form.set('metadata', JSON.stringify({ title: typed }))
  expect((await all.post('/product', form)).body.data.product.title).toBe(composed)
  const meta_data = { [typed]: typed, list: [typed] }
  const source_link = `https://a.example/${typed}`
  const { order } = (await all.post('/order', { customer_city: typed, source_link, meta_data })).body.data
  expect(order).toMatchObject({ customer_city: composed, source_link, meta_data })
})
