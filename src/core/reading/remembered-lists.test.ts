import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { send } from '../../../tests/resilience/foreign-id-sweep.ts'
import { createFullStore, writesFor } from '../../../tests/resilience/full-store.ts'
import { startTestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { countCompressions } from '../../../tests/support/count-compressions.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { type Line, startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { numberChanges } from '../../resources/events/feed.ts'
import { expiryOf, urlsKey } from '../../resources/files/file-urls.ts'

test('a store that nobody has read the feed of gets one, and many changes get their positions, when a reply is asked for again', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const statements = () => statementsOf(() => all.get('/category'))
  const untilRemembered = () => eventually(async () => expect(await statements()).toHaveLength(1))
  await all.get('/category')
  await untilRemembered()
  await sql`insert into category (store_id, name, name_key)
    select ${api.store.id}, n, n from (select gen_random_uuid()::text as n from generate_series(1, 300)) c`.execute(
    api.db,
  )
  expect((await all.get('/category')).body.data.pagination.total).toBe(300)
  await untilRemembered()
  const left = await sql`select from change where store_id = ${api.store.id}`.execute(api.db)
  expect(left.rows).toHaveLength(0)
})

test('URLs of files are part of what a caller sees, with the time at which they expire', () => {
  const urls = { base: '', key: Buffer.alloc(32), seconds: 3600, sign: () => '', showsSold: true }
  expect(urlsKey(urls)).toContain(String(expiryOf(3600)))
  expect(urlsKey({ ...urls, showsSold: false })).not.toBe(urlsKey(urls))
})

test('an unchanged reply takes one statement, and callers who may see more do not share it', async () => {
  const api = await startTestApi()
  await numberChanges(api.db, api.store.id)
  await addProduct(api, { title: 'Mug', price: 5, quantity: 1 })
  const [all, some] = [await api.as(), await api.as('product:view')]
  const readWith = async (caller: Caller) => {
    const reply = await caller.get('/product')
    expect(reply.status).toBe(200)
    return reply
  }
  for (const caller of [all, some]) for (let n = 0; n < 3; n++) await readWith(caller)
  const statements = await statementsOf(() => readWith(all))
  expect(statements).toHaveLength(1)
  expect(statements[0]).toContain('from change')
})

test('a remembered list is compressed once, and again after a change', async () => {
  const { api, sell } = await startShopWithOrders()
  await numberChanges(api.db, api.store.id)
  for (let n = 0; n < 3; n++) await sell()
  // Of each request, one is the caller's, to read the reply.
  const all = (await api.as()).with({ 'accept-encoding': 'gzip' })
  const compressions = () => countCompressions(() => all.get('/order'))
  expect([await compressions(), await compressions(), await compressions(), await compressions()]).toEqual([2, 2, 1, 1])
  await sell()
  expect((await all.get('/order')).body.data.orders).toHaveLength(4)
  expect(await compressions()).toBe(1)
})

test('after every write, remembered lists show what lists that were never asked for show', async () => {
  const store = await createFullStore(() => startTestApi({ WEBHOOKS: 'off' }))
  const readList = async (path: string, size: number) => {
    const { status, body } = await store.all.get(`${path}?page_size=${size}`)
    expect(status, path).toBe(200)
    const { pagination, ...rows } = body.data
    return { ...rows, total: pagination.total }
  }
  // Resources of nearly every other kind are shown within these.
  const lists = ['/customer', '/landing-page', '/order']
  // A bulk job changes something while the lists are compared.
  const writes = writesFor(store).filter(({ route }) => route !== 'POST /bulk')
  for (const [n, sample] of writes.entries()) {
    await numberChanges(store.api.db, store.api.store.id)
    for (const path of lists) await readList(path, 200)
    await send(store, sample)
    for (const path of lists)
      expect(await readList(path, 200), `${path} after ${sample.route}`).toEqual(await readList(path, 199 - n))
  }
})

test('orders and their lists show each change at once, however often they were read before', async () => {
  const { api, all, sell, carrier } = await startShopWithOrders()
  const { id, parcel } = await sell()
  await numberChanges(api.db, api.store.id)
  const read = async () => {
    const [one, list] = [await all.get(`/order/${id}`), await all.get('/order')]
    expect(list.body.data.orders[0]).toEqual(one.body.data.order)
    return one.body.data.order
  }
  const readThrice = async () => {
    const [first, second, third] = [await read(), await read(), await read()]
    expect([second, third]).toEqual([first, first])
    return third
  }
  const stockOf = async () => {
    const { variants }: { variants: (Line & { variant: { quantity: number } })[] } = await readThrice()
    return variants.find(({ title }) => title === 'Mug')?.variant.quantity
  }
  expect(await stockOf()).toBe(98)
  await sell()
  await sql`delete from orders where store_id = ${api.store.id} and id <> ${id}`.execute(api.db)
  expect(await stockOf()).toBe(96)
  expect(
    (await all.put(`/order/delivery/${parcel}`, { shipping_carrier: carrier.id, tracking_number: '7' })).status,
  ).toBe(200)
  const [delivery] = (await readThrice()).deliveries
  expect(JSON.stringify(delivery)).toContain('n=7&lang=fr')
  await sql`update shipping_carrier set name = 'Swiftest' where id = ${carrier.id}`.execute(api.db)
  expect(JSON.stringify(await readThrice())).toContain('Swiftest')
})
