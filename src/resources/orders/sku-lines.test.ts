import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { runBulk } from '../../../tests/support/bulk.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'

const orderTotal = async (caller: Awaited<ReturnType<Awaited<ReturnType<typeof startTestApi>>['as']>>) =>
  (await caller.get('/order?page_size=1')).body.data.pagination.total

test('lines name their variant by SKU or by id, in one order', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { title: 'Mug', price: 12.5, sku: 'MUG-1', quantity: 5 })
  const hat = await addProduct(api, { title: 'Hat', price: 30, sku: 'HAT', quantity: 4 })
  // Another store's variant has the same SKU.
  const foreign = await startTestApi()
  const theirs = await addProduct(foreign, { sku: 'MUG-1', quantity: 5 })
  const reply = await all.post('/order', {
    variants: [
      { sku: 'MUG-1', quantity: 2 },
      { variant_id: hat.variant, quantity: 1 },
      { sku: 'MUG-1', quantity: 1, price: 1 },
    ],
  })
  expect(reply.status, reply.text).toBe(201)
  expect(reply.headers.get('x-ignored-input')).toBeNull()
  expect(reply.body.data.order).toMatchObject({ total: 56, quantity: 4 })
  expect(reply.body.data.order.variants).toMatchObject([
    { sku: 'MUG-1', quantity: 2, price: 12.5, variant: { id: mug.variant } },
    { sku: 'HAT', quantity: 1, price: 30, variant: { id: hat.variant } },
    { sku: 'MUG-1', quantity: 1, price: 1, variant: { id: mug.variant } },
  ])
  expect(await stockOf(api, mug.variant)).toBe(2)
  expect(await stockOf(api, hat.variant)).toBe(3)
  expect(await stockOf(foreign, theirs.variant)).toBe(5)
  const tooMany = await all.post('/order', { variants: [{ sku: 'MUG-1', quantity: 3 }] })
  expect(tooMany).toBeRefused(422, 'variants.0.quantity')
})

test('a line names its variant once, by a SKU of exactly one variant; otherwise nothing is written', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 5 })
  for (const _ of [1, 2]) await addProduct(api, { sku: 'TWICE' })
  await addProduct(await startTestApi(), { sku: 'OTHER' })
  const reply = await all.post('/order', {
    country_id: 'XX',
    variants: [
      { sku: 'MUG', quantity: 1 },
      { sku: 'TWICE', quantity: 1 },
      { sku: 'OTHER', quantity: 1 },
      { sku: 'mug', quantity: 1 },
      { sku: 'MUG', variant_id: mug.variant, quantity: 1 },
      { quantity: 1 },
      { variant_id: randomUUID(), quantity: 1 },
      { sku: null, quantity: 1 },
    ],
  })
  expect(reply.status).toBe(422)
  expect(reply.body.errors).toEqual({
    country_id: [expect.any(String)],
    'variants.1.sku': ['belongs to several variants: use variant_id'],
    'variants.2.sku': ['must be the SKU of a variant'],
    'variants.3.sku': ['must be the SKU of a variant'],
    'variants.4.sku': ['cannot be given together with variant_id'],
    'variants.5.variant_id': ['or sku is required'],
    'variants.6.variant_id': ['must be a variant of a product'],
    'variants.7.variant_id': ['or sku is required'],
  })
  for (const sku of ['', 5, 'x'.repeat(256)])
    expect((await all.post('/order', { variants: [{ sku, quantity: 1 }] })).body.errors).toHaveProperty([
      'variants.0.sku',
    ])
  expect(await orderTotal(all)).toBe(0)
  expect(await stockOf(api, mug.variant)).toBe(5)
})

test('a SKU that moves to another variant while the order waits is refused, not sold from the wrong one', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 5 })
  const rename = sql`update variant set sku = 'CUP' where store_id = ${api.store.id} and id = ${mug.variant}`
  const reply = await whileLocked(api.db, rename, () => all.post('/order', { variants: [{ sku: 'MUG', quantity: 1 }] }))
  expect(reply).toBeRefused(422, 'variants.0.sku')
  expect(await stockOf(api, mug.variant)).toBe(5)
})

test('SKUs cost one statement, however many lines have one, and ids cost none', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const goods = [await addProduct(api, { sku: 'A' }), await addProduct(api, { sku: 'B' })]
  const byId = { variants: goods.map(({ variant }) => ({ variant_id: variant, quantity: 1 })) }
  const bySku = { variants: ['A', 'B', 'A'].map((sku) => ({ sku, quantity: 1 })) }
  const place = async (body: object) => expect((await all.post('/order', body)).status).toBe(201)
  await place(byId)
  const ids = await statementsOf(() => place(byId))
  const skus = await statementsOf(() => place(bySku))
  expect(skus.length, skus.join('\n')).toBe(ids.length + 1)
})

test('bundles are ordered by SKU too', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 9 })
  await addProduct(api, { sku: 'HAT' })
  const options = [{ name: 'Three', quantity: 3, price: 25 }]
  const { bundle } = (await all.post('/bundle', { product_id: mug.id, name: 'Mugs', options })).body.data
  const bundle_option_id = bundle.options[0].id
  const reply = await all.post('/order', { variants: [{ sku: 'MUG', bundle_option_id }] })
  expect(reply.status, reply.text).toBe(201)
  expect(reply.body.data.order).toMatchObject({ total: 25, quantity: 3, bundle_option_name: 'Three' })
  expect(await stockOf(api, mug.variant)).toBe(6)
  for (const sku of ['HAT', 'NONE'])
    expect(await all.post('/order', { variants: [{ sku, bundle_option_id }] })).toBeRefused(422, 'variants.0.sku')
})

test('bulk orders name variants by SKU, and an order can be imported as it was read', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { sku: 'MUG', price: 8, quantity: 5 })
  const { results } = await runBulk(all, 'resource=order', [
    { variants: [{ sku: 'MUG', quantity: 2 }] },
    { variants: [{ sku: 'NONE', quantity: 1 }] },
  ])
  expect(results).toMatchObject([
    { status: 'created' },
    { status: 'failed', errors: { 'variants.0.sku': ['must be the SKU of a variant'] } },
  ])
  const { order } = (await all.get(`/order/${results[0]?.id}`)).body.data
  expect(order).toMatchObject({ total: 16, variants: [{ variant: { id: mug.variant } }] })
  const again = await runBulk(all, 'resource=order', [order])
  expect(again.results).toMatchObject([{ status: 'created' }])
  expect(await stockOf(api, mug.variant)).toBe(1)
})
