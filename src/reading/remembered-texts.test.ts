import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { type Line, startShopWithOrders } from '../../tests/support/shop-with-orders.ts'
import { expiryOf, urlsKey } from '../files/file-urls.ts'
import { sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { createReader } from './reader.ts'
import { createRememberedTexts } from './remembered-texts.ts'
import { rowKind } from './texts.ts'

/** A reader of categories that counts what it renders. */
const countingReader = (store: string, viewer = 'anybody', texts = createRememberedTexts()) => {
  const rendered: string[] = []
  const category = rowKind<string>({
    table: 'category',
    columns: sqlText`id, name`,
    texts: ({ id, name }: { id: string; name: string }, _store, viewer) => {
      rendered.push(name)
      return [[id, `${name} for ${viewer}`]]
    },
  })
  return { ...createReader({ category }, store as StoreId, viewer, { texts, viewer }), texts, rendered }
}

const addCategory = async ({ db, store }: Awaited<ReturnType<typeof startTestApi>>, name: string) => {
  const key = name.toLowerCase()
  const { rows } = await sql<{ id: string }>`insert into category (store_id, name, name_key)
    values (${store.id}, ${name}, ${key}) returning id`.execute(db)
  return rows[0]?.id as string
}

test('texts are rendered again only if the database returns something else', async () => {
  const api = await startTestApi()
  const id = await addCategory(api, 'Mugs')
  const { one, rendered } = countingReader(api.store.id)
  const readThrice = async () => [
    await one(api.db, 'category', id),
    await one(api.db, 'category', id),
    await one(api.db, 'category', id),
  ]
  expect(await readThrice()).toEqual(Array(3).fill('Mugs for anybody'))
  expect(rendered).toEqual(['Mugs', 'Mugs'])
  await sql`update category set name = 'Cups' where id = ${id}`.execute(api.db)
  expect(await readThrice()).toEqual(Array(3).fill('Cups for anybody'))
  expect(rendered).toEqual(['Mugs', 'Mugs', 'Cups'])
  await sql`delete from category where id = ${id}`.execute(api.db)
  expect(await readThrice()).toEqual([undefined, undefined, undefined])
})

test('callers who see different things do not share texts, nor do stores', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const id = await addCategory(api, 'Mugs')
  const texts = createRememberedTexts()
  const [one, two] = [countingReader(api.store.id, 'one', texts), countingReader(api.store.id, 'two', texts)]
  const foreign = countingReader(other.store.id, 'one', texts)
  for (let n = 0; n < 3; n++) {
    expect(await one.many(api.db, 'category', [id])).toEqual(['Mugs for one'])
    expect(await two.many(api.db, 'category', [id])).toEqual(['Mugs for two'])
    expect(await foreign.many(api.db, 'category', [id])).toEqual([])
  }
})

test('URLs of files are part of what a caller sees, with the time at which they expire', () => {
  const urls = { base: '', key: Buffer.alloc(32), seconds: 3600, sign: () => '', showsSold: true }
  expect(urlsKey(urls)).toContain(String(expiryOf(3600)))
  expect(urlsKey({ ...urls, showsSold: false })).not.toBe(urlsKey(urls))
})

test('only what was read twice is kept, the least recently used goes first, and one large text is not kept at all', () => {
  const texts = createRememberedTexts(1_000)
  const reading = (length: number) => ({ loads: [], texts: ['x'.repeat(length)] })
  texts.set('once', reading(100))
  expect(texts.get('once')).toBeUndefined()
  for (const key of ['a', 'b', 'c']) for (let n = 0; n < 2; n++) texts.set(key, reading(300))
  expect(texts.get('a')).toEqual(reading(300))
  for (let n = 0; n < 2; n++) texts.set('d', reading(300))
  expect(['a', 'b', 'c', 'd'].map((key) => texts.get(key) !== undefined)).toEqual([true, false, true, true])
  expect(texts.size()).toBeLessThanOrEqual(1_000)
  const large = createRememberedTexts()
  for (let n = 0; n < 3; n++) large.set('large', reading(300_000))
  expect(large.get('large')).toBeUndefined()
  expect(large.size()).toBeLessThan(10)
})

test('orders and their lists show each change at once, however often they were read before', async () => {
  const { api, all, sell, carrier } = await startShopWithOrders()
  const { id, parcel } = await sell()
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
