import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createFullStore, type FullStore, samplesFor } from '../../../tests/resilience/full-store.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import { form, picture } from '../../../tests/support/uploads.ts'
import { API_PREFIX } from '../../config/config.ts'
import type { JsonSchema } from '../input/validation-messages.ts'

const PAGING = ['page', 'page_size', 'order_by', 'order_direction', 'cursor', 'total']

interface List {
  path: string
  filters: [name: string, shape: JsonSchema][]
}

/** One value of a filter, and the ways it may be written; the first is the plainest. */
type Spellings = [string, ...string[]]
type Filter = { name: string; values: Spellings[]; several: boolean }

let store: FullStore
let lists: List[]

beforeAll(async () => {
  store = await createFullStore()
  const { all, product, page } = store
  const soon = { created_at: '2026-03-01T12:00:00Z', landing_page_id: page.id }
  const variants = [{ variant_id: product.variants[1].id, quantity: 2 }]
  for (const status of ['pending', 'paid', 'abandoned']) await all.post('/order', { ...soon, status, variants })
  const { order } = (await all.post('/order', { is_archived: true, is_cancelled: true })).body.data
  await all.put(`/order/delivery/${order.deliveries[0].id}`, { status: 'shipped' })
  await all.post('/customer', { email: 'tn@shop.example', name: 'Café', country_id: 'TN' })
  await all.post('/product', { title: 'Café', is_digital: true, status: 'inactive' })
  lists = store.api.app.routeTable
    .filter(
      ({ method, schema }) => method === 'GET' && (schema.querystring as JsonSchema | undefined)?.properties?.page,
    )
    .map(({ url, schema }) => ({
      path: url.slice(API_PREFIX.length),
      filters: Object.entries((schema.querystring as JsonSchema).properties ?? {}).filter(
        ([name]) => !PAGING.includes(name),
      ),
    }))
  expect(lists.length).toBeGreaterThan(6)
})

const ids = (name: string): string[] => {
  const { category, order, customer, product, simple, page, domain } = store
  const known: Record<string, string[]> = {
    category: [category.id],
    customer_id: [order.customer_id, customer.id],
    landing_page_id: [page.id],
    domain_id: [domain.id],
  }
  return known[name] ?? [product.id, simple.id]
}

const texts = (name: string): string[] => {
  const known: Record<string, string[]> = {
    search: ['mug', 'shop', 'café'],
    ref: [store.order.ref],
    mime_type: ['image/png', 'image/*', 'application/pdf'],
    country: ['TN'],
  }
  return known[name] ?? ['Café', 'Mug']
}

const moments = () => [Date.parse('2026-03-01T12:00:00Z'), Date.parse('2026-03-02T00:00:00Z'), Date.now() + 60_000]

/** Values a filter can have in this store, each in all its spellings. */
const spellings = (name: string, shape: JsonSchema): Spellings[] => {
  if (shape.enum) return shape.enum.map((value) => [value])
  if (shape.format === 'uuid') return ids(name).map((id) => [id, id.toUpperCase()])
  if (shape.format === 'date-bound')
    return moments()
      .map((time) => Math.floor(time / 1000))
      .map((time) => [new Date(time * 1000).toISOString(), String(time), `${time}000`])
  if (shape.type === 'boolean')
    return [
      ['true', '1'],
      ['false', '0'],
    ]
  if (shape.type === 'integer') return ['1', '3', '5'].map((value) => [value])
  return texts(name).map((text) => [text.normalize('NFC'), text.normalize('NFD')])
}

const filterOf = ([name, shape]: [string, JsonSchema]): fc.Arbitrary<Filter> => {
  const several = shape.type === 'array'
  const values = spellings(name, several ? (shape.items ?? {}) : shape)
  return fc
    .uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: several ? 3 : 1 })
    .map((values) => ({ name, values, several }))
}

const encode = (pairs: [string, string][]) =>
  pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)

const plainSpelling = ({ name, values }: Filter) => encode([[name, values.map(([plain]) => plain).join()]])

/** The same filter in a random accepted spelling. */
const randomSpelling = ({ name, values, several }: Filter): fc.Arbitrary<string[]> =>
  fc.tuple(fc.nat(3), ...values.map((value) => fc.constantFrom(...value))).map(([style, ...texts]) => {
    const keys = [() => name, () => `${name}[]`, (n: number) => `${name}[${n}]`]
    const key = keys[style]
    return several && !key
      ? encode([[name, texts.join(', ')]])
      : encode(texts.map((text, n) => [(key ?? (() => name))(n), text]))
  })

const read = async (path: string, query: string[]) => {
  const reply = await store.all.get(`${path}?${[...query, 'page_size=200'].join('&')}`)
  expect(reply.status, `${path}?${query.join('&')} ${reply.text}`).toBe(200)
  const { pagination, ...rest } = reply.body.data
  const rows = (Object.values(rest)[0] as { id: string }[]).map(({ id }) => id)
  return { total: pagination.total as number, rows }
}

const check = async (path: string, filters: Filter[], odd: string[]) => {
  const plain = await read(path, filters.flatMap(plainSpelling))
  const said = `${path}?${odd.join('&')}`
  expect(plain.total, said).toBe(plain.rows.length)
  expect(await read(path, odd), said).toEqual(plain)
  if (path !== '/order') return
  const csv = (await store.all.get(`/order/export?${odd.join('&')}`)).text
  expect(csv.trimEnd().split('\r\n').length - 1, said).toBe(plain.total)
}

/** Each value in its least plain spelling, with an index of its own. */
const leastPlainSpelling = ({ name, values }: Filter) =>
  encode(values.map((value, n) => [`${name}[${n}]`, value.at(-1) as string]))

test('each filter finds and counts the same in every spelling', async () => {
  for (const { path, filters } of lists) {
    for (const entry of filters) {
      const [one, another] = fc.sample(filterOf(entry), 2) as [Filter, Filter]
      await check(path, [one], leastPlainSpelling(one))
      await check(path, [another], fc.sample(randomSpelling(another), 1)[0] as string[])
    }
  }
})

test('combined filters find and count the same in every spelling', async () => {
  const mixed = fc.constantFrom(...lists.filter(({ filters }) => filters.length > 1)).chain(({ path, filters }) =>
    fc.tuple(
      fc.constant(path),
      fc
        .subarray(filters, { minLength: 2, maxLength: Math.min(4, filters.length) })
        .chain((some) => fc.tuple(...some.map(filterOf)))
        .chain((some) =>
          fc.tuple(
            fc.constant(some),
            fc.tuple(...some.map(randomSpelling)).map((parts) => parts.flat()),
          ),
        ),
    ),
  )
  await fc.assert(
    fc.asyncProperty(mixed, ([path, [filters, odd]]) => check(path, filters, odd)),
    { numRuns: randomRuns(12) },
  )
})

test('a misspelt filter never widens the result', async () => {
  const misspellings = [
    (name: string) => name.toUpperCase(),
    (name: string) => `${name}[x]`,
    (name: string) => `${name}[0][]`,
    (name: string) => `-${name}`,
  ]
  for (const { path, filters } of lists) {
    for (const [n, entry] of filters.entries()) {
      const [filter] = fc.sample(filterOf(entry), 1)
      const name = misspellings[n % misspellings.length]?.(entry[0]) as string
      const value = filter?.values[0]?.[0] as string
      for (const list of path === '/order' ? [path, '/order/export'] : [path]) {
        const reply = await store.all.get(`${list}?${encode([[name, value]])}`)
        expect(reply, `${list} ${name}`).toBeRefused(422, name)
        expect(reply.body.errors[name]).toEqual([`must be written ${entry[0]}`])
      }
    }
  }
})

const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const inCapitals = (text: string) => text.replace(UUID, (id) => id.toUpperCase())

test('every request accepts its ids in upper case', async () => {
  const other = await createFullStore()
  for (const { route, params = {}, querystring = {}, body, refused } of samplesFor(other)) {
    const [method = '', url = ''] = route.split(' ')
    const query = new URLSearchParams(
      Object.entries(querystring).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const path = inCapitals(`${url.replace(/:(\w+)/g, (_, name) => params[name] ?? '')}?${query}`)
    const sent = body && JSON.parse(inCapitals(JSON.stringify(body)))
    const file = { name: 'd.png', bytes: await picture() }
    const reply = await other.all.send(method, path, route === 'POST /file' ? form({ ...sent, file }) : sent)
    if (refused) expect(reply.status).toBe(422)
    else expect([200, 201, 202], `${route} ${JSON.stringify(sent)}: ${reply.text}`).toContain(reply.status)
    const { pagination, ...rest } = reply.body?.data ?? {}
    if (!pagination) continue
    const rows = Object.values(rest)[0] as unknown[]
    expect([pagination.total, rows.length > 0], path).toEqual([rows.length, true])
  }
})
