import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { deleteOldEvents } from './feed.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})

// biome-ignore lint/suspicious/noExplicitAny: lines of every kind.
type Line = any

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** The copy of a store: resources by kind and id. */
type Copy = Map<string, unknown>
const put = (copy: Copy, lines: Line[]) => {
  for (const { type, data } of lines) if (data) copy.set(`${type} ${data.id}`, data)
}

const follow = async (copy: Copy, cursor: string): Promise<string> => {
  for (;;) {
    const reply = await api.as().get(`/event?cursor=${cursor}&page_size=200`)
    const { events, next_cursor, more } = reply.body.data
    for (const { resource, data } of events) {
      const key = `${resource.kind} ${resource.id}`
      if (Object.keys(data).length === 1) copy.delete(key)
      else copy.set(key, data)
    }
    cursor = next_cursor
    if (!more) return cursor
  }
}

test('a snapshot taken while the store is written to, and the feed from its end, are the store', async () => {
  const all = api.as()
  const customers: string[] = []
  const work = async (writer: number) => {
    for (let round = 0; round < 8; round++) {
      const { customer } = (await all.post('/customer', { email: `s${writer}-${round}@shop.example` })).body.data
      customers.push(customer.id)
      const { product } = (
        await all.post('/product', { title: `P ${writer} ${round}`, default: { price: 2, quantity: 50 } })
      ).body.data
      await all.post('/order', {
        customer_email: customer.email,
        status: 'paid',
        variants: [{ variant_id: product.default.id, quantity: 1 }],
      })
      await all.put(`/customer/${customers[0]}`, { name: `Name ${writer} ${round}` })
      const review = { product_id: product.id, rating: 3, content: 'Fine', reviewer_name: 'B' }
      const { review: made } = (await all.post('/review', review)).body.data
      if (round % 2) await all.delete(`/review/${made.id}`)
    }
  }
  await work(0)
  const writing = Promise.all([work(1), work(2), work(3)])
  const copy: Copy = new Map()
  const lines = linesOf((await all.get('/snapshot')).text)
  put(copy, lines)
  await writing
  await follow(copy, lines.at(-1).cursor)
  const after = linesOf((await all.get('/snapshot')).text)
  const store: Copy = new Map()
  put(store, after)
  const strip = (map: Copy) => JSON.parse(JSON.stringify(Object.fromEntries([...map].sort())))
  expect(strip(copy)).toEqual(strip(store))
  const { counts } = after.at(-1)
  expect(counts).toMatchObject({ customer: 32, order: 32, product: 32 })
  expect(Object.values(counts as Record<string, number>).reduce((sum, n) => sum + n, 0)).toBe(store.size)
})

test('a snapshot goes on behind a mark, and a foreign or changed mark is refused', async () => {
  const other = await startTestApi()
  await runSql(
    other.db,
    sqlText`insert into customer (store_id, email, email_key, search)
    select $1, 'm' || n, 'm' || n, '' from generate_series(1, 1200) n`,
    [other.store.id],
  )
  const whole = linesOf((await other.as().get('/snapshot?types=customer,category')).text)
  const marks = whole.flatMap(({ type, mark }) => (type === 'mark' ? [mark] : []))
  expect(marks.length).toBeGreaterThanOrEqual(2)
  const at = whole.findIndex(({ mark }) => mark === marks[0])
  const rest = linesOf((await other.as().get(`/snapshot?types=customer,category&after=${marks[0]}`)).text)
  expect(rest).toEqual(whole.slice(at + 1))
  expect(rest.at(-1).counts).toEqual({ category: 0, customer: 1200 })
  expect(await other.as().get(`/snapshot?types=customer&after=${marks[0]}`)).toBeRefused(422, 'after')
  expect(await other.as().get('/snapshot?after=nonsense')).toBeRefused(422, 'after')
})

test('a snapshot that breaks off has no end, and is completed from its last mark', async () => {
  const shop = await startTestApi({ LOG_LEVEL: 'fatal' })
  const total = 6_000
  // More than the buffers of the connection hold.
  await runSql(
    shop.db,
    sqlText`insert into customer (store_id, email, email_key, search, address)
    select $1, 'b' || n, 'b' || n, '', repeat('x', 2000) from generate_series(1, $2::int) n`,
    [shop.store.id, total],
  )
  const app = await shop.install(['customer:view'])
  const token = await shop.getToken(app, { install_id: app.install_id })
  const authorization = `Bearer ${token}`
  const broken = await fetch(`${shop.origin}/api/apps/v1/snapshot?types=customer`, { headers: { authorization } })
  let text = ''
  let isCut = false
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const bytes of broken.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(bytes, { stream: true })
      if (!isCut && text.includes('"mark"')) {
        isCut = true
        shop.app.server.closeAllConnections()
      }
    }
  }
  await expect(read()).rejects.toThrow()
  const complete = linesOf(text.slice(0, text.lastIndexOf('\n')))
  expect(complete.map(({ type }) => type)).not.toContain('end')
  const mark = complete.findLast(({ type }) => type === 'mark')?.mark
  const until = complete.findIndex((line) => line.mark === mark)
  const caller = shop.anonymous.with({ authorization })
  const rest = linesOf((await caller.get(`/snapshot?types=customer&after=${mark}`)).text)
  const ids = [...complete.slice(0, until), ...rest].flatMap(({ data }) => data?.id ?? [])
  expect(new Set(ids).size).toBe(total)
  expect(ids).toHaveLength(total)
  expect(rest.at(-1)).toMatchObject({ type: 'end', counts: { customer: total } })
})

test('a snapshot holds what the caller may read; orders need the export', async () => {
  const customersOnly = linesOf((await api.as('customer:view').get('/snapshot')).text)
  expect(Object.keys(customersOnly.at(-1).counts)).toEqual(['shipping_carrier', 'customer'])
  expect(await api.as('order:view').get('/snapshot?types=order')).toBeRefused(403)
  expect((await api.as('order:view', 'order:export').get('/snapshot?types=order')).status).toBe(200)
  expect(await api.as().get('/snapshot?types=webhook')).toBeRefused(422, 'types')
})

test('events that are too old are deleted, and a cursor before them is refused', async () => {
  const shop = await startTestApi()
  const start = (await shop.as().get('/event?cursor=now')).body.data.next_cursor
  for (const name of ['a', 'b', 'c']) await shop.as().post('/customer', { email: `${name}@old.example` })
  const { events } = (await shop.as().get(`/event?cursor=${start}`)).body.data
  await runSql(shop.db, sqlText`update event set at = $3 where store_id = $1 and position <= $2`, [
    shop.store.id,
    events[1].position,
    new Date(Date.now() - 40 * 86_400_000),
  ])
  await deleteOldEvents(shop.db, 30)
  const refused = await shop.as().get(`/event?cursor=${start}`)
  expect(refused).toMatchObject({ status: 410, body: { code: 'cursor_expired' } })
  const left = (await shop.as().get('/event')).body.data
  expect(left.events.map(({ position }: { position: number }) => position)).toEqual([events[2].position])
})
