import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'
import { mergeRowCounts } from './row-counts.ts'

const DAYS = ['2026-03-01', '2026-03-02', '2026-03-02', '2026-03-03', '2026-03-05']

/** Orders of several days and statuses, some changed afterwards. */
const shopWithOrders = async (api: TestApi) => {
  const caller = await api.as()
  const ids: string[] = []
  for (const [index, day] of DAYS.entries()) {
    const body = {
      status: index % 2 ? 'paid' : 'pending',
      is_archived: index === 0,
      created_at: `${day}T1${index}:30:00Z`,
    }
    ids.push((await caller.post('/order', body)).body.data.order.id)
  }
  await caller.put(`/order/${ids[0]}`, { status: 'paid', is_cancelled: true })
  await caller.put(`/order/${ids[1]}`, { status: 'abandoned' })
  return { caller, ids }
}

const totalAndRows = async (caller: Caller, query: string) => {
  const { orders, pagination } = (await caller.get(`/order?page_size=200&${query}`)).body.data
  return { total: pagination.total, rows: orders.length }
}

const QUERIES = [
  '',
  'status=paid',
  'status=pending',
  'status=abandoned',
  'is_cancelled=true',
  'is_cancelled=false',
  'is_archived=true',
  'is_archived=false',
  'delivery_status=unfulfilled',
  'delivery_status=shipped',
  'delivery_status=unfulfilled,shipped',
  'exclude_delivery_status=unfulfilled',
  'exclude_delivery_status=shipped',
  'refund_status=pending',
  'exclude_refund_status=pending',
  'status=paid&is_archived=true',
  'status=paid&delivery_status=unfulfilled',
  'status=paid,abandoned&is_cancelled=false',
  'status=pending&exclude_delivery_status=shipped,delivered&is_archived=false',
  'exclude_status=abandoned&delivery_status=unfulfilled&is_cancelled=false&is_archived=false&to=2026-03-04T09:00:00Z',
  'status=paid&from=2026-03-02T11:00:00Z&to=2026-03-02T12:00:00Z',
  'status=paid,pending&from=2026-03-02&to=2026-03-05',
  'is_archived=true&is_cancelled=true&to=2026-03-01',
  'status=paid&updated_from=2026-03-02',
  'from=2026-03-02',
  'to=2026-03-02',
  'from=2026-03-02&to=2026-03-02',
  'from=2026-03-01&to=2026-03-31',
  'from=2026-03-01T10:31:00Z',
  'from=2026-03-01T10:30:00Z',
  'to=2026-03-02T11:30:00Z',
  'to=2026-03-02T11:29:59Z',
  'from=2026-03-02T11:00:00Z&to=2026-03-02T12:00:00Z',
  'from=2026-03-02T12:00:00Z&to=2026-03-05T13:00:00Z',
  'from=2026-03-04&to=2026-03-03',
  'from=2026-03-02&status=paid',
  'updated_from=2026-03-02',
  'updated_to=2026-03-02',
  'updated_from=2020-01-01&updated_to=2100-01-01',
  `updated_from=${new Date().toISOString().slice(0, 10)}`,
  'updated_from=2026-03-02&from=2026-03-03',
]

test('every total equals the number of rows, before and after the counters are compacted', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithOrders(api)
  const check = async () => {
    for (const query of QUERIES) {
      const { total, rows } = await totalAndRows(caller, query)
      expect(total, query).toBe(rows)
    }
  }
  await check()
  // Differences that cancel out, enough to trigger compaction.
  await sql`insert into tally select id, 'orders', 'day=2026-03-01&status=paid&', d
    from store, unnest(array[1, -1]) d, generate_series(1, 20) where id = ${api.store.id}`.execute(api.db)
  await mergeRowCounts(api.db)
  await check()
})

test('reviews by minimum rating and files by type and owner have exact totals', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const goods = await addProduct(api, {})
  for (const rating of [1, 3, 3, 5])
    await caller.post('/review', { product_id: goods.id, rating, content: 'Good', reviewer_name: 'Amel' })
  const owner = { fileable_type: 'product', fileable_id: goods.id }
  const linked = await upload(api, { file: await picture(), ...owner })
  await upload(api, { file: await picture('gif') })
  await upload(api, { file: Buffer.from('text'), fileable_type: 'variant', fileable_id: goods.variant })
  const expectTotals = async (resource: string, totals: Record<string, number>) => {
    for (const [query, total] of Object.entries(totals)) {
      const { data } = (await caller.get(`/${resource}?${query}`)).body
      const key = Object.keys(data).find((name) => name !== 'pagination') as string
      expect({ query, total: data.pagination.total, rows: data[key].length }).toEqual({ query, total, rows: total })
    }
  }
  await expectTotals('review', { '': 4, 'rating=1': 4, 'rating=2': 3, 'rating=3': 3, 'rating=5': 1 })
  await expectTotals('file', {
    'mime_type=image/png': 1,
    'mime_type=IMAGE/PNG': 1,
    'mime_type=image/*': 2,
    'mime_type=Image/*': 2,
    'mime_type=*/*': 3,
    'mime_type=image/*,image/png': 2,
    'mime_type=image/png,image/gif': 2,
    'mime_type=video/*': 0,
    'fileable_type=product': 1,
    'fileable_type=variant': 1,
    'fileable_type=review': 0,
    'fileable_type=product&mime_type=image/gif': 0,
    'from=2020-01-01': 3,
  })
  expect((await caller.delete(`/file/${linked.id}/link/product/${goods.id}`)).status).toBe(200)
  await expectTotals('file', { 'fileable_type=product': 0, 'mime_type=image/png': 1 })
})

test('deleted rows are not counted', async () => {
  const api = await startTestApi()
  const { caller, ids } = await shopWithOrders(api)
  await api.db
    .deleteFrom('orders')
    .where('store_id', '=', api.store.id)
    .where('id', '=', ids[2] as string)
    .execute()
  for (const query of QUERIES) {
    const { total, rows } = await totalAndRows(caller, query)
    expect(total, query).toBe(rows)
  }
})

test('compacting leaves one counter row per facet and loses no concurrent write', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const writing = Promise.all(
    Array.from({ length: 60 }, (_, index) => caller.post('/customer', { email: `c${index}@example.com` })),
  )
  for (let round = 0; round < 5; round++) await mergeRowCounts(api.db)
  await writing
  await mergeRowCounts(api.db)
  const { total } = (await caller.get('/customer')).body.data.pagination
  expect(total).toBe(60)
  const rows = await api.db
    .selectFrom('tally')
    .select('delta')
    .where('store_id', '=', api.store.id)
    .where('kind', '=', 'customer')
    .where('facet', '=', '')
    .execute()
  expect(rows.length).toBeLessThanOrEqual(21)
})

test('a failed write does not change a total', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  await caller.post('/customer', { email: 'one@example.com' })
  expect(await caller.post('/customer', { email: 'one@example.com' })).toBeRefused(422, 'email')
  expect((await caller.get('/customer')).body.data.pagination.total).toBe(1)
})

test('removing a store removes its counters', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithOrders(api)
  await caller.post('/order', { customer_email: 'amel@example.com', customer_phone: '+21620123456' })
  const counters = async () => {
    const { rows } = await sql<{ kind: string }>`
      select 'tally' as kind from tally where store_id = ${api.store.id}
      union select 'phone_count' from phone_count where store_id = ${api.store.id}
      union select 'first_order' from first_order where store_id = ${api.store.id} order by kind`.execute(api.db)
    return rows.map(({ kind }) => kind)
  }
  expect(await counters()).toEqual(['first_order', 'phone_count', 'tally'])
  await api.db.deleteFrom('store').where('id', '=', api.store.id).execute()
  expect(await counters()).toEqual([])
})

test('combined filters are counted from a few counters, not from the orders', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithOrders(api)
  // Counters that no order stands for: a total that has them was not counted row by row.
  await sql`insert into tally values (${api.store.id}, 'orders', ${COMBINATION}, 100),
    (${api.store.id}, 'orders', ${`day=2026-03-02${COMBINATION}`}, 1000)`.execute(api.db)
  const total = async (query: string) => (await totalAndRows(caller, query)).total
  expect(await total('status=paid&delivery_status=shipped')).toBe(100)
  expect(await total('delivery_status=shipped,delivered&is_cancelled=false&exclude_status=pending')).toBe(100)
  expect(await total('status=paid&delivery_status=shipped&from=2026-03-02&to=2026-03-02')).toBe(1000)
  expect(await total('status=pending&delivery_status=shipped')).toBe(0)
})

const COMBINATION = '&status=paid&is_cancelled=false&is_archived=false&delivery_status=shipped&'

test('totals of pairs are exact when many orders change at once', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const placed = await Promise.all(Array.from({ length: 12 }, () => caller.post('/order', {})))
  const ids = placed.map(({ body }) => body.data.order.id)
  const change = (id: string, n: number) =>
    caller.put(`/order/${id}`, n % 2 ? { status: 'paid' } : { is_archived: true })
  await Promise.all([...ids, ...ids].map((id, n) => change(id, n + Math.floor(n / 12))))
  await mergeRowCounts(api.db)
  for (const query of [
    'status=paid&is_archived=true',
    'status=paid&delivery_status=unfulfilled',
    'status=pending&is_archived=false',
  ])
    expect((await totalAndRows(caller, query)).total, query).toBe((await totalAndRows(caller, query)).rows)
  expect((await totalAndRows(caller, 'status=paid&is_archived=true')).total).toBe(12)
})

test('with total=false every list shows the same rows without counting', async () => {
  const api = await startTestApi()
  const { caller } = await shopWithOrders(api)
  await addProduct(api, { title: 'Blue mug' })
  await caller.post('/customer', { email: 'mug@example.com', name: 'Mug' })
  const isList = ({ schema }: { schema: { querystring?: unknown } }) =>
    'total' in ((schema.querystring as { properties?: object } | undefined)?.properties ?? {})
  const lists = api.app.routeTable.filter(isList)
  expect(lists.length).toBeGreaterThan(6)
  const searches = [
    '/order?search=mug',
    '/product?search=mug',
    '/product?search=mug&order_by=title',
    '/customer?search=mug',
    '/order?status=paid&page_size=1',
  ]
  const { variant } = await addProduct(api, { title: 'Red mug', quantity: 3 })
  for (const path of [
    ...lists.map(({ url }) => `${url.slice('/api/apps/v1'.length).replace(':id', variant)}?`),
    ...searches,
  ]) {
    const counted = (await caller.get(path)).body.data
    const uncounted = (await caller.get(`${path}&total=false`)).body.data
    const { total, last_page, ...rest } = counted.pagination
    expect([typeof total, typeof last_page], path).toEqual(['number', 'number'])
    expect(uncounted, path).toEqual({ ...counted, pagination: { ...rest, total: null, last_page: null } })
  }
  expect(await caller.get('/order?total=maybe')).toBeRefused(422, 'total')
})
