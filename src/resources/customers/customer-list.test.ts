import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { derivedColumns } from './derived-columns.ts'
import { customerList } from './list.ts'

const blank = { name: '', phone: null, address: null, city: null, postal_code: null }

const addCustomers = (api: TestApi, customers: Record<string, unknown>[]) => {
  const rows = customers.map((given) => {
    const fields = { ...blank, email: `${randomUUID()}@example.com`, ...given }
    return { store_id: api.store.id, ...fields, ...derivedColumns(fields) }
  })
  return api.db.insertInto('customer').values(rows).returning('id').execute()
}

const search = async (api: TestApi, text: string) => {
  const reply = await api.as('customer:view').get(`/customer?search=${encodeURIComponent(text)}`)
  expect(reply.status).toBe(200)
  return reply.body.data.customers.map(({ name }: { name: string }) => name).sort()
}

test('search looks through name, email, phone, address, city and postal code', async () => {
  const api = await startTestApi()
  await addCustomers(api, [
    { name: 'Amélie Poulain', email: 'a.poulain@montmartre.example', city: 'Paris', postal_code: '75018' },
    { name: 'Jörg Straße', email: 'jorg@example.com', address: '100% Ring_Straße 7', city: 'Köln' },
    { name: 'محمّد الأمين', email: 'amine@example.com', city: 'تونس' },
    { name: '李明', email: 'li@example.com', city: '北京' },
  ])
  const hits = {
    amelie: ['Amélie Poulain'],
    'AMÉLIE P': ['Amélie Poulain'],
    lie: ['Amélie Poulain'],
    'montmartre.ex': ['Amélie Poulain'],
    7501: ['Amélie Poulain'],
    strasse: ['Jörg Straße'],
    koln: ['Jörg Straße'],
    '100%': ['Jörg Straße'],
    '%': ['Jörg Straße'],
    ring_: ['Jörg Straße'],
    '  ring_straße   7 ': ['Jörg Straße'],
    محمد: ['محمّد الأمين'],
    الامين: ['محمّد الأمين'],
    تونس: ['محمّد الأمين'],
    李明: ['李明'],
    京: ['李明'],
    'paris 75018': [],
    '\\': [],
    nobody: [],
  }
  for (const [text, names] of Object.entries(hits)) expect(await search(api, text), text).toEqual(names)
})

test('a phone is found in any spacing, with or without country code', async () => {
  const api = await startTestApi()
  await addCustomers(api, [
    { name: 'international', phone: '+216 20-123-456' },
    { name: 'dialled', phone: '00216 (20) 777.888' },
    { name: 'national', phone: '20 999 111' },
    { name: 'trunk', phone: '06 12 34 56 78' },
    { name: 'optional zero', phone: '+33 (0)6 98 76 54 32' },
    { name: 'arabic digits', phone: '٢٠ ٥٥٥ ٤٤٤' },
    { name: 'not a phone', postal_code: '20999' },
  ])
  const hits = {
    20123456: ['international'],
    '20 123 456': ['international'],
    '+21620123456': ['international'],
    '00216 20 123 456': ['international'],
    '0123 45': ['international'],
    '+216 20 777 888': ['dialled'],
    '0021620777888': ['dialled'],
    '+216 20 999 111': ['national'],
    21620999111: ['national'],
    '209 99': ['national'],
    '+33 6 12 34 56 78': ['trunk'],
    '0612': ['trunk'],
    '0612345678': ['trunk'],
    '06 98 76 54 32': ['optional zero'],
    '+33 (0)6 98 76 54 32': ['optional zero'],
    '+33 (0)6 12 34 56 78': ['trunk'],
    // Copied from a list of contacts, with marks of direction.
    '\u202a+216 20 123 456\u202c': ['international'],
    '\u206820\u2011123\u2011456\u2069': ['international'],
    '＋２１６ ２０ １２３ ４５６': ['international'],
    '٠٠٢١٦٢٠١٢٣٤٥٦': ['international'],
    '۲۰۱۲۳۴۵۶': ['international'],
    '20555444': ['arabic digits'],
    '٢٠١٢٣': ['international'],
    '+216 20 000 000': [],
  }
  for (const [text, names] of Object.entries(hits)) expect(await search(api, text), text).toEqual(names)
})

test('a search with very many results counts and pages through all of them', async () => {
  const api = await startTestApi()
  await addCustomers(api, [{ name: 'Somebody Else', country_id: 'FR' }])
  await sql`
    insert into customer (store_id, name, name_key, email, email_key, search, country_id)
    select ${api.store.id}, name, lower(name), email, email, lower(name) || E'\\n\\t ', country
    from generate_series(1, 20100) n, concat('Everybody ', lpad(n::text, 5, '0')) name, concat(n, '@example.com') email,
      lateral (select case when n % 2 = 0 then 'TN' else 'FR' end as country) c`.execute(api.db)
  const caller = await api.as()
  for (const sort of ['name', 'created_at']) {
    const query = `search=EVERYBODY&order_by=${sort}&order_direction=ASC`
    const all = (await caller.get(`/customer?${query}&page_size=2`)).body.data
    expect(all.pagination.total).toBe(20_100)
    const some = (await caller.get(`/customer?${query}&country=TN&page_size=2`)).body.data
    expect(some.pagination.total).toBe(10_050)
    const last = (await caller.get(`/customer?${query}&page_size=100&page=201`)).body.data
    expect(last.customers).toHaveLength(100)
    if (sort === 'name') {
      expect(all.customers.map(({ name }: { name: string }) => name)).toEqual(['Everybody 00001', 'Everybody 00002'])
      expect(some.customers.map(({ name }: { name: string }) => name)).toEqual(['Everybody 00002', 'Everybody 00004'])
      expect(last.customers.at(-1).name).toBe('Everybody 20100')
    }
  }
})

test('the encoding of phone digits is not found as text', async () => {
  const api = await startTestApi()
  await addCustomers(api, [{ name: 'Zeros', phone: '+000 216 000 000' }])
  expect(await search(api, '000 000')).toEqual(['Zeros'])
  for (const text of ['一', '一一', '一一一', '一一一一', 'QQQ', 'SRW'])
    expect(await search(api, text), text).toEqual([])
})

test('a search has at most 255 characters, and a blank one is ignored', async () => {
  const api = await startTestApi()
  await addCustomers(api, [{ name: 'One' }])
  const caller = await api.as()
  expect(await caller.get(`/customer?search=${'x'.repeat(256)}`)).toBeRefused(422, 'search')
  expect(await search(api, '   ')).toEqual(['One'])
})

test('the country filter finds the customers of one country', async () => {
  const api = await startTestApi()
  await addCustomers(api, [{ name: 'T', country_id: 'TN' }, { name: 'F', country_id: 'FR' }, { name: 'none' }])
  const caller = await api.as('customer:view')
  const names = async (query: string) =>
    (await caller.get(`/customer?${query}`)).body.data.customers.map(({ name }: { name: string }) => name)
  expect(await names('country=TN')).toEqual(['T'])
  expect(await names('country=DE')).toEqual([])
  expect(await names('country=FR&search=example')).toEqual(['F'])
  expect(await names('country=TN&order_by=name')).toEqual(['T'])
  expect(await names('country=FR&search=example&order_by=name')).toEqual(['F'])
  expect(await caller.get('/customer?country=XX')).toBeRefused(422, 'country')
  expect(await caller.get('/customer?country=tunisia')).toBeRefused(422, 'country')
})

test.each([
  ['page=0', 'page'],
  ['page_size=201', 'page_size'],
  ['order_by=id', 'order_by'],
  ['order_direction=up', 'order_direction'],
  ['cursor=nonsense', 'cursor'],
])('%s is refused', async (query, field) => {
  const api = await startTestApi()
  expect(await api.as().get(`/customer?${query}`)).toBeRefused(422, field)
})

const SORTS = [
  'amount_spent',
  'order_count',
  'name',
  'email',
  'phone',
  'address',
  'city',
  'postal_code',
  'created_at',
  'subscription_status',
] as const

const MANY = 27

const manyCustomers = async () => {
  const api = await startTestApi()
  const pick = <T>(values: T[], i: number) => values[i % values.length] as T
  await addCustomers(
    api,
    Array.from({ length: MANY }, (_, i) => ({
      name: pick(['', 'ali', 'Ali', 'ÉLODIE', 'eric', 'zoé'], i),
      email: `${i % 2 ? 'Q' : 'q'}${(i * 7) % MANY}@example.com`,
      phone: pick([null, '+216 20 000 000', '9', '00216 20 000 000'], i),
      address: pick([null, 'B road', 'a road', null, 'Ç road'], i),
      city: pick([null, 'Tunis', 'tunis', 'Sfax'], i),
      postal_code: pick(['', null, '1000', 'B1'], i),
      subscription_status: pick(['subscribed', 'not_subscribed'], i),
      amount_spent: pick([0, 0.5, 0.125, 100], i),
      order_count: pick([0, 2, 11], i),
      created_at: new Date(Date.UTC(2026, 0, 1 + (i % 5), 0, 0, 0, i % 3)),
    })),
  )
  return api
}

/** The value to compare by, or null if the customer has none. */
const sortValue = (customer: Record<string, unknown>, sort: string): string | number | null => {
  const value = customer[sort] as string | number | null
  if (typeof value !== 'string') return value
  if (value === '') return null
  if (sort === 'phone') return value.replace(/\D/g, '').replace(/^0+/, '')
  return value.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

test.each(SORTS)('customers sort by %s both ways, without a value last, page by page and by cursor', async (sort) => {
  const api = await manyCustomers()
  const caller = await api.as('customer:view')
  for (const direction of ['ASC', 'DESC']) {
    const base = `/customer?order_by=${sort}&order_direction=${direction}&page_size=7`
    const all: Record<string, string>[] = []
    for (let page = 1; page <= 4; page++) all.push(...(await caller.get(`${base}&page=${page}`)).body.data.customers)
    expect(new Set(all.map(({ id }) => id)).size).toBe(MANY)

    const keys = all.map((customer) => ({ value: sortValue(customer, sort), id: customer.id as string }))
    const sign = direction === 'ASC' ? 1 : -1
    const sorted = keys.toSorted((a, b) => {
      if (a.value === null || b.value === null) {
        if (a.value !== b.value) return a.value === null ? 1 : -1
      } else if (a.value !== b.value) return a.value < b.value ? -sign : sign
      return a.id < b.id ? -sign : sign
    })
    expect(keys).toEqual(sorted)

    const followed = []
    for (let cursor = ''; ; ) {
      const { data } = (await caller.get(`${base}${cursor}`)).body
      followed.push(...data.customers)
      if (!data.pagination.next_cursor) break
      cursor = `&cursor=${data.pagination.next_cursor}`
    }
    expect(followed).toEqual(all)
  }
})

test('every sort works with every filter, and the total is right', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const countries = ['TN', 'FR', null]
  await addCustomers(
    api,
    countries.flatMap((country_id) => ['one', 'two'].map((word) => ({ name: `Common ${word}`, country_id }))),
  )
  const sorts = Object.keys(customerList.sorts)
  for (const [filters, total] of [
    ['search=common', 6],
    ['country=TN', 2],
    ['search=common&country=TN', 2],
    ['search=one&country=FR', 1],
  ] as const)
    for (const sort of sorts) {
      const { status, body } = await caller.get(`/customer?${filters}&order_by=${sort}&page=1&page_size=1`)
      expect({ status, total: body.data?.pagination.total }, `${filters} by ${sort}`).toEqual({ status: 200, total })
    }
})

test('letters that fold to many characters do not exceed the index limit', async () => {
  const api = await startTestApi()
  const long = '\ufdfa'.repeat(500)
  const reply = await api.as().post('/customer', {
    email: 'a@example.com',
    name: long.slice(0, 255),
    address: long,
    city: '𝒳'.repeat(127),
  })
  expect(reply.status).toBe(201)
  expect((await api.as().get('/customer?order_by=address')).body.data.customers).toHaveLength(1)
})

test('a store without customers has one empty page', async () => {
  const api = await startTestApi()
  const { data } = (await api.as().get('/customer')).body
  expect(data).toEqual({
    customers: [],
    pagination: { total: 0, per_page: 20, current_page: 1, last_page: 1, next_cursor: null },
  })
})
