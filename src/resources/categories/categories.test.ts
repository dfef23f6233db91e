import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { createCategory, listCategories } from './queries.ts'

test('categories of the store are listed in pages, and no others', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await createCategory(other.db, other.store.id, { name: 'Theirs' })
  const shoes = await createCategory(api.db, api.store.id, { name: ' Shoes ' })
  const eggs = await createCategory(api.db, api.store.id, { name: 'Œufs' })
  expect(shoes.name).toBe('Shoes')
  const app = await api.as('product:view')
  const reply = await app.get('/category?order_by=name&order_direction=ASC&page_size=1')
  expect(reply.body.data.categories).toEqual([eggs])
  expect(reply.body.data.pagination.total).toBe(2)
  const next = reply.body.data.pagination.next_cursor
  const rest = await app.get(`/category?order_by=name&order_direction=ASC&page_size=1&cursor=${next}`)
  expect(rest.body.data.categories).toEqual([shoes])
  // Made within one millisecond, they have no sequence of their own.
  const byName = (one: { name: string }, other: { name: string }) => other.name.localeCompare(one.name)
  expect((await app.get('/category')).body.data.categories.sort(byName)).toEqual([shoes, eggs].sort(byName))
  expect((await listCategories(api.db, api.store.id)).toSorted(byName)).toEqual([shoes, eggs].sort(byName))
})

test('two categories of a store must differ in more than case or accents', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const made = await all.post('/category', { name: ' Café ' })
  expect(made.status).toBe(201)
  const { category } = made.body.data
  expect(category).toEqual({ id: expect.any(String), name: 'Café' })
  expect((await all.get(`/category/${category.id}`)).body.data.category).toEqual(category)
  for (const name of ['CAFE', '  ', '', 'x'.repeat(256), 7])
    expect(await all.post('/category', { name })).toBeRefused(422, 'name')
  expect(await all.post('/category', {})).toBeRefused(422, 'name')
  const { category: tea } = (await all.post('/category', { name: 'Tea' })).body.data
  expect(await all.put(`/category/${tea.id}`, { name: 'cafe' })).toBeRefused(422, 'name')
  expect((await all.put(`/category/${tea.id}`, { name: 'TEA' })).body.data.category.name).toBe('TEA')
  expect(await listCategories(api.db, api.store.id)).toHaveLength(2)
  const replies = await Promise.all(['Cup', 'CUP', 'cup'].map((name) => all.post('/category', { name })))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422])
})

test('renaming a category changes its products, and deleting it leaves them without a category', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const { id } = (await api.as('product:create').post('/category', { name: 'Shoes' })).body.data.category
  const { product } = (await app.post('/product', { title: 'Boot', category_id: id })).body.data
  await api.as('product:update').put(`/category/${id}`, { name: 'Boots' })
  expect((await app.get(`/product/${product.id}`)).body.data.product.category).toEqual({ id, name: 'Boots' })
  // Its name is no part of their texts.
  await expectTextsToFitRows(api.db)
  expect((await api.as('product:delete').delete(`/category/${id}`)).body).toEqual({ data: {} })
  expect((await app.get(`/product/${product.id}`)).body.data.product.category).toBeNull()
  expect(await app.get(`/category/${id}`)).toFailWith('not_found')
  expect(await app.delete(`/category/${id}`)).toFailWith('not_found')
})
