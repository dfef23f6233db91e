import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'
import { mayStoreReply } from '../../core/http/stored-reply-quota.ts'

test('lines set and add, by id or SKU, and the reply has the new quantities in sequence', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 10 })
  const hat = await addProduct(api, { sku: 'HAT', quantity: 3 })
  const app = api.as('product:update', 'product:view')
  const stock = [
    { sku: 'MUG', delta: -4 },
    { variant_id: hat.variant.toUpperCase(), quantity: 50 },
  ]
  const reply = await app.post('/stock', { stock })
  expect(reply.status).toBe(200)
  expect(reply.body.data.stock).toEqual([
    { variant_id: mug.variant, product_id: mug.id, sku: 'MUG', quantity: 6, previous_quantity: 10, errors: {} },
    { variant_id: hat.variant, product_id: hat.id, sku: 'HAT', quantity: 50, previous_quantity: 3, errors: {} },
  ])
  const read = (await app.get(`/product/${mug.id}`)).body.data.product
  expect(read.default.quantity).toBe(6)
  expect(Date.parse(read.default.updated_at)).toBeGreaterThan(Date.parse(read.default.created_at))
})

test('a line that cannot be applied is reported and leaves the others alone', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 2 })
  const oversold = await addProduct(api, { sku: 'PRE', quantity: 1, allow_order_when_oos: true })
  const full = await addProduct(api, { sku: 'FULL', quantity: 2_147_483_647 })
  for (const _ of [1, 2]) await addProduct(api, { sku: 'TWICE' })
  const foreign = await addProduct(await startTestApi(), { sku: 'OTHER' })
  const stock = [
    { sku: 'MUG', delta: -3 },
    { sku: 'PRE', delta: -3 },
    { sku: 'FULL', delta: 1 },
    { sku: 'TWICE', quantity: 1 },
    { variant_id: foreign.variant, quantity: 1 },
    { sku: 'OTHER', quantity: 1 },
    { variant_id: oversold.variant, delta: 100 },
  ]
  const reply = await api.as('product:update').post('/stock', { stock })
  const lines = reply.body.data.stock
  expect(lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual([
    2,
    -2,
    2_147_483_647,
    null,
    null,
    null,
    -2,
  ])
  expect(lines.map(({ errors }: { errors: object }) => errors)).toEqual([
    { delta: ['would take more than the 2 in stock'] },
    {},
    { delta: ['would make the quantity too large'] },
    { sku: ['belongs to several variants: use variant_id'] },
    { variant_id: ['must be the id of a variant'] },
    { sku: ['must be the SKU of a variant'] },
    { variant_id: ['is the variant of an earlier line'] },
  ])
  expect(await stockOf(api, mug.variant)).toBe(2)
  expect(await stockOf(api, oversold.variant)).toBe(-2)
  expect(await stockOf(api, full.variant)).toBe(2_147_483_647)
})

test('atomic: one line that cannot be applied refuses all of them', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 2 })
  const app = api.as('product:update')
  const stock = [
    { sku: 'MUG', delta: 5 },
    { sku: 'NONE', delta: 5 },
    { variant_id: randomUUID(), delta: 1 },
  ]
  const reply = await app.post('/stock?atomic=true', { stock })
  expect(reply).toBeRefused(422, 'stock.1.sku', 'stock.2.variant_id')
  expect(await stockOf(api, mug.variant)).toBe(2)
  expect((await app.post('/stock?atomic=true', { stock: stock.slice(0, 1) })).status).toBe(200)
  expect(await stockOf(api, mug.variant)).toBe(7)
})

test('the reason of a line is kept with what it changed, unless it is empty', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { quantity: 2 })
  const app = api.as('product:update', 'product:view')
  for (const reason of ['Broken', '', null, undefined])
    expect((await app.post('/stock', { stock: [{ variant_id: variant, delta: 1, reason }] })).status).toBe(200)
  const { history } = (await app.get(`/stock/${variant}/history`)).body.data
  expect(history.map(({ reason }: { reason: string | null }) => reason)).toEqual([null, null, null, 'Broken', null])
})

test('a retry whose first reply was not stored changes nothing and shows the stock as it is', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 10 })
  const hat = await addProduct(api, { sku: 'HAT', quantity: 3 })
  const cup = await addProduct(api, { sku: 'CUP', quantity: 5 })
  const { install_id, ...app } = await api.install(['product:update'])
  const token = await api.getToken(app, { install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  for (const size of [256 * 1024, 1]) while (mayStoreReply(install_id, 'x'.repeat(size)));
  const stock = [
    { sku: 'MUG', delta: -4, reason: 'Broken' },
    { variant_id: hat.variant, quantity: 50 },
    { sku: 'NONE', quantity: 1 },
    { sku: 'CUP', delta: -6 },
  ]
  const post = () => caller.post('/stock', { stock }, { 'idempotency-key': 'once' })
  const first = await post()
  expect(first.body.data.stock.map(({ quantity }: { quantity: number }) => quantity)).toEqual([6, 50, null, 5])
  await caller.post('/stock', {
    stock: [
      { sku: 'HAT', delta: -1 },
      { sku: 'CUP', delta: 4 },
    ],
  })
  const again = await post()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  const none = first.body.data.stock[2]
  expect(none.errors).toEqual({ sku: ['must be the SKU of a variant'] })
  expect(again.body.data.stock).toEqual([
    { variant_id: mug.variant, product_id: mug.id, sku: 'MUG', quantity: 6, previous_quantity: 6, errors: {} },
    { variant_id: hat.variant, product_id: hat.id, sku: 'HAT', quantity: 49, previous_quantity: 49, errors: {} },
    none,
    // What was refused is still told, though it would be possible now.
    {
      ...{ variant_id: cup.variant, product_id: cup.id, sku: 'CUP', quantity: 9, previous_quantity: 9 },
      errors: { delta: ['would take more than the 5 in stock'] },
    },
  ])
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([6, 49])
})

test('a line needs one variant and one change; a request has 1 to 1,000 lines', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { sku: 'MUG', quantity: 2 })
  const app = api.as('product:update')
  const wrong = [
    {},
    { variant_id: variant, sku: 'MUG', quantity: 1, delta: 1 },
    { sku: 'A', quantity: -1 },
    { sku: 'MUG', quantity: 1 },
    { sku: 'MUG', quantity: 1 },
  ]
  expect((await app.post('/stock', { stock: wrong.slice(2, 3) })).body.errors).toHaveProperty(['stock.0.quantity'])
  const { errors } = (await app.post('/stock', { stock: wrong.toSpliced(2, 1) })).body
  expect(Object.keys(errors).sort()).toEqual([
    'stock.0.quantity',
    'stock.0.variant_id',
    'stock.1.delta',
    'stock.1.sku',
    'stock.3.sku',
  ])
  expect(await app.post('/stock', { stock: [] })).toBeRefused(422, 'stock')
  const many = Array.from({ length: 1_001 }, (_, n) => ({ sku: `S${n}`, delta: 1 }))
  expect(await app.post('/stock', { stock: many })).toBeRefused(422, 'stock')
  expect(await api.as('product:view').post('/stock', { stock: many })).toFailWith('forbidden')
  expect(await stockOf(api, variant)).toBe(2)
})

test('concurrent requests and orders never take a unit twice, and a retry takes nothing', async () => {
  const api = await startTestApi()
  const variants = await Promise.all(
    Array.from({ length: 6 }, async () => (await addProduct(api, { quantity: 10 })).variant),
  )
  const app = api.as('product:update', 'order:create')
  const take = async (n: number) => {
    const order = n % 2 === 0 ? variants : variants.toReversed()
    if (n % 3 === 0) {
      const lines = order.map((variant_id) => ({ variant_id, quantity: 1 }))
      return (await app.post('/order', { variants: lines })).status === 201 ? 1 : 0
    }
    const stock = order.map((variant_id) => ({ variant_id, delta: -1 }))
    return (await app.post('/stock?atomic=true', { stock })).status === 200 ? 1 : 0
  }
  const taken = await Promise.all(Array.from({ length: 15 }, (_, n) => take(n)))
  expect(taken.reduce((sum: number, n) => sum + n, 0)).toBe(10)
  for (const variant of variants) expect(await stockOf(api, variant)).toBe(0)

  const again = { 'idempotency-key': 'delivery 41' }
  const stock = [{ variant_id: variants[0], delta: 5 }]
  const first = await app.post('/stock', { stock }, again)
  const second = await app.post('/stock', { stock }, again)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(second.text).toBe(first.text)
  expect(await stockOf(api, variants[0] as string)).toBe(5)
})

test('a line adds to what another transaction left while it waited', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { quantity: 10 })
  const app = api.as('product:update')
  const take = sql`update variant set quantity = quantity - 3 where store_id = ${api.store.id} and id = ${mug.variant}`
  const reply = await whileLocked(api.db, take, () =>
    app.post('/stock', { stock: [{ variant_id: mug.variant, delta: 3 }] }),
  )
  expect(reply.body.data.stock[0]).toMatchObject({ quantity: 10, previous_quantity: 7 })
  expect(await stockOf(api, mug.variant)).toBe(10)

  const set = await whileLocked(api.db, take, () =>
    app.post('/stock', { stock: [{ variant_id: mug.variant, quantity: 10 }] }),
  )
  expect(set.body.data.stock[0]).toMatchObject({ quantity: 10, previous_quantity: 7 })
  expect(await stockOf(api, mug.variant)).toBe(10)
})

test('a line that waits for its variant takes no more than there is once the product may not be oversold', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { quantity: 5, allow_order_when_oos: true })
  const forbid = sql`
    with counted as (update variant set quantity = 3 where store_id = ${api.store.id} and id = ${mug.variant})
    update product set allow_order_when_oos = false where store_id = ${api.store.id} and id = ${mug.id}`
  const reply = await whileLocked(api.db, forbid, () =>
    all.post('/stock', { stock: [{ variant_id: mug.variant, delta: -10 }] }),
  )
  expect(reply.body.data.stock).toMatchObject([
    { quantity: 3, errors: { delta: ['would take more than the 3 in stock'] } },
  ])
  expect(await stockOf(api, mug.variant)).toBe(3)
})

test('a variant that is deleted while a line waits for it is reported as unknown', async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { sku: 'MUG', quantity: 10 })
  const remove = sql`delete from variant where store_id = ${api.store.id} and id = ${mug.variant}`
  const reply = await whileLocked(api.db, remove, () =>
    api.as('product:update').post('/stock', { stock: [{ sku: 'MUG', quantity: 3 }] }),
  )
  expect(reply.body.data.stock).toEqual([
    {
      variant_id: null,
      product_id: null,
      sku: null,
      quantity: null,
      previous_quantity: null,
      errors: { sku: ['must be the SKU of a variant'] },
    },
  ])
})

test('concurrent deltas that cancel out leave the quantity as it was, and each reply says what it left', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { quantity: 100 })
  const app = api.as('product:update')
  const deltas = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? 1 : -1))
  for (let round = 0; round < 3; round++) {
    const replies = await Promise.all(
      deltas.map((delta) => app.post('/stock', { stock: [{ variant_id: variant, delta }] })),
    )
    for (const [n, { body }] of replies.entries()) {
      const [line] = body.data.stock
      expect(line.quantity - line.previous_quantity).toBe(deltas[n])
    }
    expect(await stockOf(api, variant)).toBe(100)
  }
})
