import { expect, test } from 'vitest'
import { startTestApi } from '../testing/api.ts'
import { addGoods, stockOf } from '../testing/goods.ts'

/** Three of ten sold, then two brought back. */
const shopWithReturn = async (restock: boolean) => {
  const api = await startTestApi()
  const all = await api.as()
  const { variant } = await addGoods(api, { quantity: 10 })
  const variants = [{ variant_id: variant, quantity: 3 }]
  const { order } = (await all.post('/order', { status: 'paid', variants })).body.data
  const line = { order_variant_id: order.variants[0].id, quantity: 2, restock }
  expect((await all.post(`/order/${order.id}/return`, { variants: [line] })).status).toBe(200)
  const set = async (is_cancelled: boolean) =>
    expect((await all.put(`/order/${order.id}`, { is_cancelled })).status).toBe(200)
  return { set, stock: () => stockOf(api, variant) }
}

test('calling off an order whose goods partly came back and were restocked gives back the rest, once', async () => {
  const { set, stock } = await shopWithReturn(true)
  expect(await stock()).toBe(9)
  await set(true)
  expect(await stock()).toBe(10)
  await set(false)
  expect(await stock()).toBe(9)
  await set(true)
  expect(await stock()).toBe(10)
})

test('calling off an order does not restock what came back and was not to be sold again', async () => {
  const { set, stock } = await shopWithReturn(false)
  expect(await stock()).toBe(7)
  await set(true)
  expect(await stock()).toBe(8)
  await set(false)
  expect(await stock()).toBe(7)
})
