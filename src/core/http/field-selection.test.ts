import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { LazyCaller } from '../../../tests/support/caller.ts'
import { API_PREFIX } from '../../config/config.ts'
import { takesFields } from './field-selection.ts'

let api: TestApi
let all: LazyCaller
const raw = (path: string, headers?: Record<string, string>) => all.get(path, headers)

const addProduct = async (fields: object = {}) =>
  (await all.post('/product', { title: 'Mug', ...fields })).body.data.product as { id: string }

beforeAll(async () => {
  api = await startTestApi()
  all = api.as()
})

test('a read answers with the fields that were asked for, and nothing else', async () => {
  const mug = await addProduct({ title: 'Mug', price: 12 })
  const { body } = await raw(`/product/${mug.id}?fields=title,default.price,images.url`)
  expect(body).toEqual({ data: { product: { title: 'Mug', default: { price: 12 }, images: [] } } })
  const list = await raw('/product?fields=id&page_size=1')
  expect(list.body.data.products).toEqual([{ id: mug.id }])
  expect(list.body.data.pagination.total).toBe(1)
})

test('a field that contains another one wins, in either order', async () => {
  const mug = await addProduct()
  for (const fields of ['default,default.price', 'default.price,default']) {
    const { body } = await raw(`/product/${mug.id}?fields=${fields}`)
    expect(Object.keys(body.data.product.default).length).toBeGreaterThan(5)
  }
})

test('an unknown field is refused with the one that was probably meant, and only of a resource that exists', async () => {
  const mug = await addProduct()
  const refused = await raw(`/product/${mug.id}?fields=tilte,default.nothing,images.url.x`)
  expect(refused).toBeRefused(422, 'fields')
  expect(refused.body.errors.fields).toEqual([
    'there is no field tilte: did you mean title?',
    'there is no field default.nothing',
    'there is no field images.url.x',
  ])
  const missing = await raw(`/product/${crypto.randomUUID()}?fields=tilte`)
  expect(missing.status).toBe(404)
  expect(await raw('/product?fields=constructor')).toBeRefused(422, 'fields')
  expect(await raw(`/product?fields=${'title,'.repeat(101)}`)).toBeRefused(422, 'fields')
})

test('the ETag is one of the selection: it revalidates that alone, and a write accepts it', async () => {
  const mug = await addProduct({ title: 'Mug' })
  const path = `/product/${mug.id}`
  const whole = (await raw(path)).headers.get('etag') as string
  const part = (await raw(`${path}?fields=title`)).headers.get('etag') as string
  expect(part).not.toBe(whole)
  const ask = (query: string, tag: string) => raw(path + query, { 'if-none-match': tag })
  expect((await ask('?fields=title', part)).status).toBe(304)
  expect((await ask('?fields=id', part)).status).toBe(200)
  expect((await ask('', part)).status).toBe(200)
  expect((await ask('?fields=title', whole)).status).toBe(200)
  const update = () => api.as('product:update').post(`${path}/update`, { title: 'Cup' }, { 'if-match': part })
  expect((await update()).status).toBe(200)
  expect((await update()).status).toBe(412)
})

test('a remembered reply is sent whole and in part, and both change with the resource', async () => {
  const mug = await addProduct({ title: 'Mug' })
  const titles = async () => {
    const whole = await raw(`/product/${mug.id}`)
    const part = await raw(`/product/${mug.id}?fields=title`)
    expect(part.body).toEqual({ data: { product: { title: whole.body.data.product.title } } })
    return whole.body.data.product.title
  }
  for (let time = 0; time < 4; time++) expect(await titles()).toBe('Mug')
  await api.as('product:update').post(`/product/${mug.id}/update`, { title: 'Cup' })
  for (let time = 0; time < 4; time++) expect(await titles()).toBe('Cup')
})

test('every read of the API with a JSON reply selects fields, and refuses unknown ones', async () => {
  const reads = api.app.routeTable.filter((route) => route.url.startsWith(API_PREFIX) && takesFields(route))
  expect(reads.length).toBeGreaterThan(35)
  for (const { url } of reads.filter(({ url }) => !url.includes('/:'))) {
    const path = url.slice(API_PREFIX.length)
    const whole = await raw(path)
    if (whole.status !== 200) continue
    expect(await raw(`${path}?fields=no_such_field`), path).toBeRefused(422, 'fields')
    expect(whole.headers.get('x-ignored-input'), path).toBeNull()
  }
})

test('of a very large reply no fields are selected: the page is refused, and a smaller one works', async () => {
  const shop = await startTestApi()
  const caller = shop.as()
  // As an older release without limits could store them.
  await sql`insert into orders (store_id, ref, currency, meta_data)
    select ${shop.store.id}, 'R' || n, 'TND', jsonb_build_object('note', repeat('x', 1500000))
    from generate_series(1, 3) n`.execute(shop.db)
  expect(await caller.get('/order?fields=id')).toBeRefused(422, 'page_size')
  expect((await caller.get('/order')).status).toBe(200)
  expect((await caller.get('/order?fields=id&page_size=2')).body.data.orders).toHaveLength(2)
})
