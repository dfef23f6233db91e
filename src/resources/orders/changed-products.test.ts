import { type RawBuilder, sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { expectOrderTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'

const startShop = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const order = async (variant: string, quantity: number, more: object = {}) => {
    const reply = await all.post('/order', { variants: [{ variant_id: variant, quantity }], ...more })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order
  }
  /** As a change of the product does: it writes the variant, then the product. */
  const forbidOverselling = (product: string, quantity: number): RawBuilder<unknown> => sql`
    with counted as (
      update variant set quantity = ${quantity} where store_id = ${api.store.id} and product_id = ${product}
    )
    update product set allow_order_when_oos = false where store_id = ${api.store.id} and id = ${product}`
  const deletion = (product: string): RawBuilder<unknown> =>
    sql`delete from product where store_id = ${api.store.id} and id = ${product}`
  return { api, all, order, forbidOverselling, deletion }
}

test('an order that waits for its product is refused once the product may not be oversold any more', async () => {
  const { api, all, forbidOverselling } = await startShop()
  const mug = await addProduct(api, { quantity: 5, allow_order_when_oos: true })
  const reply = await whileLocked(api.db, forbidOverselling(mug.id, 3), () =>
    all.post('/order', { variants: [{ variant_id: mug.variant, quantity: 10 }] }),
  )
  expect(reply).toBeRefused(422, 'variants.0.quantity')
  expect(await stockOf(api, mug.variant)).toBe(3)
})

test('an order is not made active again, nor given more units, once its product may not be oversold any more', async () => {
  const { api, all, order, forbidOverselling } = await startShop()
  const mug = await addProduct(api, { quantity: 5, allow_order_when_oos: true })
  const cancelled = await order(mug.variant, 10, { is_cancelled: true })
  const activated = await whileLocked(api.db, forbidOverselling(mug.id, 3), () =>
    all.put(`/order/${cancelled.id}`, { is_cancelled: false }),
  )
  expect(activated).toBeRefused(422, 'is_cancelled')
  expect(await stockOf(api, mug.variant)).toBe(3)

  const hat = await addProduct(api, { quantity: 5, allow_order_when_oos: true })
  const placed = await order(hat.variant, 1)
  const changed = await whileLocked(api.db, forbidOverselling(hat.id, 3), () =>
    all.put(`/order/${placed.id}/variants`, { variants: [{ id: placed.variants[0].id, quantity: 9 }] }),
  )
  expect(changed).toBeRefused(422, 'variants.0.quantity')
  expect(await stockOf(api, hat.variant)).toBe(3)
})

test('the lines of an oversold product can be reduced, priced and divided', async () => {
  const { api, all, order } = await startShop()
  const mug = await addProduct(api, { quantity: 1, allow_order_when_oos: true })
  const placed = await order(mug.variant, 4)
  await all.post(`/product/${mug.id}/update`, { allow_order_when_oos: false })
  const id = placed.variants[0].id
  const change = (line: object) => all.put(`/order/${placed.id}/variants`, { variants: [{ id, ...line }] })
  expect((await change({ quantity: 4, price: 9 })).status).toBe(200)
  expect((await change({ quantity: 3 })).status).toBe(200)
  expect(await stockOf(api, mug.variant)).toBe(-2)
  const parts = [
    { id, quantity: 1 },
    { variant_id: mug.variant, quantity: 2, price: 8 },
  ]
  expect((await all.put(`/order/${placed.id}/variants`, { variants: parts })).status).toBe(200)
  expect(await stockOf(api, mug.variant)).toBe(-2)
  expect(await change({ quantity: 4 })).toBeRefused(422, 'variants.0.quantity')
  expect(await stockOf(api, mug.variant)).toBe(-2)
})

test('an order is cancelled, returned, changed and merged while its product is deleted', async () => {
  const { api, all, order, deletion } = await startShop()
  const hat = await addProduct(api, { title: 'Hat' })
  const writes = {
    cancel: ({ id }: { id: string }) => all.put(`/order/${id}`, { is_cancelled: true }),
    return: ({ id, variants }: { id: string; variants: { id: string }[] }) =>
      all.post(`/order/${id}/return`, {
        variants: [{ order_variant_id: variants[0]?.id, quantity: 1, restock: true }],
      }),
    change: ({ id }: { id: string }) =>
      all.put(`/order/${id}/variants`, { variants: [{ variant_id: hat.variant, quantity: 1 }] }),
    merge: async ({ id }: { id: string }) =>
      all.post(`/order/${(await order(hat.variant, 1)).id}/merge`, { order_id: id }),
    delete: ({ id }: { id: string }) => all.delete(`/order/${id}`),
  }
  for (const [name, write] of Object.entries(writes)) {
    const mug = await addProduct(api, { quantity: 5 })
    const placed = await order(mug.variant, 2)
    const reply = await whileLocked(api.db, deletion(mug.id), () => write(placed))
    expect(reply.status, `${name}: ${reply.text}`).toBeLessThan(300)
  }
  await expectOrderTextsToFitRows(api.db, api.store.id)
})
