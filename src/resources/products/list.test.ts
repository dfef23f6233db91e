import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { createCategory } from '../categories/queries.ts'

const add = async (api: TestApi, body: object) => {
  const reply = await api.as().post('/product', body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.product
}

const list = async (api: TestApi, query: Record<string, string> = {}) =>
  api.as('product:view').get(`/product?${new URLSearchParams(query)}`)

const titles = async (api: TestApi, query: Record<string, string> = {}): Promise<string[]> => {
  const reply = await list(api, query)
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body.data.pagination.total).toBe(reply.body.data.products.length)
  return reply.body.data.products.map(({ title }: { title: string }) => title)
}

const found = (api: TestApi, search: string) => titles(api, { search })

test('products of the store are listed newest first, each with the same JSON as a single read', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await add(other, { title: 'Theirs' })
  const first = await add(api, { title: 'First' })
  const second = await add(api, { title: 'Second', default: { price: 4.5 } })
  const reply = await list(api)
  expect(reply.body.data.products).toEqual([second, first])
  expect(reply.body.data.pagination).toMatchObject({ total: 2, per_page: 20, current_page: 1, last_page: 1 })
})

test('filters work alone and combined', async () => {
  const api = await startTestApi()
  const shoes = await createCategory(api.db, api.store.id, { name: 'Shoes' })
  await add(api, { title: 'Boot', category_id: shoes.id, default: { quantity: 1 } })
  await add(api, { title: 'Ebook', is_digital: true, status: 'inactive', stock_tracked: false })
  await add(api, { title: 'Sandal', category_id: shoes.id })
  const by = { order_by: 'title', order_direction: 'ASC' }
  expect(await titles(api, { ...by, title: 'Boot' })).toEqual(['Boot'])
  expect(await titles(api, { ...by, title: 'boot' })).toEqual([])
  expect(await titles(api, { ...by, status: 'inactive' })).toEqual(['Ebook'])
  expect(await titles(api, { ...by, status: 'active' })).toEqual(['Boot', 'Sandal'])
  expect(await titles(api, { ...by, is_digital: 'true' })).toEqual(['Ebook'])
  expect(await titles(api, { ...by, is_digital: '0' })).toEqual(['Boot', 'Sandal'])
  expect(await titles(api, { ...by, out_of_stock: 'true' })).toEqual(['Sandal'])
  expect(await titles(api, { ...by, out_of_stock: 'false' })).toEqual(['Boot', 'Ebook'])
  expect(await titles(api, { ...by, category: shoes.id })).toEqual(['Boot', 'Sandal'])
  expect(await titles(api, { order_by: 'category', category: shoes.id })).toEqual(['Sandal', 'Boot'])
  expect(await titles(api, { category: shoes.id, out_of_stock: 'false', status: 'active', search: 'bo' })).toEqual([
    'Boot',
  ])
})

test('a sku finds its products exactly, also by their variants, and no other store’s', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await add(other, { title: 'Theirs', default: { sku: 'A-1' } })
  const options = [{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }]
  const variants = ['S', 'M'].map((value) => ({ sku: `A-${value}`, values: [{ value }] }))
  await add(api, { title: 'Mug', default: { sku: 'A-1' } })
  await add(api, { title: 'Cup', status: 'inactive', default: { sku: 'A-1' } })
  await add(api, { title: 'Shirt', options, variants: variants.map((variant) => ({ ...variant, price: 1 })) })
  await add(api, { title: 'Twice', options, variants: variants.map((variant) => ({ ...variant, sku: 'T' })) })
  await add(api, { title: 'None' })
  expect(await titles(api, { sku: 'A-1' })).toEqual(['Cup', 'Mug'])
  expect(await titles(api, { sku: 'A-1', order_by: 'title', order_direction: 'DESC' })).toEqual(['Mug', 'Cup'])
  expect(await titles(api, { sku: 'A-M' })).toEqual(['Shirt'])
  expect(await titles(api, { sku: 'T' })).toEqual(['Twice'])
  for (const sku of ['a-1', 'A-', 'A', '%']) expect(await titles(api, { sku })).toEqual([])
  expect(await titles(api, { sku: 'A-1', status: 'active' })).toEqual(['Mug'])
  expect(await titles(api, { sku: 'A-1', search: 'cup' })).toEqual(['Cup'])
  const { pagination } = (await list(api, { sku: 'A-1', page_size: '1' })).body.data
  expect(pagination).toMatchObject({ total: 2, last_page: 2, next_cursor: expect.any(String) })
  expect(await list(api, { sku: 'x'.repeat(256) })).toBeRefused(422, 'sku')
})

test('an invalid filter or sort is refused by name', async () => {
  const api = await startTestApi()
  const reply = await list(api, {
    search: 'x',
    status: 'sold',
    is_digital: 'maybe',
    out_of_stock: '2',
    category: 'shoes',
    order_by: 'relevance',
    order_direction: 'up',
    page_size: '201',
  })
  expect(reply).toBeRefused(
    422,
    'search',
    'status',
    'is_digital',
    'out_of_stock',
    'category',
    'order_by',
    'order_direction',
    'page_size',
  )
})

test('sorting by category puts products without one last, both ways, over pages and cursors', async () => {
  const api = await startTestApi()
  const [z, a] = [
    await createCategory(api.db, api.store.id, { name: 'zebra' }),
    await createCategory(api.db, api.store.id, { name: 'Âge' }),
  ]
  for (const [title, category] of [
    ['none 1', undefined],
    ['z', z],
    ['a 1', a],
    ['none 2', undefined],
    ['a 2', a],
  ] as const)
    await add(api, { title, ...(category && { category_id: category.id }) })
  expect(await titles(api, { order_by: 'category', order_direction: 'ASC' })).toEqual([
    'a 1',
    'a 2',
    'z',
    'none 1',
    'none 2',
  ])
  expect(await titles(api, { order_by: 'category' })).toEqual(['z', 'a 2', 'a 1', 'none 2', 'none 1'])
  for (const order_direction of ['ASC', 'DESC']) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const reply = await list(api, {
        order_by: 'category',
        order_direction,
        page_size: '1',
        ...(cursor && { cursor }),
      })
      seen.push(...reply.body.data.products.map(({ title }: { title: string }) => title))
      cursor = reply.body.data.pagination.next_cursor
    }
    expect(seen).toEqual(await titles(api, { order_by: 'category', order_direction }))
  }
})

test('sorting by stock begins with what runs out first and ends with what is not tracked, over cursors', async () => {
  const api = await startTestApi()
  const options = [{ name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }]
  const sizes = (small: number, medium: number) => [
    { quantity: small, price: 1, values: [{ value: 'S' }] },
    { quantity: medium, price: 1, values: [{ value: 'M' }] },
  ]
  await add(api, { title: 'Nine', default: { quantity: 9 } })
  await add(api, { title: 'Untracked', stock_tracked: false, default: { quantity: 0 } })
  await add(api, { title: 'One of two', options, variants: sizes(40, 1) })
  await add(api, { title: 'None', default: { quantity: 0 } })
  await add(api, { title: 'Two', options, variants: sizes(2, 3) })
  const expected = ['None', 'One of two', 'Two', 'Nine', 'Untracked']
  expect(await titles(api, { order_by: 'stock', order_direction: 'ASC' })).toEqual(expected)
  expect(await titles(api, { order_by: 'stock', order_direction: 'DESC' })).toEqual(expected.toReversed())
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const reply = await list(api, {
      order_by: 'stock',
      order_direction: 'ASC',
      page_size: '2',
      ...(cursor && { cursor }),
    })
    seen.push(...reply.body.data.products.map(({ title }: { title: string }) => title))
    cursor = reply.body.data.pagination.next_cursor
  }
  expect(seen).toEqual(expected)
})

test('titles are sorted without regard to case and accents', async () => {
  const api = await startTestApi()
  for (const title of ['éclair', 'Apple', 'zebra', 'banana', 'Éclat', 'ﷺ'.repeat(255)]) await add(api, { title })
  const sorted = await titles(api, { order_by: 'title', order_direction: 'ASC' })
  expect(sorted.slice(0, 5)).toEqual(['Apple', 'banana', 'éclair', 'Éclat', 'zebra'])
})

test('search finds words by their beginning in title, description and slug, without case and accents', async () => {
  const api = await startTestApi()
  await add(api, { title: 'Blue mugs', description: '<p class="wide">For <b>tea</b></p>' })
  await add(api, { title: 'Café crème', slug: 'house-blend' })
  await add(api, { title: 'Pâte à tartiner', description: 'Noisettes et œufs' })
  await add(api, { title: 'القهوة العربية', description: 'قَهْوَة طازجة' })
  await add(api, { title: '青い馬克杯セット' })
  expect(await found(api, 'mug')).toEqual(['Blue mugs'])
  expect(await found(api, 'MUG blu')).toEqual(['Blue mugs'])
  expect(await found(api, 'tea')).toEqual(['Blue mugs'])
  expect(await found(api, 'class')).toEqual([])
  expect(await found(api, 'caf')).toEqual(['Café crème'])
  expect(await found(api, 'CREME cafe')).toEqual(['Café crème'])
  expect(await found(api, 'house-bl')).toEqual(['Café crème'])
  expect(await found(api, 'pate oeuf')).toEqual(['Pâte à tartiner'])
  expect(await found(api, 'قهوة')).toEqual(['القهوة العربية'])
  expect(await found(api, 'القهوه'.slice(0, 5))).toEqual(['القهوة العربية'])
  expect(await found(api, 'عربية')).toEqual(['القهوة العربية'])
  expect(await found(api, '馬克杯')).toEqual(['青い馬克杯セット'])
  expect(await found(api, 'mug cafe')).toEqual([])
  expect(await found(api, 'ugs')).toEqual([])
})

test('a changed title, slug or description is what search finds from then on', async () => {
  const api = await startTestApi()
  const mug = await add(api, { title: 'Mug', description: 'round' })
  const app = await api.as()
  await app.post(`/product/${mug.id}/update`, { title: 'Cup' })
  expect([await found(api, 'cup round'), await found(api, 'mug round')]).toEqual([['Cup'], ['Cup']])
  await app.post(`/product/${mug.id}/update`, { slug: 'cup' })
  expect([await found(api, 'cup'), await found(api, 'mug')]).toEqual([['Cup'], []])
  await app.post(`/product/${mug.id}/update`, { description: null })
  expect(await found(api, 'round')).toEqual([])
})

test('matches in titles rank before descriptions and close ones before loose ones, unless order_by is given', async () => {
  const api = await startTestApi()
  await add(api, { title: 'Catalogue of things' })
  await add(api, { title: 'Cat' })
  await add(api, { title: 'A bowl for your cat and dog' })
  await add(api, { title: 'Fish food', description: 'Not for a cat' })
  await add(api, { title: 'Cat bowl' })
  const best = ['Cat', 'Cat bowl', 'A bowl for your cat and dog', 'Catalogue of things', 'Fish food']
  expect(await found(api, 'cat')).toEqual(best)
  expect((await found(api, 'bowl cat'))[0]).toBe('Cat bowl')
  const by = { search: 'cat', order_by: 'title', order_direction: 'ASC' }
  expect(await titles(api, by)).toEqual([...best].sort())
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const reply = await list(api, { search: 'cat', page_size: '2', ...(cursor && { cursor }) })
    seen.push(...reply.body.data.products.map(({ title }: { title: string }) => title))
    cursor = reply.body.data.pagination.next_cursor
  }
  expect(seen).toEqual(best)
})

test('search stays in its store', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await add(other, { title: 'Mug' })
  expect(await found(api, 'mug')).toEqual([])
})

test('a hostile search is harmless', async () => {
  const api = await startTestApi()
  await add(api, { title: `O'Brien's "100%" mug`, slug: 'mug' })
  const signs = `'"\\%_():*&|!<->`
  expect(await found(api, signs)).toEqual([])
  expect(await found(api, `mug ${signs}`)).toHaveLength(1)
  expect(await found(api, `${signs}mug:*${signs}`)).toHaveLength(1)
  expect(await found(api, `o'brien`)).toHaveLength(1)
  expect(await found(api, 'mug & !mug')).toHaveLength(1)
  expect(await found(api, '😀😀')).toEqual([])
  expect(await found(api, 'mug 😀')).toHaveLength(1)
  expect(await found(api, '%%')).toEqual([])
  expect(await found(api, 'a b c d e f g h i j k l m n o p q r s t u v w x y z '.repeat(9))).toEqual([])
  expect(await list(api, { search: 'x'.repeat(10_000) })).toBeRefused(422, 'search')
  expect(await list(api, { search: 'mug\0' })).toBeRefused(422, 'search')
  expect(await list(api, { search: ' m ' })).toBeRefused(422, 'search')
  expect((await api.as().get('/product?search=%ff%fe')).status).toBeLessThan(500)
})

test('a product with unusual words can be stored', async () => {
  const api = await startTestApi()
  const description = ['x'.repeat(5000), '杯'.repeat(5000), '𐍈'.repeat(3000), '<'.repeat(20_000)].join(' ')
  await add(api, { title: 'Odd', description })
  expect(await found(api, 'x'.repeat(300))).toEqual(['Odd'])
  expect(await found(api, '杯'.repeat(40))).toEqual(['Odd'])
})

test('out_of_stock follows every variant, however its quantity changes', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const options = [{ order: 1, name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }]
  const shirt = await add(api, {
    title: 'Shirt',
    options,
    variants: [
      { quantity: 1, values: [{ order: 1, value: 'S' }] },
      { quantity: 0, values: [{ order: 1, value: 'M' }] },
    ],
  })
  const [small, medium] = shirt.variants
  const isOut = async () => (await titles(api, { out_of_stock: 'true' })).length === 1
  const change = (body: object) => app.post(`/product/${shirt.id}/update`, body)
  expect(await isOut()).toBe(false)
  await sql`update variant set quantity = quantity - 1 where id = ${small.id}`.execute(api.db)
  expect(await isOut()).toBe(true)
  await change({ variants: [{ id: medium.id, quantity_delta: 3 }] })
  expect(await isOut()).toBe(false)
  await change({ variants: [{ id: medium.id, _delete: true }] })
  expect(await isOut()).toBe(true)
  await change({ stock_tracked: false })
  expect(await isOut()).toBe(false)
  await change({ stock_tracked: true, variants: [{ quantity: 2, values: [{ order: 1, value: 'M' }] }] })
  expect(await isOut()).toBe(false)
})
