import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { createCategory, listCategories } from './manage-categories.ts'

test('categories of the store are listed in pages, and no others', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await createCategory(other.db, other.store.id, 'Theirs')
  const shoes = await createCategory(api.db, api.store.id, ' Shoes ')
  const eggs = await createCategory(api.db, api.store.id, 'Œufs')
  expect(shoes.name).toBe('Shoes')
  const app = await api.as('product:view')
  const reply = await app.get('/category?order_by=name&order_direction=ASC&page_size=1')
  expect(reply.body.data.categories).toEqual([eggs])
  expect(reply.body.data.pagination.total).toBe(2)
  const next = reply.body.data.pagination.next_cursor
  const rest = await app.get(`/category?order_by=name&order_direction=ASC&page_size=1&cursor=${next}`)
  expect(rest.body.data.categories).toEqual([shoes])
  expect((await app.get('/category')).body.data.categories).toEqual([eggs, shoes])
  expect(await listCategories(api.db, api.store.id)).toEqual([eggs, shoes])
})

test('two categories of a store must differ in more than case or accents', async () => {
  const api = await startTestApi()
  await createCategory(api.db, api.store.id, 'Café')
  await expect(createCategory(api.db, api.store.id, 'CAFE')).rejects.toThrow('already')
  await expect(createCategory(api.db, api.store.id, '  ')).rejects.toThrow('--name')
  await expect(createCategory(api.db, api.store.id, 'x'.repeat(256))).rejects.toThrow('--name')
  await expect(createCategory(api.db, '00000000-0000-0000-0000-000000000000', 'x')).rejects.toThrow('no store')
  expect(await listCategories(api.db, api.store.id)).toHaveLength(1)
})

test('renaming a category changes its products, and deleting it leaves them without a category', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const { id } = await createCategory(api.db, api.store.id, 'Shoes')
  const { product } = (await app.post('/product', { title: 'Boot', category_id: id })).body.data
  await api.db.updateTable('category').set({ name: 'Boots', name_key: 'boots' }).where('id', '=', id).execute()
  expect((await app.get(`/product/${product.id}`)).body.data.product.category).toEqual({ id, name: 'Boots' })
  await api.db.deleteFrom('category').where('id', '=', id).execute()
  expect((await app.get(`/product/${product.id}`)).body.data.product.category).toBeNull()
})
