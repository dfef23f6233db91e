import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { SHIRT } from '../../../tests/support/products.ts'
import { upload } from '../../../tests/support/uploads.ts'
import { createCategory } from '../categories/queries.ts'

const create = async (api: TestApi, body: object) => {
  const reply = await api.as().post('/product', body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.product
}

const update = async (api: TestApi, id: string, body: object) => {
  const reply = await api.as().post(`/product/${id}/update`, body)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data.product
}

const read = async (api: TestApi, id: string) => (await api.as().get(`/product/${id}`)).body.data.product

const countProducts = async (api: TestApi) =>
  (await api.db.selectFrom('product').select('id').where('store_id', '=', api.store.id).execute()).length

test('a product with only a title has every field, one variant, and a generated slug', async () => {
  const api = await startTestApi()
  const product = await create(api, { title: 'Café crème, 250 g' })
  expect(product).toMatchObject({
    slug: 'cafe-creme-250-g',
    title: 'Café crème, 250 g',
    description: null,
    page_title: null,
    meta_description: null,
    is_digital: false,
    status: 'active',
    stock_tracked: true,
    allow_order_when_oos: false,
    image: null,
    images: [],
    ugc_videos: [],
    options: [],
    variants: [],
    category: null,
    properties: [],
  })
  expect(product.default).toMatchObject({
    product_id: product.id,
    title: 'Café crème, 250 g',
    price: 0,
    compare_price: 0,
    sku: null,
    quantity: 0,
    image: null,
    file: null,
    values: [],
  })
  expect(await read(api, product.id)).toEqual(product)
})

test('everything that is given on create is what is read', async () => {
  const api = await startTestApi()
  const category = await createCategory(api.db, api.store.id, { name: 'Drinks' })
  const product = await create(api, {
    title: 'Coffee',
    slug: 'قهوة-coffee',
    description: '<p>Strong</p>',
    page_title: 'Buy coffee',
    meta_description: 'The best',
    status: 'inactive',
    is_digital: true,
    stock_tracked: false,
    allow_order_when_oos: true,
    category_id: category.id,
    default: { price: 9.999, compare_price: 12, sku: 'COF', quantity: 7 },
    properties: [
      { name: 'Origin', value: 'Yemen' },
      { name: 'Roast', value: '' },
    ],
  })
  expect(product).toMatchObject({
    slug: 'قهوة-coffee',
    description: '<p>Strong</p>',
    page_title: 'Buy coffee',
    meta_description: 'The best',
    status: 'inactive',
    is_digital: true,
    stock_tracked: false,
    allow_order_when_oos: true,
    category,
    default: { price: 9.999, compare_price: 12, sku: 'COF', quantity: 7 },
    properties: [
      { name: 'Origin', value: 'Yemen' },
      { name: 'Roast', value: '' },
    ],
  })
})

test('variants keep the given order, and the first is the default', async () => {
  const api = await startTestApi()
  const product = await create(api, SHIRT)
  expect(product.options.map((option: { name: string }) => option.name)).toEqual(['Size', 'Colour'])
  expect(product.variants.map((variant: { title: string }) => variant.title)).toEqual(['S / Red', 'M / Blue'])
  expect(product.variants[0]).toMatchObject({ price: 20, compare_price: 25, sku: 'S-R', quantity: 3 })
  expect(product.variants[1]).toMatchObject({ price: 21.5, compare_price: 0, sku: null })
  const [size] = product.options
  expect(product.variants[0].values[0]).toEqual({
    id: size.values[0].id,
    option_id: size.id,
    order: 1,
    value: 'S',
  })
  expect(product.default).toEqual(product.variants[0])
  expect(await read(api, product.id)).toEqual(product)
})

test('a value refers to its option by order, or else by position', async () => {
  const api = await startTestApi()
  const [red, small] = [{ value: 'Red' }, { value: 'S' }]
  const options = SHIRT.options
  const turned = await create(api, {
    ...SHIRT,
    variants: [
      {
        values: [
          { order: 2, ...red },
          { order: 1, ...small },
        ],
      },
    ],
  })
  expect(turned.variants[0].title).toBe('S / Red')
  const placed = await create(api, { ...SHIRT, variants: [{ values: [{ order: 7, ...small }, red] }] })
  expect(placed.variants[0].title).toBe('S / Red')
  const unordered = options.map(({ name, values }) => ({ name, values: values.map(({ value }) => ({ value })) }))
  const free = await create(api, {
    title: 'Shirt',
    options: unordered,
    variants: [
      {
        values: [
          { order: 1, ...small },
          { order: 2, ...red },
        ],
      },
    ],
  })
  expect(free.variants[0].title).toBe('S / Red')
})

test('options and variants that do not fit together are refused by name, and nothing is left', async () => {
  const api = await startTestApi()
  const app = await api.as('product:create')
  const post = (body: object) => app.post('/product', body)
  const { options, variants } = SHIRT
  const values = variants[0]?.values
  expect(await post({ title: 'x', options })).toBeRefused(422, 'variants')
  expect(await post({ title: 'x', default: { price: 1 }, variants, options })).toBeRefused(422, 'default')
  expect(await post({ title: 'x', options, variants: [{ price: 1 }] })).toBeRefused(422, 'variants.0.values')
  expect(await post({ title: 'x', options, variants: [{ values: values?.slice(1) }] })).toBeRefused(
    422,
    'variants.0.values',
  )
  expect(await post({ title: 'x', options, variants: [{ values }, { values }] })).toBeRefused(422, 'variants.1.values')
  const unknown = [
    { order: 1, value: 'XXL' },
    { order: 2, value: 'Red' },
    { order: 9, value: 'Wool' },
  ]
  expect(await post({ title: 'x', options, variants: [{ values: unknown }] })).toBeRefused(
    422,
    'variants.0.values.0',
    'variants.0.values.2',
  )
  expect(await post({ title: 'x', variants: [{ values }] })).toBeRefused(
    422,
    'variants.0.values.0',
    'variants.0.values.1',
  )
  expect(await post({ title: 'x', variants: [{ price: 1 }, { price: 2 }] })).toBeRefused(422, 'variants.1')
  expect(await post({ title: 'x', options: [{ order: 1, name: 'Size', values: [] }], variants })).toBeRefused(
    422,
    'options.0.values',
    'variants.0.values.0',
    'variants.1.values.0',
    'variants.0.values.1',
    'variants.1.values.1',
  )
  const twice = [...options, { order: 3, name: 'Size', values: [{ value: 'A' }, { value: 'A' }] }]
  expect((await post({ title: 'x', options: twice, variants })).body.errors).toMatchObject({
    'options.2.name': expect.anything(),
    'options.2.values.1': expect.anything(),
  })
  expect(await countProducts(api)).toBe(0)
})

test('wrong input is refused with every field named', async () => {
  const api = await startTestApi()
  const app = await api.as('product:create')
  expect(await app.post('/product', {})).toBeRefused(422, 'title')
  const wrong = await app.post('/product', {
    title: '   ',
    slug: 'no spaces/please',
    status: 'sold',
    is_digital: 'yes',
    category_id: 'x',
    default: { price: -1, compare_price: 1.2345, quantity: 1.5, sku: 5 },
    images: [{ id: 'x' }],
    properties: [{ name: 'n' }],
    meta_description: 'x'.repeat(2000),
  })
  expect(wrong).toBeRefused(
    422,
    'title',
    'slug',
    'status',
    'is_digital',
    'category_id',
    'default.price',
    'default.compare_price',
    'default.quantity',
    'default.sku',
    'images.0.id',
    'properties.0.value',
    'meta_description',
  )
  expect(await app.post('/product', { title: 'a\0b' })).toBeRefused(422, 'title')
  expect(await app.post('/product', { title: 'x'.repeat(256) })).toBeRefused(422, 'title')
  expect(await app.post('/product', [])).toBeRefused(422, 'body')
  expect(await countProducts(api)).toBe(0)
})

test('unknown fields are ignored and named', async () => {
  const api = await startTestApi()
  const app = await api.as('product:create')
  const reply = await app.post('/product', { title: 'Mug', id: randomUUID(), default: { image: null, weight: 3 } })
  expect(reply.status).toBe(201)
  expect(reply.headers.get('x-ignored-input')?.split(', ').sort()).toEqual(['default.image', 'default.weight', 'id'])
})

test('all unknown references are refused at once, also those to another store', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const file = await upload(other, { file: Buffer.from('plain text') })
  const category = await createCategory(other.db, other.store.id, { name: 'Theirs' })
  const body = (fileId: string, categoryId: string) => ({
    ...SHIRT,
    category_id: categoryId,
    images: [{ id: fileId, order: 1 }],
    ugc_videos: [{ id: fileId, order: 1 }],
    variants: SHIRT.variants.map((variant) => ({ ...variant, image: fileId, file: fileId })),
  })
  const app = await api.as('product:create')
  const theirs = await app.post('/product', body(file.id, category.id))
  expect(theirs).toBeRefused(
    422,
    'category_id',
    'images.0',
    'ugc_videos.0',
    'variants.0.image',
    'variants.0.file',
    'variants.1.image',
    'variants.1.file',
  )
  const nobodys = await app.post('/product', body(randomUUID(), randomUUID()))
  expect(nobodys.text).toBe(theirs.text)
  expect(await app.post('/product', { title: 'x', default: { file: randomUUID() } })).toBeRefused(422, 'default.file')
  expect(await countProducts(api)).toBe(0)
})

test('a slug is unique in its store: a generated one gets a number, a given one is refused', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const slugs = []
  for (let n = 0; n < 7; n++) slugs.push((await create(api, { title: 'Blue Mug!' })).slug)
  expect(slugs.slice(0, 5)).toEqual(['blue-mug', 'blue-mug-2', 'blue-mug-3', 'blue-mug-4', 'blue-mug-5'])
  expect(new Set(slugs).size).toBe(7)
  expect((await create(other, { title: 'Blue Mug!' })).slug).toBe('blue-mug')
  expect((await create(api, { title: '!!!' })).slug).toBe('product')
  expect(await api.as().post('/product', { title: 'x', slug: 'blue-mug' })).toBeRefused(422, 'slug')
  const product = await create(api, { title: 'Another' })
  const renamed = await api.as().post(`/product/${product.id}/update`, { slug: 'blue-mug', title: '' })
  expect(renamed).toBeRefused(422, 'title')
  expect(await api.as().post(`/product/${product.id}/update`, { slug: 'blue-mug' })).toBeRefused(422, 'slug')
  expect((await update(api, product.id, { slug: 'another' })).slug).toBe('another')
})

test('a product of another store is not found, not even by an invalid update', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mug = await create(api, { title: 'Mug' })
  const app = await other.as()
  expect(await app.get(`/product/${mug.id}`)).toFailWith('not_found')
  expect(await app.get('/product/not-an-id')).toFailWith('not_found')
  expect(await app.post(`/product/${mug.id}/update`, { title: 'Mine' })).toFailWith('not_found')
  expect(await app.post(`/product/${mug.id}/update`, { title: 5 })).toFailWith('not_found')
  expect(await app.post('/product/not-an-id/update', { title: 5 })).toFailWith('not_found')
  expect(await read(api, mug.id)).toEqual(mug)
})

test('each endpoint needs its own permission', async () => {
  const api = await startTestApi()
  const mug = await create(api, { title: 'Mug' })
  const viewer = await api.as('product:view')
  const writer = await api.as('product:create', 'product:update')
  expect(await viewer.post('/product', { title: 'x' })).toFailWith('forbidden')
  expect(await viewer.post(`/product/${mug.id}/update`, { title: 'x' })).toFailWith('forbidden')
  expect(await writer.get('/product')).toFailWith('forbidden')
  expect(await writer.get(`/product/${mug.id}`)).toFailWith('forbidden')
  expect(await writer.get('/category')).toFailWith('forbidden')
})
