import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { addProduct } from '../../../tests/support/products.ts'

/** Orders are named in discount_code, so that a list reads as a list of names. */
interface Shop {
  api: TestApi
  all: Caller
  find: (query: string) => Promise<string[]>
  add: (name: string, input?: object) => Promise<{ id: string; ref: string; customer_id: string }>
}

const openShop = async (): Promise<Shop> => {
  const api = await startTestApi()
  const all = await api.as()
  const find = async (query: string) => {
    const reply = await all.get(`/order?${query}`)
    expect(reply.status, reply.text).toBe(200)
    const { orders, pagination } = reply.body.data
    expect(pagination.total).toBe(orders.length)
    return orders.map((order: { discount_code: string }) => order.discount_code).sort()
  }
  const add = async (name: string, input: object = {}) =>
    (await all.post('/order', { discount_code: name, ...input })).body.data.order
  return { api, all, find, add }
}

/** Sets the status columns that filters read. */
const setStates = async ({ api }: Shop, order_id: string, states: Record<string, string[]>) => {
  const own = { store_id: api.store.id, order_id }
  const { delivery = [], back = [], refund = [] } = states
  if (delivery.length > 0) await api.db.deleteFrom('delivery').where('order_id', '=', order_id).execute()
  for (const status of delivery)
    await api.db
      .insertInto('delivery')
      .values({ ...own, status })
      .execute()
  for (const status of back)
    await api.db
      .insertInto('delivery')
      .values({ ...own, status, is_return: true })
      .execute()
  for (const status of refund)
    await api.db
      .insertInto('refund')
      .values({ ...own, status, amount: 1 })
      .execute()
}

let shop: Shop
let mug: string
let shirt: string
let page: string
let amel: { id: string; ref: string; customer_id: string }

beforeAll(async () => {
  shop = await openShop()
  const { api, add } = shop
  const goods = await addProduct(api, { price: 10 })
  const clothes = await addProduct(api, { price: 5, title: 'Shirt' })
  mug = goods.id
  shirt = clothes.id
  page = (
    await api.db
      .insertInto('landing_page')
      .values({ store_id: api.store.id, title: 'Page', slug: 'page', product_id: mug })
      .returning('id')
      .executeTakeFirstOrThrow()
  ).id
  const bought = (...variants: string[]) => variants.map((variant_id) => ({ variant_id, quantity: 1 }))
  amel = await add('amel', {
    customer_first_name: 'Amél',
    customer_last_name: 'Ben Salah',
    customer_email: 'amel@example.tn',
    customer_phone: '+216 20 123 456',
    customer_address: '12 rue de l’Église',
    customer_city: 'Tunis',
    created_at: '2024-01-10T10:00:00Z',
    variants: bought(goods.variant, clothes.variant),
    landing_page_id: page,
  })
  const zoe = await add('zoe', {
    status: 'paid',
    customer_first_name: 'Zoë',
    customer_last_name: 'STRAẞE',
    customer_phone: '06 12 34 56 78',
    customer_address: '100%_off avenue',
    created_at: '2024-01-11T23:59:59.999Z',
    variants: bought(goods.variant),
    is_archived: true,
  })
  const ali = await add('ali', {
    status: 'abandoned',
    customer_first_name: 'أحمد',
    customer_last_name: 'علي',
    customer_phone: '٢٠ ٩٩٩ ٨٨٨',
    customer_city: '東京',
    created_at: '2024-01-12T00:00:00Z',
    variants: bought(clothes.variant, clothes.variant, clothes.variant),
    is_cancelled: true,
  })
  await setStates(shop, amel.id, { delivery: ['shipped', 'unfulfilled'], back: ['delivered'], refund: ['pending'] })
  await setStates(shop, zoe.id, { delivery: ['delivered'], refund: ['pending', 'refunded'] })
  await setStates(shop, ali.id, { back: ['shipped'] })
})

test.each([
  ['status=pending', 'amel'],
  ['status=paid', 'zoe'],
  ['status=paid,pending', 'amel zoe'],
  ['status=paid&status=pending', 'amel zoe'],
  ['status[]=paid&status[]=abandoned', 'ali zoe'],
  ['status[0]=pending&status[1]=paid&status[2]=abandoned', 'ali amel zoe'],
  ['status=paid,abandoned&exclude_status=paid', 'ali'],
  ['status=abandoned', 'ali'],
  ['delivery_status=shipped', 'amel'],
  ['delivery_status=unfulfilled', 'ali amel'],
  ['delivery_status=fulfilled', ''],
  ['delivery_status=cancelled', ''],
  ['delivery_status=shipped,delivered', 'amel zoe'],
  ['delivery_status=shipped&delivery_status=delivered', 'amel zoe'],
  ['delivery_status[]=shipped&delivery_status[]=delivered', 'amel zoe'],
  ['return_status=delivered', 'amel'],
  ['return_status=shipped,delivered', 'ali amel'],
  ['refund_status=refunded', 'zoe'],
  ['refund_status=pending,refunded', 'amel zoe'],
  ['exclude_status=abandoned', 'amel zoe'],
  ['exclude_status=abandoned,paid', 'amel'],
  ['exclude_status=abandoned&delivery_status=unfulfilled', 'amel'],
  ['exclude_delivery_status=unfulfilled', 'zoe'],
  ['exclude_delivery_status=shipped,delivered', 'ali'],
  ['exclude_return_status=shipped', 'amel zoe'],
  ['exclude_return_status=shipped&exclude_return_status=delivered', 'zoe'],
  ['exclude_refund_status=refunded', 'ali amel'],
  ['exclude_refund_status[]=pending&exclude_refund_status[]=refunded', 'ali'],
  ['delivery_status=unfulfilled&exclude_return_status=shipped', 'amel'],
  ['is_cancelled=true', 'ali'],
  ['is_cancelled=0', 'amel zoe'],
  ['is_archived=1', 'zoe'],
  ['is_archived=false', 'ali amel'],
  ['from=2024-01-11', 'ali zoe'],
  ['to=2024-01-11', 'amel zoe'],
  ['from=2024-01-10T10:00:00Z&to=2024-01-10T10:00:00Z', 'amel'],
  ['from=2024-01-10T12:00:00%2B01:00&to=1705017599', ''],
  ['from=1705017600', 'ali'],
  ['updated_from=2024-06-01', 'ali amel zoe'],
  ['updated_to=2024-06-01', ''],
  ['status=pending&is_archived=false&from=2024-01-01&delivery_status=shipped', 'amel'],
  ['status=pending&is_archived=true', ''],
])('orders with %s are %s', async (query, names) => {
  expect(await shop.find(query)).toEqual(names ? names.split(' ') : [])
})

test('orders are filtered by the carrier of any of their deliveries', async () => {
  const { api } = shop
  const carrier = await api.db
    .insertInto('shipping_carrier')
    .values({ store_id: api.store.id, name: 'Aramex', code: 'aramex' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const sent = await sql`update delivery set carrier_id = ${carrier.id}
    where store_id = ${api.store.id} and order_id = ${amel.id} returning id`.execute(api.db)
  expect(sent.rows.length, 'several deliveries, one order').toBeGreaterThan(1)
  expect(await shop.find(`carrier_id=${carrier.id}`)).toEqual(['amel'])
  expect(await shop.find(`carrier_id=${carrier.id}&status=paid`)).toEqual([])
  expect(await shop.find(`carrier_id=${randomUUID()}`)).toEqual([])
})

test('an order is found by the tracking number of a parcel, in upper or lower case and not by a part of it', async () => {
  const { api } = shop
  await sql`update delivery set tracking_number = 'TN-77-ab' where store_id = ${api.store.id} and order_id = ${amel.id}`.execute(
    api.db,
  )
  expect(await shop.find('tracking_number=tn-77-AB')).toEqual(['amel'])
  expect(await shop.find('tracking_number=TN-77')).toEqual([])
  expect(await shop.find('tracking_number=TN-77-ab&status=paid')).toEqual([])
  const elsewhere = await (await startTestApi()).as('order:view').get('/order?tracking_number=TN-77-ab')
  expect(elsewhere.body.data.orders).toEqual([])
})

test('orders are filtered by customer, product and landing page', async () => {
  expect(await shop.find(`ref=${amel.ref}`)).toEqual(['amel'])
  expect(await shop.find('ref=NOSUCH')).toEqual([])
  expect(await shop.find(`customer_id=${amel.customer_id}`)).toEqual(['amel'])
  expect(await shop.find(`customer_id=${randomUUID()}`)).toEqual([])
  expect(await shop.find(`landing_page_id=${page}`)).toEqual(['amel'])
  expect(await shop.find(`product_id=${mug}`)).toEqual(['amel', 'zoe'])
  expect(await shop.find(`product_id=${shirt}`)).toEqual(['ali', 'amel'])
  expect(await shop.find(`product_id=${mug},${shirt}`)).toEqual(['ali', 'amel', 'zoe'])
  expect(await shop.find(`product_id[]=${mug}&product_id[]=${randomUUID()}`)).toEqual(['amel', 'zoe'])
  expect(await shop.find(`product_id=${mug}&status=paid`)).toEqual(['zoe'])
})

test.each([
  ['AMEL', 'amel'],
  ['ben sal', 'amel'],
  ['amél   ben', 'amel'],
  ['EXAMPLE.TN', 'amel'],
  ['eglise', 'amel'],
  ['strasse', 'zoe'],
  ['zoe', 'zoe'],
  ['100%', 'zoe'],
  ['%_o', 'zoe'],
  ['1%off', ''],
  ['___', ''],
  ['احمد', 'ali'],
  ['حمد علي', 'ali'],
  ['東京', 'ali'],
  ['20123456', 'amel'],
  ['+216 20-123-456', 'amel'],
  ['00216 20 123 456', 'amel'],
  ['20 12 34', 'amel'],
  ['+33 6 12 34 56 78', 'zoe'],
  ['0612345678', 'zoe'],
  ['+216 20999888', 'ali'],
  ['٠٠٢١٦ ٢٠ ١٢٣ ٤٥٦', 'amel'],
  ['\u202a+216\u00a020\u2011123\u2011456\u202c', 'amel'],
  ['+33 (0)6 12 34 56 78', 'zoe'],
  // In Arabic, because a ref may start with any Latin letter.
  ['ا', 'ali'],
  ['حم', ''],
  ['أح', 'ali'],
  ['tunis', 'amel'],
  ['nobody', ''],
])('a search for %s finds %s', async (search, names) => {
  expect(await shop.find(`search=${encodeURIComponent(search)}`)).toEqual(names ? names.split(' ') : [])
})

test('a search finds orders by ref and by at least six characters of the id', async () => {
  const { id, ref } = amel
  for (const text of [ref, ref.toLowerCase(), ref.slice(2, 7), id, id.toUpperCase(), id.slice(-12), id.slice(15, 30)])
    expect(await shop.find(`search=${text}`), text).toEqual(['amel'])
  expect(await shop.find(`search=${randomUUID()}`)).toEqual([])
  expect(await shop.find('search=%20')).toEqual(['ali', 'amel', 'zoe'])
})

test('an update changes what a search finds', async () => {
  const { add, all, find } = await openShop()
  const { id } = await add('one', { customer_last_name: 'Trabelsi', customer_phone: '22 333 444' })
  await all.put(`/order/${id}`, { customer_last_name: 'Mejri', customer_phone: '55 666 777' })
  expect(await find('search=trabelsi')).toEqual([])
  expect(await find('search=22333444')).toEqual([])
  expect(await find('search=mejri')).toEqual(['one'])
  expect(await find('search=55666777')).toEqual(['one'])
})

test.each([
  ['status=shipped', 'status'],
  ['status=pending,shipped', 'status'],
  ['delivery_status=lost', 'delivery_status'],
  ['return_status=shipped,lost', 'return_status'],
  ['refund_status=none', 'refund_status'],
  ['exclude_status=lost', 'exclude_status'],
  ['exclude_delivery_status=none', 'exclude_delivery_status'],
  ['exclude_return_status=none', 'exclude_return_status'],
  ['exclude_refund_status=none', 'exclude_refund_status'],
  ['customer_id=5', 'customer_id'],
  ['product_id=5', 'product_id'],
  ['landing_page_id=5', 'landing_page_id'],
  ['is_cancelled=maybe', 'is_cancelled'],
  ['is_archived=2', 'is_archived'],
  ['from=yesterday', 'from'],
  ['to=2024-02-30', 'to'],
  ['from=0000-01-01', 'from'],
  ['to=9999-12-31T23:59:59-01:00', 'to'],
  ['updated_from=x', 'updated_from'],
  ['updated_to=x', 'updated_to'],
  ['order_by=name', 'order_by'],
  ['order_direction=up', 'order_direction'],
  ['page_size=201', 'page_size'],
  ['page=0', 'page'],
])('a list with %s is refused', async (query, field) => {
  expect(await shop.all.get(`/order?${query}`)).toBeRefused(422, field)
})

test.each([
  ['order_by=date', 'ali zoe amel'],
  ['', 'ali zoe amel'],
  ['order_by=date&order_direction=ASC', 'amel zoe ali'],
  ['order_by=total&order_direction=ASC', 'zoe amel ali'],
  ['order_by=quantity', 'ali amel zoe'],
  ['order_by=status&order_direction=ASC', 'ali zoe amel'],
])('a list sorted by %s reads %s', async (query, names) => {
  const { orders } = (await shop.all.get(`/order?${query}`)).body.data
  expect(orders.map((order: { discount_code: string }) => order.discount_code)).toEqual(names.split(' '))
})

test('search results are sorted by date over pages, also after a date changes', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const add = async (name: string, created_at?: string) =>
    (await caller.post('/order', { customer_first_name: name, customer_last_name: 'Lister', created_at })).body.data
      .order
  // Older than the existing orders; two have the same timestamp.
  const old = await add('old', '2020-01-01')
  for (const [name, at] of [
    ['new', undefined],
    ['older', '2019-01-01'],
    ['twin', '2020-06-01'],
    ['other', '2020-06-01'],
  ] as const)
    await add(name, at)
  const page = async (query: string) => {
    const { orders, pagination } = (await caller.get(`/order?search=lister&page_size=2&${query}`)).body.data
    expect(pagination.total).toBe(5)
    return {
      names: orders.map((order: { customer_first_name: string }) => order.customer_first_name),
      next: pagination.next_cursor as string | null,
    }
  }
  const readAllPages = async (query: string) => {
    const numbered = (await Promise.all([1, 2, 3, 4].map((n) => page(`page=${n}&${query}`)))).flatMap(
      ({ names }) => names,
    )
    const followed = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { names, next } = await page(cursor ? `cursor=${cursor}&${query}` : query)
      followed.push(...names)
      cursor = next
    }
    expect(followed).toEqual(numbered)
    return numbered
  }
  const newestFirst = await readAllPages('')
  expect(newestFirst.filter((name) => name !== 'twin')).toEqual(['new', 'other', 'old', 'older'])
  expect(await readAllPages('order_direction=ASC')).toEqual(newestFirst.toReversed())

  await sql`update orders set created_at = '2018-01-01' where id = ${old.id}`.execute(api.db)
  expect((await readAllPages('')).slice(-2)).toEqual(['older', 'old'])
})

test('a name in the characters that encode digits is found, and matches no phone number', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const name = ['216', '162', '620'].map((digits) => String.fromCodePoint(0x4e00 + Number(digits))).join('')
  await caller.post('/order', { customer_last_name: name })
  await caller.post('/order', { customer_last_name: 'Phone', customer_phone: '+216 20 123 456' })
  const find = async (list: string, search: string) =>
    (await caller.get(`/${list}?search=${encodeURIComponent(search)}`)).body.data[`${list}s`].length
  expect(await find('order', '+216 20 123')).toBe(1)
  for (const search of [name, name.slice(0, 2)]) expect(await find('order', search), search).toBe(1)
  await caller.post('/customer', { name, email: 'name@example.com' })
  await caller.post('/customer', { name: 'Phone', email: 'phone@example.com', phone: '+216 20 123 456' })
  expect(await find('customer', name)).toBe(1)
})

test('a word in very many orders is counted and paged through, alone and with a filter', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const { body } = await caller.post('/order', { customer_first_name: 'Common' })
  const { id } = body.data.order
  await sql`
    with copies as (
      insert into orders (store_id, ref, status, currency, customer_first_name, customer_last_name, customer_email,
        customer_phone, customer_address, customer_city, total, is_archived)
      select store_id, 'copy' || n, status, currency, customer_first_name, customer_last_name, customer_email,
        customer_phone, customer_address, customer_city, n, n % 4 = 0
      from orders, generate_series(1, 20100) n where store_id = ${api.store.id} and id = ${id}
      returning store_id, id, created_at
    )
    insert into order_search (store_id, order_id, created_at, text)
    select c.store_id, c.id, c.created_at, s.text from copies c join order_search s on s.store_id = c.store_id and s.order_id = ${id}
  `.execute(api.db)
  const page = async (query: string) => (await caller.get(`/order?search=common&${query}`)).body.data
  const { orders, pagination } = await page('order_by=total&page_size=3')
  expect(pagination.total).toBe(20_101)
  expect(orders.map(({ ref }: { ref: string }) => ref)).toEqual(['copy20100', 'copy20099', 'copy20098'])
  expect((await page('is_archived=true')).pagination.total).toBe(5_025)
  expect((await page('page_size=100&page=202')).orders).toHaveLength(1)
})
