import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'

/** Customers whose names tie in threes. */
const shopWithTies = async (api: TestApi, count: number) => {
  const caller = await api.as()
  const ids: string[] = []
  for (let index = 0; index < count; index++) {
    const name = `Name ${Math.floor(index / 3)}`
    const phone = index % 4 === 0 ? undefined : `+216 20 000 0${index % 10}`
    const reply = await caller.post('/customer', { email: `c${index}@example.com`, name, ...(phone && { phone }) })
    ids.push(reply.body.data.customer.id)
  }
  return { caller, ids }
}

const idsOf = (reply: { body: { data: { customers: { id: string }[] } } }) =>
  reply.body.data.customers.map(({ id }) => id)

const throughCursor = async (caller: Caller, query: string) => {
  const pages: string[][] = []
  let cursor: string | null = ''
  do {
    const reply = await caller.get(`/customer?${query}${cursor ? `&cursor=${cursor}` : ''}`)
    expect(reply.status).toBe(200)
    pages.push(idsOf(reply))
    expect(reply.body.data.pagination.current_page).toBe(pages.length)
    cursor = reply.body.data.pagination.next_cursor
  } while (cursor)
  return pages.flat()
}

test('pages have no gaps and no duplicates although sort keys tie', async () => {
  const api = await startTestApi()
  const { caller, ids } = await shopWithTies(api, 23)
  for (const order of ['name', 'created_at', 'phone', 'order_count', 'amount_spent', 'email']) {
    for (const direction of ['ASC', 'DESC']) {
      const query = `order_by=${order}&order_direction=${direction}&page_size=5`
      const pages = []
      for (let page = 1; page <= 5; page++) pages.push(...idsOf(await caller.get(`/customer?${query}&page=${page}`)))
      expect(pages.toSorted(), query).toEqual(ids.toSorted())
      expect(await throughCursor(caller, query), query).toEqual(pages)
    }
  }
})

test('the pagination has the total and the current position', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithTies(api, 5)
  const { pagination } = (await caller.get('/customer?page_size=2&page=2')).body.data
  expect(pagination).toEqual({
    total: 5,
    per_page: 2,
    current_page: 2,
    last_page: 3,
    next_cursor: expect.stringMatching(/^[\w-]+$/),
  })
  const last = (await caller.get('/customer?page_size=2&page=3')).body.data
  expect(last.pagination.next_cursor).toBeNull()
  const beyond = (await caller.get('/customer?page_size=2&page=1000000000')).body.data
  expect(beyond).toMatchObject({ customers: [], pagination: { total: 5, current_page: 1_000_000_000, last_page: 3 } })
})

test('an empty store has one empty page', async () => {
  const api = await startTestApi()
  const { data } = (await api.as('customer:view').get('/customer')).body
  expect(data).toEqual({
    customers: [],
    pagination: { total: 0, per_page: 20, current_page: 1, last_page: 1, next_cursor: null },
  })
})

test.each([
  ['page=0', 'page'],
  ['page=-1', 'page'],
  ['page=1.5', 'page'],
  ['page=abc', 'page'],
  ['page=1e3', 'page'],
  ['page=1000000001', 'page'],
  ['page=1&page=2', 'page'],
  ['page_size=0', 'page_size'],
  ['page_size=201', 'page_size'],
  ['order_by=password', 'order_by'],
  ['order_by=name;drop table customer', 'order_by'],
  ['order_direction=down', 'order_direction'],
  ['cursor=garbage', 'cursor'],
])('%s is refused by name', async (query, field) => {
  const api = await startTestApi()
  const reply = await api.as('customer:view').get(`/customer?${query}`)
  expect(reply).toBeRefused(422, field)
})

test('the maximum page size is 200, and an empty parameter counts as missing', async () => {
  const api = await startTestApi()
  const caller = await api.as('customer:view')
  expect((await caller.get('/customer?page_size=200')).body.data.pagination.per_page).toBe(200)
  expect((await caller.get('/customer?page=&order_by=&search=')).status).toBe(200)
})

const forge = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
const ID = '00000000-0000-7000-8000-000000000000'

test.each([
  ['another sort', forge('name', 'DESC', 2, ['x', ID])],
  ['no such sort', forge('constructor', 'DESC', 2, ['x', ID])],
  ['SQL as the direction', forge('created_at', 'DESC; drop table customer', 2, ['x', ID])],
  ['a value of another type', forge('created_at', 'DESC', 2, ['not a time', ID])],
  ['an object as a value', forge('created_at', 'DESC', 2, [{ a: 1 }, ID])],
  ['an invalid id', forge('created_at', 'DESC', 2, ['2026-01-01T00:00:00+00:00', 'x'])],
  ['a page before the second', forge('created_at', 'DESC', 0, ['2026-01-01T00:00:00+00:00', ID])],
  ['too few values', forge('created_at', 'DESC', 2, [])],
  ['nothing at all', forge()],
])('a forged cursor with %s is refused', async (_what, cursor) => {
  const api = await startTestApi()
  expect(await api.as('customer:view').get(`/customer?cursor=${cursor}`)).toBeRefused(422, 'cursor')
})

const FORGED: Record<string, unknown[]> = {
  // For each sort, values of the wrong type and values that only look right.
  'customer name': [1, null, true, 'a\0b', ['x']],
  'customer amount_spent': ['1', null, true, [1], {}],
  'customer order_count': ['1', 1.5, null, 1e300, 2 ** 31, -(2 ** 31) - 1, 2 ** 53],
  'customer created_at': [
    1,
    null,
    '2026-01-01',
    '0000-01-01T00:00:00+00:00',
    '0000-02-29T23:59:59.999999-15:59:59',
    '-001-01-01T00:00:00+00:00',
    '2026-13-01T00:00:00+00:00',
    '2026-02-30T00:00:00+00:00',
    '2026-01-01T25:00:00+00:00',
    '2026-01-01T00:00:00+99:00',
    '999999-01-01T00:00:00+00:00',
    ' 2026-01-01T00:00:00+00:00',
    '2026-01-01T00:00:00+00:00 or true',
  ],
  'product relevance': ['1', null, false],
  'review product_id': [1, null, 'x', ` ${ID}`, `${ID}0`, ID.slice(1)],
}

test.each(Object.entries(FORGED))('a forged cursor of %s is refused, whatever value is in it', async (list, values) => {
  const api = await startTestApi()
  const all = await api.as()
  const [resource, sort] = list.split(' ') as [string, string]
  const sorted = sort === 'relevance' ? 'search=mug' : `order_by=${sort}`
  for (const value of values) {
    const reply = await all.get(`/${resource}?${sorted}&cursor=${forge(sort, 'DESC', 2, [value, ID])}`)
    expect(reply, JSON.stringify(value)).toBeRefused(422, 'cursor')
  }
})

test('a forged cursor with extreme values that PostgreSQL accepts is a valid position', async () => {
  const all = (await startTestApi()).as()
  const places: [string, unknown][] = [
    ['created_at', '0001-01-01T00:00:00+15:59:59'],
    ['created_at', '9999-12-31T23:59:59.999999-15:59:59'],
    ['amount_spent', 1.7976931348623157e308],
    ['amount_spent', 5e-324],
    ['order_count', -(2 ** 31) + 1],
    ['name', '\ud800'],
  ]
  for (const [sort, value] of places) {
    const reply = await all.get(`/customer?order_by=${sort}&cursor=${forge(sort, 'DESC', 2, [value, ID])}`)
    expect(reply.status, `${sort} ${value}: ${reply.text}`).toBe(200)
  }
  const relevance = forge('relevance', 'DESC', 2, [5e-324, ID])
  expect((await all.get(`/product?search=mug&cursor=${relevance}`)).status).toBe(200)
})

test.each([1, 0, -1, 1.5, '2', null, 2 ** 53])('a forged cursor of page %s is refused', async (page) => {
  const all = (await startTestApi()).as()
  const cursor = forge('created_at', 'DESC', page, ['2026-01-01T00:00:00+00:00', ID])
  expect(await all.get(`/customer?cursor=${cursor}`)).toBeRefused(422, 'cursor')
})

test('a genuine cursor of the opposite sort direction is refused', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithTies(api, 3)
  const { next_cursor } = (await caller.get('/customer?page_size=1')).body.data.pagination
  expect((await caller.get(`/customer?page_size=1&cursor=${next_cursor}`)).status).toBe(200)
  const turned = await caller.get(`/customer?page_size=1&order_direction=ASC&cursor=${next_cursor}`)
  expect(turned).toBeRefused(422, 'cursor')
})

test('rows inserted while paging by cursor shift nothing', async () => {
  const api = await startTestApi()
  const { caller, ids } = await shopWithTies(api, 9)
  const first = await caller.get('/customer?page_size=4')
  await caller.post('/customer', { email: 'late@example.com' })
  const rest = []
  let cursor = first.body.data.pagination.next_cursor
  while (cursor) {
    const reply = await caller.get(`/customer?page_size=4&cursor=${cursor}`)
    rest.push(...idsOf(reply))
    cursor = reply.body.data.pagination.next_cursor
  }
  expect([...idsOf(first), ...rest]).toEqual(ids.toReversed())
})
