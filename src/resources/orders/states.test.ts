import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'

/** Every status, and each way to set one directly. */

const ORDER = ['pending', 'paid', 'abandoned']
const DELIVERY = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']
const REFUND = ['pending', 'refunded']
const REVIEW = ['pending', 'hidden', 'published']
const PRODUCT = ['active', 'inactive']
const SUBSCRIPTION = ['subscribed', 'not_subscribed']
const WRONG = ['', 'Pending', 'PAID', 'unknown', 1, true, null, ['pending'], {}]

const startShopWithProduct = async () => {
  const api = await startTestApi()
  const goods = await addProduct(api)
  const all = await api.as()
  const variants = [{ variant_id: goods.variant, quantity: 1 }]
  const sell = async () => (await all.post('/order', { status: 'paid', variants })).body.data.order
  return { api, all, goods, sell }
}

test('POST /order: the order has the status that was supplied', async () => {
  const { all } = await startShopWithProduct()
  for (const status of ORDER) {
    const { order } = (await all.post('/order', { status })).body.data
    expect(order.status).toBe(status)
    expect((await all.get(`/order/${order.id}`)).body.data.order.status).toBe(status)
    expect(order.paid_at === null).toBe(status !== 'paid')
  }
  for (const status of WRONG) expect(await all.post('/order', { status })).toBeRefused(422, 'status')
  expect((await all.get('/order')).body.data.pagination.total).toBe(ORDER.length)
})

test('PUT /order/delivery: the delivery gets the status that was supplied, from every other', async () => {
  const { all, sell } = await startShopWithProduct()
  const order = await sell()
  const path = `/order/delivery/${order.deliveries[0].id}`
  for (const from of DELIVERY)
    for (const to of DELIVERY) {
      await all.put(path, { status: from })
      const reply = await all.put(path, { status: to })
      expect(reply.status, `${from} to ${to}`).toBe(200)
      expect(reply.body.data.delivery.status).toBe(to)
    }
  const before = (await all.get(`/order/${order.id}`)).body.data.order
  expect(before.deliveries[0].status).toBe(DELIVERY.at(-1))
  for (const status of WRONG) expect(await all.put(path, { status })).toBeRefused(422, 'status')
  expect((await all.get(`/order/${order.id}`)).body.data.order).toEqual(before)
})

test('POST /review: the review has the status that was supplied, or is pending', async () => {
  const { all, goods } = await startShopWithProduct()
  const review = (status?: unknown) =>
    all.post('/review', { product_id: goods.id, content: 'Good', rating: 5, reviewer_name: 'Amel', status })
  for (const status of [...REVIEW, undefined]) {
    const reply = await review(status)
    expect(reply.status, reply.text).toBe(201)
    const { id } = reply.body.data.review
    expect((await all.get(`/review/${id}`)).body.data.review.status).toBe(status ?? 'pending')
  }
  for (const status of WRONG) expect(await review(status)).toBeRefused(422, 'status')
})

test('POST /product and its update: the product has the status that was supplied', async () => {
  const { all } = await startShopWithProduct()
  const create = (status: unknown) => all.post('/product', { title: 'Mug', status, default: { price: 1, quantity: 1 } })
  for (const status of PRODUCT) {
    const reply = await create(status)
    expect(reply.status, reply.text).toBe(201)
    const { id } = reply.body.data.product
    for (const next of [...PRODUCT, ...PRODUCT]) {
      expect((await all.post(`/product/${id}/update`, { status: next })).body.data.product.status).toBe(next)
      expect((await all.get(`/product/${id}`)).body.data.product.status).toBe(next)
    }
    for (const wrong of WRONG)
      expect(await all.post(`/product/${id}/update`, { status: wrong })).toBeRefused(422, 'status')
  }
  for (const wrong of WRONG) expect(await create(wrong)).toBeRefused(422, 'status')
})

test('refunds have two statuses, and each can follow the other', async () => {
  const { all, sell } = await startShopWithProduct()
  const { id } = await sell()
  const refund = (status: unknown) => all.post(`/order/${id}/refund`, { amount: 1, status })
  for (const status of REFUND) {
    const made = (await refund(status)).body.data.refund
    expect(made.status).toBe(status)
    for (const next of [...REFUND, ...REFUND])
      expect((await all.put(`/order/refund/${made.id}`, { status: next })).body.data.refund.status).toBe(next)
    for (const wrong of WRONG)
      expect(await all.put(`/order/refund/${made.id}`, { status: wrong })).toBeRefused(422, 'status')
  }
  for (const wrong of WRONG) expect(await refund(wrong)).toBeRefused(422, 'status')
})

test('customers are subscribed or not', async () => {
  const { all } = await startShopWithProduct()
  for (const [n, subscription_status] of SUBSCRIPTION.entries()) {
    const { customer } = (await all.post('/customer', { email: `c${n}@example.com`, subscription_status })).body.data
    expect(customer.subscription_status).toBe(subscription_status)
  }
  for (const subscription_status of WRONG)
    expect(await all.post('/customer', { email: 'd@example.com', subscription_status })).toBeRefused(
      422,
      'subscription_status',
    )
})
