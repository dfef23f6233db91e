import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { SHIRT } from '../../../tests/support/products.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
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

test('an update changes only what is given', async () => {
  const api = await startTestApi()
  const category = await createCategory(api.db, api.store.id, { name: 'Clothes' })
  const before = await create(api, { ...SHIRT, description: 'Soft', properties: [{ name: 'Wash', value: '30' }] })
  const later = { updated_at: expect.any(String) }
  expect(await update(api, before.id, {})).toEqual(before)
  const after = await update(api, before.id, { status: 'inactive', category_id: category.id })
  expect(after).toEqual({ ...before, ...later, status: 'inactive', category })
  const cleared = await update(api, before.id, { description: null, category_id: null, properties: [] })
  expect(cleared).toEqual({ ...before, ...later, status: 'inactive', description: null, properties: [] })
})

test.skipIf(isOnCitus)('a change of what no index has writes no index of the product', async () => {
  const api = await startTestApi()
  const { id } = await create(api, SHIRT)
  const written = await api.db.transaction().execute(async (db) => {
    await sql`update product set meta_description = 'Soft', updated_at = now() where id = ${id}`.execute(db)
    const { rows } = await sql`select n_tup_upd::int as rows, n_tup_hot_upd::int as rows_alone
      from pg_stat_xact_user_tables where relname = 'product'`.execute(db)
    return rows
  })
  expect(written).toEqual([{ rows: 1, rows_alone: 1 }])
})

test('variants and options merge by id: an id changes, no id adds, _delete removes, the rest stays', async () => {
  const api = await startTestApi()
  const shirt = await create(api, SHIRT)
  const [first, second] = shirt.variants
  const [size, colour] = shirt.options
  const changed = await update(api, shirt.id, {
    options: [{ id: size.id, values: [{ order: 3, value: 'L' }] }],
    variants: [
      { id: second.id, price: 30, sku: 'M-B' },
      {
        quantity: 4,
        values: [
          { order: 1, value: 'L' },
          { order: 2, value: 'Red' },
        ],
      },
    ],
  })
  expect(changed.options[0].values.map(({ value }: { value: string }) => value)).toEqual(['S', 'M', 'L'])
  expect(changed.options[1]).toEqual(colour)
  expect(changed.variants[0]).toEqual(first)
  expect(changed.variants[1]).toMatchObject({ id: second.id, price: 30, sku: 'M-B', quantity: 0, title: 'M / Blue' })
  expect(changed.variants[2]).toMatchObject({ title: 'L / Red', quantity: 4, price: 0 })

  const red = colour.values[0]
  const renamed = await update(api, shirt.id, {
    options: [{ id: colour.id, name: 'Color', values: [{ id: red.id, value: 'Crimson' }] }],
    variants: [{ id: second.id, _delete: true }],
  })
  expect(renamed.variants.map(({ title }: { title: string }) => title)).toEqual(['S / Crimson', 'L / Crimson'])
  expect(renamed.options[1]).toMatchObject({ id: colour.id, name: 'Color' })
  expect(renamed.default.id).toBe(first.id)

  const refused = await api.as().post(`/product/${shirt.id}/update`, {
    options: [{ id: colour.id, values: [{ id: red.id, _delete: true }] }],
  })
  expect(refused).toBeRefused(422, 'options')
  const freed = await update(api, shirt.id, {
    options: [{ id: colour.id, values: [{ value: 'Blue', _delete: true }] }],
  })
  expect(freed.options[1].values.map(({ value }: { value: string }) => value)).toEqual(['Crimson'])
})

test('options and values can be added after the highest order', async () => {
  const api = await startTestApi()
  const order = 2_147_483_647
  const product = await create(api, {
    title: 'Shirt',
    options: [{ order, name: 'Size', values: [{ order, value: 'S' }, { value: 'M' }] }],
    variants: [{ price: 20, values: [{ order, value: 'S' }] }],
  })
  await update(api, product.id, {
    options: [
      { id: product.options[0].id, values: [{ value: 'L' }] },
      { name: 'Colour', values: [{ value: 'Red' }] },
    ],
    variants: [{ id: product.variants[0].id, values: [{ value: 'S' }, { value: 'Red' }] }],
  })
  const { options } = await read(api, product.id)
  expect(options).toMatchObject([
    { name: 'Size', values: [{ value: 'S' }, { value: 'M' }, { value: 'L' }] },
    { name: 'Colour', values: [{ value: 'Red' }] },
  ])
})

test('two variants can swap their values in one update', async () => {
  const api = await startTestApi()
  const shirt = await create(api, SHIRT)
  const [a, b] = shirt.variants
  const swapped = await update(api, shirt.id, {
    variants: [
      { id: a.id, values: b.values },
      { id: b.id, values: a.values },
    ],
  })
  expect(swapped.variants.map(({ id, title }: { id: string; title: string }) => [id, title])).toEqual([
    [a.id, 'M / Blue'],
    [b.id, 'S / Red'],
  ])
})

test('if all variants are listed, their order follows the list', async () => {
  const api = await startTestApi()
  const shirt = await create(api, SHIRT)
  const [a, b] = shirt.variants
  const turned = await update(api, shirt.id, { variants: [{ id: b.id }, { id: a.id }] })
  expect(turned.variants.map(({ id }: { id: string }) => id)).toEqual([b.id, a.id])
  expect(turned.default.id).toBe(b.id)
})

test('an id of another product is refused by field', async () => {
  const api = await startTestApi()
  const shirt = await create(api, SHIRT)
  const other = await create(api, SHIRT)
  const app = await api.as()
  const reply = await app.post(`/product/${shirt.id}/update`, {
    options: [
      { id: other.options[0].id, name: 'x' },
      { id: shirt.options[0].id, values: [{ id: other.options[0].values[0].id }] },
    ],
    variants: [
      { id: shirt.variants[0].id },
      { id: other.variants[0].id, price: 1 },
      { id: randomUUID(), _delete: true },
    ],
  })
  expect(reply).toBeRefused(422, 'options.0.id', 'options.1.values.0.id', 'variants.1.id', 'variants.2.id')
  expect(await read(api, other.id)).toEqual(other)
  expect(await app.post('/product', { title: 'x', variants: [{ id: shirt.variants[0].id }] })).toBeRefused(
    422,
    'variants.0.id',
    'variants',
  )
})

test('a simple product that gets options loses its variant, unless the variant gets values', async () => {
  const api = await startTestApi()
  const mug = await create(api, { title: 'Mug', default: { price: 5, quantity: 2 } })
  const { options, variants } = SHIRT
  const replaced = await update(api, mug.id, { options, variants })
  expect(replaced.variants).toHaveLength(2)
  expect(replaced.variants.map(({ id }: { id: string }) => id)).not.toContain(mug.default.id)

  const cup = await create(api, { title: 'Cup', default: { price: 5, quantity: 2 } })
  const grown = await update(api, cup.id, { options, variants: [{ id: cup.default.id, values: variants[0]?.values }] })
  expect(grown.variants).toMatchObject([{ id: cup.default.id, price: 5, quantity: 2, title: 'S / Red' }])
  const app = await api.as()
  expect(await app.post(`/product/${mug.id}/update`, { default: { price: 1 } })).toBeRefused(422, 'default')
  const third = [{ order: 3, name: 'Fit', values: [{ value: 'Slim' }] }]
  expect(await app.post(`/product/${mug.id}/update`, { options: third })).toBeRefused(422, 'options')
})

test('a product that loses its options keeps one variant', async () => {
  const api = await startTestApi()
  const shirt = await create(api, SHIRT)
  const app = await api.as()
  const options = shirt.options.map(({ id }: { id: string }) => ({ id, _delete: true }))
  const [first, second] = shirt.variants
  expect(await app.post(`/product/${shirt.id}/update`, { options })).toBeRefused(422, 'options')
  const all = [first, second].map(({ id }) => ({ id, _delete: true }))
  expect(await app.post(`/product/${shirt.id}/update`, { variants: all })).toBeRefused(422, 'variants')
  const simple = await update(api, shirt.id, { options, variants: [{ id: first.id, _delete: true }] })
  expect(simple).toMatchObject({ options: [], variants: [], default: { id: second.id, title: 'Shirt', values: [] } })

  const other = await create(api, SHIRT)
  const gone = other.options.map(({ id }: { id: string }) => ({ id, _delete: true }))
  const single = await update(api, other.id, { options: gone, default: { price: 99 } })
  expect(single).toMatchObject({ options: [], variants: [] })
  expect(single.default).toMatchObject({ id: other.variants[0].id, price: 99, quantity: 3, sku: 'S-R' })
})

test('quantity_delta adds to what is there, and is refused with quantity or below zero', async () => {
  const api = await startTestApi()
  const mug = await create(api, { title: 'Mug', default: { quantity: 5 } })
  expect((await update(api, mug.id, { default: { quantity_delta: -2 } })).default.quantity).toBe(3)
  const app = await api.as()
  const path = `/product/${mug.id}/update`
  expect(await app.post(path, { default: { quantity_delta: -4 } })).toBeRefused(422, 'default.quantity_delta')
  expect(await app.post(path, { default: { quantity_delta: 1, quantity: 1 } })).toBeRefused(
    422,
    'default.quantity_delta',
  )
  expect(await app.post(path, { default: { quantity_delta: 2147483647 } })).toBeRefused(422, 'default.quantity_delta')
  await api.db.updateTable('variant').set({ quantity: -5 }).where('id', '=', mug.default.id).execute()
  expect((await update(api, mug.id, { default: { quantity_delta: 2 } })).default.quantity).toBe(-3)
  const replies = await Promise.all(Array.from({ length: 8 }, () => app.post(path, { default: { quantity_delta: 1 } })))
  expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect((await read(api, mug.id)).default.quantity).toBe(5)
})

test('the only variant of a simple product has the title of the product', async () => {
  const api = await startTestApi()
  const mug = await create(api, { title: 'Mug' })
  expect((await update(api, mug.id, { title: 'Cup' })).default.title).toBe('Cup')
  const shirt = await create(api, SHIRT)
  expect((await update(api, shirt.id, { title: 'Blouse' })).variants[0].title).toBe('S / Red')
})

test('one field is changed in five statements', async () => {
  const api = await startTestApi()
  const { id } = await create(api, SHIRT)
  const sent = await statementsOf(() => update(api, id, { meta_description: 'Changed' }))
  const transaction = sent.slice(sent.findIndex((text) => text.startsWith('begin')))
  expect(transaction, transaction.join('\n')).toHaveLength(isOnCitus ? 6 : 5)
  expect(transaction.at(-1)).toBe('commit')
})

test('a change of one field leaves all other fields as they were, whatever their texts contain', async () => {
  const api = await startTestApi()
  const created = await create(api, {
    ...SHIRT,
    page_title: ',"image":1,',
    description: '\\",\\"image\\":null,"image":',
  })
  const changed = await update(api, created.id, { meta_description: ',"image":2' })
  expect(changed).toEqual({ ...created, meta_description: ',"image":2', updated_at: expect.any(String) })
  expect(changed.updated_at > created.updated_at).toBe(true)
  expect(await read(api, created.id)).toEqual(changed)
})
