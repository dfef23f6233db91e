import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'

/** Three of ten units are sold, then two are returned. */
const shopWithReturn = async (restock: boolean) => {
  const api = await startTestApi()
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 10 })
  const variants = [{ variant_id: variant, quantity: 3 }]
  const { order } = (await all.post('/order', { status: 'paid', variants })).body.data
  const line = { order_variant_id: order.variants[0].id, quantity: 2, restock }
  expect((await all.post(`/order/${order.id}/return`, { variants: [line] })).status).toBe(201)
  const set = async (is_cancelled: boolean) =>
    expect((await all.put(`/order/${order.id}`, { is_cancelled })).status).toBe(200)
  return { set, stock: () => stockOf(api, variant) }
}

test('cancelling an order whose units were partly restocked returns the rest to stock, once', async () => {
  const { set, stock } = await shopWithReturn(true)
  expect(await stock()).toBe(9)
  await set(true)
  expect(await stock()).toBe(10)
  await set(false)
  expect(await stock()).toBe(9)
  await set(true)
  expect(await stock()).toBe(10)
})

test('cancelling an order does not restock units that were returned without restocking', async () => {
  const { set, stock } = await shopWithReturn(false)
  expect(await stock()).toBe(7)
  await set(true)
  expect(await stock()).toBe(8)
  await set(false)
  expect(await stock()).toBe(7)
})

/** Three of ten units are sold, then the order is cancelled. */
const shopWithCancelledOrder = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { id: product, variant } = await addProduct(api, { quantity: 10 })
  const variants = [{ variant_id: variant, quantity: 3 }]
  const { order } = (await all.post('/order', { status: 'paid', variants })).body.data
  const set = (is_cancelled: boolean) => all.put(`/order/${order.id}`, { is_cancelled })
  expect((await set(true)).status).toBe(200)
  const returnUnits = async (quantity: number, restock: boolean) => {
    const line = { order_variant_id: order.variants[0].id, quantity, restock }
    expect((await all.post(`/order/${order.id}/return`, { variants: [line] })).status).toBe(201)
  }
  const send = async () =>
    expect((await all.put(`/order/delivery/${order.deliveries[0].id}`, { status: 'shipped' })).status).toBe(200)
  return { api, all, product, variant, set, returnUnits, send, stock: () => stockOf(api, variant) }
}

test('units restocked while an order is cancelled are not taken again when it is reactivated', async () => {
  const { set, returnUnits, stock } = await shopWithCancelledOrder()
  await returnUnits(2, true)
  expect(await stock()).toBe(10)
  expect((await set(false)).status).toBe(200)
  expect(await stock()).toBe(9)
  await returnUnits(1, true)
  expect(await stock()).toBe(10)
  for (const is_cancelled of [true, false]) {
    expect((await set(is_cancelled)).status).toBe(200)
    expect(await stock()).toBe(10)
  }
})

test('a fully returned order can be reactivated although its products are sold out', async () => {
  const { all, variant, set, returnUnits, stock } = await shopWithCancelledOrder()
  const buy = (quantity: number) =>
    all.post('/order', { status: 'paid', variants: [{ variant_id: variant, quantity }] })
  expect((await buy(9)).status).toBe(201)
  await returnUnits(1, true)
  expect(await set(false)).toBeRefused(422, 'is_cancelled')
  await returnUnits(2, true)
  expect((await set(false)).status).toBe(200)
  expect(await stock()).toBe(1)
})

test('units returned without restocking while an order is cancelled are taken again when it is reactivated', async () => {
  const { set, returnUnits, stock } = await shopWithCancelledOrder()
  await returnUnits(2, false)
  await returnUnits(1, true)
  expect(await stock()).toBe(10)
  expect((await set(false)).status).toBe(200)
  expect(await stock()).toBe(8)
  expect((await set(true)).status).toBe(200)
  expect(await stock()).toBe(8)
})

test('a unit returned without restocking stays out of stock when another unit of a cancelled order is restocked', async () => {
  const { set, returnUnits, stock } = await shopWithCancelledOrder()
  await set(false)
  await returnUnits(1, false)
  await set(true)
  expect(await stock()).toBe(9)
  await returnUnits(1, true)
  expect(await stock()).toBe(9)
  await set(false)
  expect(await stock()).toBe(8)
})

test('units shipped before an order is cancelled are restocked by their return, once', async () => {
  const { set, returnUnits, send, stock } = await shopWithCancelledOrder()
  await set(false)
  await send()
  await set(true)
  expect(await stock()).toBe(7)
  await returnUnits(2, true)
  expect(await stock()).toBe(9)
  await set(false)
  expect(await stock()).toBe(9)
})

test('a return of a deleted product changes no stock, and the order can be reactivated', async () => {
  const { api, product, set, returnUnits } = await shopWithCancelledOrder()
  await api.db.deleteFrom('product').where('store_id', '=', api.store.id).where('id', '=', product).execute()
  await returnUnits(1, true)
  for (const is_cancelled of [false, true]) expect((await set(is_cancelled)).status).toBe(200)
})

test('cancelling and reactivating changes no stock of untracked or deleted products', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const counted = await addProduct(api, { quantity: 5 })
  const endless = await addProduct(api, { quantity: 5, stock_tracked: false })
  const gone = await addProduct(api, { quantity: 5 })
  const variants = [counted, endless, gone].map(({ variant }) => ({ variant_id: variant, quantity: 2 }))
  const { order } = (await all.post('/order', { status: 'paid', variants })).body.data
  await api.db.deleteFrom('product').where('store_id', '=', api.store.id).where('id', '=', gone.id).execute()
  const stock = async () => [await stockOf(api, counted.variant), await stockOf(api, endless.variant)]
  for (const [is_cancelled, left] of [
    [true, 5],
    [false, 3],
    [false, 3],
    [true, 5],
  ] as const) {
    expect((await all.put(`/order/${order.id}`, { is_cancelled })).status).toBe(200)
    expect(await stock()).toEqual([left, 5])
  }
})

test('restocking at the maximum quantity leaves it unchanged', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 10 })
  const most = 2_147_483_647
  const buy = async () =>
    (await all.post('/order', { status: 'paid', variants: [{ variant_id: variant, quantity: 3 }] })).body.data.order
  const [kept, dropped] = [await buy(), await buy()]
  await api.db.updateTable('variant').set({ quantity: most }).where('id', '=', variant).execute()
  const line = { order_variant_id: kept.variants[0].id, quantity: 2, restock: true }
  expect((await all.post(`/order/${kept.id}/return`, { variants: [line] })).status).toBe(201)
  expect((await all.put(`/order/${dropped.id}`, { is_cancelled: true })).status).toBe(200)
  expect(await stockOf(api, variant)).toBe(most)
})

test('an order that cannot be reactivated for lack of stock says so', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { variant } = await addProduct(api, { quantity: 3 })
  const buy = (quantity: number) =>
    all.post('/order', { status: 'paid', variants: [{ variant_id: variant, quantity }] })
  const { order } = (await buy(2)).body.data
  await all.put(`/order/${order.id}`, { is_cancelled: true })
  expect((await buy(2)).status).toBe(201)
  const reply = await all.put(`/order/${order.id}`, { is_cancelled: false })
  expect(reply).toBeRefused(422, 'is_cancelled')
  expect(reply.body.errors.is_cancelled).toEqual(['cannot be changed: the ordered units are no longer in stock'])
  const said = async (quantity: number) => (await buy(quantity)).body.errors['variants.0.quantity']
  expect(await said(2)).toEqual(['must not be more than is in stock: 1 unit is left'])
  expect((await buy(1)).status).toBe(201)
  expect(await said(1)).toEqual(['is out of stock'])
})
