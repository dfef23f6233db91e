import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'
import { createCategory } from '../categories/queries.ts'

type Json = Record<string, unknown>

const create = async (api: TestApi, body: object) => {
  const reply = await api.as().post('/product', body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.product
}

const read = async (api: TestApi, id: string) => (await api.as().get(`/product/${id}`)).body.data.product

/** Removes these fields at every level. */
const without = (value: unknown, ...fields: string[]): unknown => {
  if (Array.isArray(value)) return value.map((item) => without(item, ...fields))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !fields.includes(key))
      .map(([key, inner]) => [key, without(inner, ...fields)]),
  )
}

const OPTIONS = [
  { order: 1, name: 'Colour', values: ['Red', 'Blue', '32'].map((value, order) => ({ order, value })) },
  { order: 2, name: 'Waist', values: ['30', '32', '34'].map((value, order) => ({ order, value })) },
]

const variant = (colour: string, waist: string, more: object = {}) => ({
  price: 10,
  values: [
    { order: 1, value: colour },
    { order: 2, value: waist },
  ],
  ...more,
})

/** One product of every kind. */
const everyShape = async (api: TestApi) => {
  const category = await createCategory(api.db, api.store.id, { name: 'Things' })
  const [image, other] = [
    await upload(api, { file: { bytes: await picture('png'), name: 'a.png' } }),
    await upload(api, { file: { bytes: await picture('png', { colour: '#cc3366' }), name: 'b.png' } }),
  ]
  const sold = await upload(api, { file: { bytes: Buffer.from('%PDF-1.4 sold'), name: 'book.pdf' } })
  const oversold = await create(api, { title: 'Oversold', default: { price: 5 }, allow_order_when_oos: true })
  await api.db.updateTable('variant').set({ quantity: -3 }).where('product_id', '=', oversold.id).execute()
  const swapped = await create(api, {
    title: 'One order for two options',
    options: OPTIONS.map((option) => ({ ...option, order: 7 })),
    variants: [{ price: 3, values: [{ value: 'Red' }, { value: '32' }] }],
  })
  return [
    await create(api, { title: 'Nothing but a title' }),
    await create(api, {
      title: 'Everything',
      description: '<p>Long</p>',
      status: 'inactive',
      category_id: category.id,
      default: { price: 9.999, compare_price: 12, sku: 'E-1', quantity: 7 },
      images: [{ id: other.id }, { id: image.id }],
      properties: [
        { name: 'Origin', value: 'Yemen' },
        { name: 'Roast', value: '' },
        { name: 'Roast', value: '' },
      ],
    }),
    await create(api, { title: 'Digital', is_digital: true, stock_tracked: false, default: { file: sold.id } }),
    oversold,
    swapped,
    await create(api, {
      title: 'Trousers',
      options: OPTIONS,
      variants: [
        variant('Red', '34', { sku: 'R34', quantity: 4, image: image.id, file: sold.id }),
        variant('32', '32', { compare_price: 11 }),
        variant('Blue', '30'),
      ],
    }),
  ]
}

test('a product of any kind can be sent back as read, and stays the same', async () => {
  const api = await startTestApi()
  const app = await api.as()
  for (const { id, title } of await everyShape(api)) {
    const product = await read(api, id)
    for (const body of [product, form({ metadata: JSON.stringify(product) })]) {
      const reply = await app.post(`/product/${id}/update`, body)
      expect(reply.status, `${title}: ${reply.text}`).toBe(200)
      expect(without(reply.body.data.product, 'url')).toEqual(without(product, 'url'))
    }
    expect(without(await read(api, id), 'url')).toEqual(without(product, 'url'))
  }
})

test('a product can be created again from what was read, without its ids', async () => {
  const api = await startTestApi()
  for (const { id } of await everyShape(api)) {
    const product = await read(api, id)
    const files = { images: product.images.map((file: Json) => ({ id: file.id })) }
    const named = product.variants.map(({ image, file }: Json) => ({ image, file }))
    const bare = without({ ...product, images: undefined }, 'id', 'slug', 'option_id') as Json & { variants: Json[] }
    const variants = bare.variants.map((entry, n) => ({ ...entry, ...named[n] }))
    // Only orders of out-of-stock products make stock negative.
    const single = {
      ...(bare.default as Json),
      file: product.default.file,
      quantity: Math.max(0, product.default.quantity),
    }
    const again = await create(api, { ...bare, ...files, variants, default: single, category_id: product.category?.id })
    const identity = ['id', 'slug', 'option_id', 'product_id', 'created_at', 'updated_at', 'url'] as const
    const like = { ...product, default: { ...product.default, quantity: Math.max(0, product.default.quantity) } }
    expect(without(again, ...identity)).toEqual(without(like, ...identity))
    expect(again.id).not.toBe(id)
  }
})

test('a product can be read, changed and sent back', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const shapes = await everyShape(api)
  const trousers = shapes.at(-1)
  const variants = trousers.variants.map((entry: Json, n: number) => ({ ...entry, price: 20 + n }))
  const reply = await app.post(`/product/${trousers.id}/update`, { ...trousers, variants })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.headers.get('x-ignored-input')?.split(', ')).toContain('default')
  expect(reply.body.data.product.variants.map(({ price }: Json) => price)).toEqual([20, 21, 22])
  expect(reply.body.data.product.default.price).toBe(20)

  const simple = shapes[1]
  const changed = await app.post(`/product/${simple.id}/update`, {
    ...simple,
    default: { ...simple.default, price: 3 },
  })
  expect(changed.body.data.product.default).toMatchObject({ id: simple.default.id, price: 3, quantity: 7 })
})

test('a default that contradicts the variants is refused', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const product = { title: 'x', options: OPTIONS, variants: [variant('Red', '30')] }
  for (const single of [{ price: 11 }, { price: 10, sku: 'A' }, { quantity_delta: 1 }])
    expect(await app.post('/product', { ...product, default: single })).toBeRefused(422, 'default')
  expect((await app.post('/product', { ...product, default: { price: 10 } })).status).toBe(201)
})

test('a negative quantity is accepted unchanged, and cannot be set', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const mug = await create(api, { title: 'Mug', default: { quantity: 1 } })
  const set = (quantity: number) => app.post(`/product/${mug.id}/update`, { default: { quantity } })
  expect(await set(-1)).toBeRefused(422, 'default.quantity')
  await api.db.updateTable('variant').set({ quantity: -3 }).where('id', '=', mug.default.id).execute()
  expect(await set(-2)).toBeRefused(422, 'default.quantity')
  expect((await set(-3)).status).toBe(200)
  expect(await app.post('/product', { title: 'x', default: { quantity: -1 } })).toBeRefused(422, 'default.quantity')
  expect((await read(api, mug.id)).default.quantity).toBe(-3)
})

test('a value that only one option has determines the option, whatever its order is', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const options = [
    { order: 1, name: 'Colour', values: ['Red', 'Blue', 'M'].map((value, n) => ({ order: n + 1, value })) },
    { order: 2, name: 'Size', values: ['S', 'M', 'L'].map((value, n) => ({ order: n + 1, value })) },
  ]
  const title = async (...values: object[]) => {
    const reply = await app.post('/product', { title: 'Shirt', options, variants: [{ price: 1, values }] })
    return reply.status === 201 ? reply.body.data.product.variants[0].title : Object.keys(reply.body.errors)
  }
  // With the orders of the values instead of the options.
  expect(await title({ order: 2, value: 'Blue' }, { order: 3, value: 'L' })).toBe('Blue / L')
  expect(await title({ order: 1, value: 'S' }, { order: 1, value: 'Red' })).toBe('Red / S')
  expect(await title({ order: 1, value: 'M' }, { order: 2, value: 'M' })).toBe('M / M')
  // If two options have the value, only the order can tell.
  expect(await title({ order: 2, value: 'Blue' }, { order: 1, value: 'M' })).toEqual(['variants.0.values.1'])
  expect(await title({ order: 1, value: 'Red' }, { order: 1, value: 'Blue' })).toEqual(['variants.0.values.1'])
  expect(await title({ order: 1, value: 'Red' }, { order: 2, value: 'XL' })).toEqual(['variants.0.values.1'])
})

test.each([
  [{ default: [] }],
  [{ default: { file: { id: 5 } } }],
  [{ variants: [null] }],
  [{ variants: { id: 1 } }],
  [[]],
])('a malformed product is refused: %j', async (body) => {
  const app = (await startTestApi()).as()
  expect((await app.post('/product', Array.isArray(body) ? body : { title: 'x', ...body })).status).toBe(422)
})
