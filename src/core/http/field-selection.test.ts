import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { send } from '../../../tests/resilience/foreign-id-sweep.ts'
import { createFullStore, samplesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { LazyCaller } from '../../../tests/support/caller.ts'
import type { Sample } from '../../../tests/support/samples.ts'
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

/** Every dotted path of a value, through the elements of its arrays. */
const pathsIn = (value: unknown, prefix = ''): string[] => {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => pathsIn(item, prefix)))]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => [`${prefix}${name}`, ...pathsIn(inner, `${prefix}${name}.`)])
}

/** What these paths reach, each as a list of names. */
const partOf = (value: unknown, paths: string[][]): unknown => {
  if (Array.isArray(value)) return value.map((item) => partOf(item, paths))
  if (value === null || typeof value !== 'object') return value
  const inner = (name: string, own: unknown) => {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest)
    return below.some((rest) => rest.length === 0) ? own : partOf(own, below)
  }
  const named = Object.entries(value).filter(([name]) => paths.some(([first]) => first === name))
  return Object.fromEntries(named.map(([name, own]) => [name, inner(name, own)]))
}

/** The names in a value. Values themselves may depend on the time. */
const namesIn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(namesIn)
  if (value === null || typeof value !== 'object') return 0
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, namesIn(inner)]))
}

const chunks = <T>(all: T[], size: number): T[][] =>
  all.length === 0 ? [] : [all.slice(0, size), ...chunks(all.slice(size), size)]

const PAGING = ['pagination', 'next_cursor', 'has_more', 'more', 'behind']

test('each field of each read can be asked for, by the path that the reply shows', async () => {
  const store = await createFullStore()
  const tried = new Set<string>()
  const [event] = (await store.all.get('/event?page_size=1')).body.data.events
  const samples: Sample[] = [
    ...samplesFor(store).filter(({ route }) => route.startsWith('GET ')),
    { route: 'GET /event/:id', params: { id: event.id } },
    ...['GET /country', 'GET /auth/me'].map((route) => ({ route })),
  ]
  for (const sample of samples) {
    const url = API_PREFIX + sample.route.slice('GET '.length)
    const route = store.api.app.routeTable.find((one) => one.method === 'GET' && one.url === url)
    if (!route || !takesFields(route)) continue
    const whole = await send(store, sample)
    expect(whole.status, sample.route).toBe(200)
    tried.add(sample.route)
    const { data } = whole.body
    const own = Object.keys(data).filter((name) => !PAGING.includes(name))
    const documented = (route.schema.response as Record<number, { properties: { data: { properties: object } } }>)[200]
    const shown = Object.keys(documented?.properties.data.properties ?? {}).filter((name) => !PAGING.includes(name))
    const subject = shown.length === 1 ? shown[0] : undefined
    const paging = Object.fromEntries(Object.entries(data).filter(([name]) => PAGING.includes(name)))
    const all = pathsIn(subject ? data[subject] : Object.fromEntries(own.map((name) => [name, data[name]])))
    const isWithin = (path: string) => all.some((other) => other.startsWith(`${path}.`))
    const innermost = all.filter((path) => !isWithin(path))
    // The outer ones alone, the innermost together.
    for (const fields of [
      ...all.filter((path) => !path.includes('.')).map((path) => [path]),
      ...chunks(innermost, 60),
    ]) {
      const part = await send(store, { ...sample, querystring: { ...sample.querystring, fields: fields.join() } })
      expect(part.status, `${sample.route} ${fields} ${part.text}`).toBe(200)
      const names = fields.map((path) => path.split('.'))
      const wanted = subject ? { [subject]: partOf(data[subject], names) } : (partOf(data, names) as object)
      expect(namesIn(part.body.data), `${sample.route} ${fields}`).toEqual(namesIn({ ...wanted, ...paging }))
    }
  }
  const reads = store.api.app.routeTable.filter((route) => route.url.startsWith(API_PREFIX) && takesFields(route))
  const routes = reads.map(({ url }) => `GET ${url.slice(API_PREFIX.length)}`)
  // A token for one installation may not read the list of all.
  expect(routes.filter((route) => !tried.has(route))).toEqual(['GET /auth/installation'])
})

test('a parameter without a field is ignored, one given twice adds up, and each order has an ETag of its own', async () => {
  const mug = await addProduct({ title: 'Mug' })
  const path = `/product/${mug.id}`
  for (const empty of ['fields=', 'fields=,', 'fields=&fields=,'])
    expect(Object.keys((await raw(`${path}?${empty}`)).body.data.product).length, empty).toBeGreaterThan(10)
  const twice = await raw(`${path}?fields=id&fields=title,id`)
  expect(twice.body.data.product).toEqual({ id: mug.id, title: 'Mug' })
  const [one, other] = [await raw(`${path}?fields=id,title`), await raw(`${path}?fields=title,id`)]
  expect(one.text === other.text).toBe(one.headers.get('etag') === other.headers.get('etag'))
  expect(await raw(`${path}?fields=default..price`)).toBeRefused(422, 'fields')
})
