import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { form } from '../../../tests/support/uploads.ts'

const OPTIONS = [{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }]
const VARIANTS = [{ price: 1, values: [{ value: 'S' }] }]

test('top-level price, compare_price, sku and quantity set those of default', async () => {
  const app = (await startTestApi()).as()
  const mug = { title: 'Mug', price: 25, compare_price: 30.5, sku: 'MUG', quantity: 4 }
  for (const body of [mug, form({ metadata: JSON.stringify(mug) })]) {
    const reply = await app.post('/product', body)
    expect(reply.status, reply.text).toBe(201)
    expect(reply.headers.get('x-ignored-input')).toBeNull()
    expect(reply.body.data.product.default).toMatchObject({ price: 25, compare_price: 30.5, sku: 'MUG', quantity: 4 })
    const { id } = reply.body.data.product
    const updated = await app.post(`/product/${id}/update`, { quantity: 3, default: { price: 26, quantity: 3 } })
    expect(updated.status, updated.text).toBe(200)
    expect(updated.body.data.product.default).toMatchObject({ price: 26, compare_price: 30.5, sku: 'MUG', quantity: 3 })
    expect((await app.post(`/product/${id}/update`, { sku: null })).body.data.product.default.sku).toBeNull()
  }
})

test('the shorthand is refused if it contradicts default or if there are variants', async () => {
  const app = (await startTestApi()).as()
  const { product: mug } = (await app.post('/product', { title: 'Mug', price: 25 })).body.data
  const { product: shirt } = (await app.post('/product', { title: 'Shirt', options: OPTIONS, variants: VARIANTS })).body
    .data
  for (const [path, body, field] of [
    ['/product', { title: 'x', price: 1, default: { price: 2 } }, 'price'],
    ['/product', { title: 'x', sku: 'A', default: { sku: null } }, 'sku'],
    ['/product', { title: 'x', quantity: 1, options: OPTIONS, variants: VARIANTS }, 'quantity'],
    ['/product', { title: 'x', price: '', status: 'inactive' }, 'price'],
    ['/product', { title: 'x', quantity: -1 }, 'quantity'],
    [`/product/${mug.id}/update`, { price: 1, default: { price: 2 } }, 'price'],
    [`/product/${shirt.id}/update`, { price: 1 }, 'price'],
    [
      `/product/${shirt.id}/update`,
      { compare_price: 1, variants: [{ id: shirt.default.id, price: 2 }] },
      'compare_price',
    ],
  ] as const)
    expect(await app.post(path, body), JSON.stringify(body)).toBeRefused(422, field)
  expect((await app.get(`/product/${mug.id}`)).body.data.product.default.price).toBe(25)
  expect((await app.get(`/product/${shirt.id}`)).body.data.product.default.price).toBe(1)
})

test('a new product with a misspelt price is refused, not sold for nothing', async () => {
  const app = (await startTestApi()).as()
  const variants = [{ values: [{ value: 'S' }] }, { unitPrice: 3, values: [{ value: 'M' }] }]
  for (const [body, field] of [
    [{ regular_price: 25 }, 'default.price'],
    [{ Price: 25, status: 'active' }, 'default.price'],
    [{ default: { amount: 25, quantity: 3 } }, 'default.price'],
    [{ default: { compare_price: 30 }, price_cents: 2500 }, 'default.price'],
    [{ options: OPTIONS, variants }, 'variants.1.price'],
  ] as const)
    expect(await app.post('/product', { title: 'Mug', ...body }), JSON.stringify(body)).toBeRefused(422, field)
  expect((await app.get('/product')).body.data.pagination.total).toBe(0)

  for (const body of [
    { cost: 9, price: 25 },
    { cost: 9, default: { price: 0 } },
    { amount: 9, status: 'inactive' },
    { costume: 'red', weight: 3 },
    { options: OPTIONS, variants: VARIANTS, unit_price: 3 },
  ]) {
    const reply = await app.post('/product', { title: 'Mug', ...body })
    expect(reply.status, reply.text).toBe(201)
    expect(reply.headers.get('x-ignored-input')).toBeTruthy()
  }
  const { product } = (await app.post('/product', { title: 'Mug' })).body.data
  expect((await app.post(`/product/${product.id}/update`, { amount: 3 })).status).toBe(200)
})
