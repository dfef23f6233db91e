import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'

interface Entry {
  id: string | null
  kind: string
  delta: number
  quantity: number
  reason: string | null
  order: { id: string; ref: string } | null
  app_name: string | null
  account_name: string | null
  created_at: string
}

const PERMISSIONS = [
  'product:view',
  'product:update',
  'order:create',
  'order:view',
  'order:update',
  'order:delete',
] as const

/** Every entry, over as many pages as it takes, and that they add up to the quantity. */
const historyOf = async (api: TestApi, variant: string, size = 200): Promise<Entry[]> => {
  const app = api.as('product:view', 'order:view')
  const entries: Entry[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const reply = await app.get(`/stock/${variant}/history?page_size=${size}${cursor && `&cursor=${cursor}`}`)
    expect(reply.status, reply.text).toBe(200)
    entries.push(...reply.body.data.history)
    cursor = reply.body.data.pagination.next_cursor
  }
  const quantity = await stockOf(api, variant)
  expect(entries.reduce((sum, { delta }) => sum + delta, 0)).toBe(quantity)
  expect(entries[0]?.quantity).toBe(quantity)
  for (const [n, entry] of entries.entries()) expect(entry.quantity - entry.delta).toBe(entries[n + 1]?.quantity ?? 0)
  return entries
}

const told = (entries: readonly Entry[]) => entries.map(({ kind, delta }) => [kind, delta])

test('the history of a variant tells what orders, returns, adjustments and edits did to its stock', async () => {
  const api = await startTestApi()
  const { id, variant } = await addProduct(api, { sku: 'MUG', quantity: 10 })
  const app = api.as(...PERMISSIONS)
  const place = async (quantity: number) =>
    (await app.post('/order', { variants: [{ variant_id: variant, quantity }] })).body.data.order
  const kept = await place(3)
  const line = kept.variants[0].id
  await app.post(`/order/${kept.id}/return`, { variants: [{ order_variant_id: line, quantity: 1, restock: true }] })
  const refused = await place(2)
  await app.put(`/order/${refused.id}`, { is_cancelled: true })
  await app.put(`/order/${refused.id}`, { is_cancelled: false })
  const edited = await place(1)
  const changed = await app.put(`/order/${edited.id}/variants`, {
    variants: [{ id: edited.variants[0].id, quantity: 2 }],
  })
  expect(changed.status, changed.text).toBe(200)
  const stock = [{ sku: 'MUG', delta: -1, reason: 'Broken in the storeroom' }]
  expect((await app.post('/stock', { stock })).body.data.stock[0].quantity).toBe(3)
  await app.post('/stock', { stock: [{ sku: 'MUG', quantity: 3, reason: 'Counted' }] })
  expect((await app.post(`/product/${id}/update`, { default: { quantity: 20 } })).status).toBe(200)
  await sql`update variant set quantity = quantity + 5 where store_id = ${api.store.id} and id = ${variant}`.execute(
    api.db,
  )

  const history = await historyOf(api, variant)
  expect(told(history)).toEqual([
    ['product_update', 5],
    ['product_update', 17],
    ['adjustment', -1],
    ['order_changed', -1],
    ['order_placed', -1],
    ['order_reactivated', -2],
    ['order_cancelled', 2],
    ['order_placed', -2],
    ['return', 1],
    ['order_placed', -3],
    ['opening', 10],
  ])
  const [byHand, edit, adjustment, lines] = history
  const app_name = history.at(-2)?.app_name
  expect(app_name).toEqual(expect.any(String))
  expect(byHand).toMatchObject({ app_name: null, order: null })
  expect(edit).toMatchObject({ app_name, reason: null, order: null })
  expect(adjustment).toMatchObject({ app_name, reason: 'Broken in the storeroom', order: null })
  expect(lines).toMatchObject({ app_name, order: { id: edited.id, ref: edited.ref } })
  expect(history.at(-2)).toMatchObject({ order: { id: kept.id, ref: kept.ref } })
  expect(history.at(-1)).toMatchObject({ id: null, app_name: null })
  expect(await historyOf(api, variant, 2)).toEqual(history)

  const second = await app.get(`/stock/${variant}/history?page=2&page_size=5`)
  expect(second.body.data.history).toEqual(history.slice(5, 10))
  expect(second.body.data.pagination).toMatchObject({ total: 11, last_page: 3, current_page: 2 })
  const beyond = await app.get(`/stock/${variant}/history?page=4&page_size=5&total=false`)
  expect(beyond.body.data).toMatchObject({ history: [], pagination: { total: null, next_cursor: null } })
  const unseen = (await api.as('product:view').get(`/stock/${variant}/history`)).body.data.history
  expect(told(unseen)).toEqual(told(history))
  expect(unseen.every(({ order }: Entry) => order === null)).toBe(true)
})

test('an order that is deleted leaves what it did in the history, and a merged one takes nothing twice', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { quantity: 10 })
  const app = api.as(...PERMISSIONS)
  const place = async (quantity: number) =>
    (await app.post('/order', { variants: [{ variant_id: variant, quantity }] })).body.data.order
  const gone = await place(4)
  expect((await app.delete(`/order/${gone.id}`)).status).toBeLessThan(300)
  expect(told(await historyOf(api, variant))).toEqual([
    ['order_cancelled', 4],
    ['order_placed', -4],
    ['opening', 10],
  ])
  const [first, second] = [await place(1), await place(2)]
  expect((await app.post(`/order/${first.id}/merge`, { order_id: second.id })).status).toBe(200)
  await app.put(`/order/${first.id}`, { is_cancelled: true })
  const merged = await historyOf(api, variant)
  expect(merged.map(({ delta }) => delta)).toEqual([3, -2, -1, 4, -4, 10])
  expect(await stockOf(api, variant)).toBe(10)
})

test('beside concurrent orders, adjustments and cancellations the history adds up to the quantity', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { quantity: 40 })
  const app = api.as(...PERMISSIONS)
  const act = async (n: number) => {
    if (n % 3 === 0) return app.post('/stock', { stock: [{ variant_id: variant, delta: n % 2 === 0 ? 2 : -1 }] })
    const order = await app.post('/order', { variants: [{ variant_id: variant, quantity: 1 }] })
    return n % 3 === 1 ? app.put(`/order/${order.body.data.order.id}`, { is_cancelled: true }) : order
  }
  const replies = await Promise.all(Array.from({ length: 18 }, (_, n) => act(n)))
  expect(replies.every(({ status }) => status < 300)).toBe(true)
  const history = await historyOf(api, variant, 7)
  // 12 orders, 6 of them cancelled, and 6 adjustments, 3 of each kind.
  expect(history).toHaveLength(12 + 6 + 6 + 1)
  expect(history.at(-1)).toMatchObject({ kind: 'opening', delta: 40 })
  expect(await stockOf(api, variant)).toBe(40 - 6 + 3)
})

test('a history needs a variant of the store, and a reason is a short text', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { sku: 'MUG', quantity: 1 })
  const other = await startTestApi()
  const app = api.as('product:view', 'product:update')
  expect(await other.as('product:view').get(`/stock/${variant}/history`)).toFailWith('not_found')
  expect(await app.get(`/stock/${randomUUID()}/history`)).toFailWith('not_found')
  expect(await app.get('/stock/mug/history')).toFailWith('not_found')
  expect(await app.get(`/stock/${variant}/history?cursor=newest`)).toBeRefused(422, 'cursor')
  expect(await api.as('order:view').get(`/stock/${variant}/history`)).toFailWith('forbidden')
  for (const reason of ['x'.repeat(256), 5, ['a']])
    expect(await app.post('/stock', { stock: [{ sku: 'MUG', delta: 1, reason }] })).toBeRefused(422, 'stock.0.reason')
  const dry = await app.post('/stock', { stock: [{ sku: 'MUG', delta: 1, reason: 'Perhaps' }] }, { prefer: 'dry-run' })
  expect(dry.body.data.stock[0].quantity).toBe(2)
  expect(told(await historyOf(api, variant))).toEqual([['opening', 1]])
})

test('the history is in the sequence in which things happened, although the clock of a node is ahead', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { sku: 'MUG', quantity: 10 })
  const app = api.as(...PERMISSIONS)
  const now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 60_000)
  const placed = await app.post('/order', { variants: [{ variant_id: variant, quantity: 4 }] })
  clock.mockRestore()
  expect(placed.status).toBe(201)
  expect((await app.post('/stock', { stock: [{ sku: 'MUG', quantity: 9 }] })).status).toBe(200)
  const history = await historyOf(api, variant)
  expect(told(history)).toEqual([
    ['adjustment', 3],
    ['order_placed', -4],
    ['opening', 10],
  ])
  expect(history.map(({ quantity }) => quantity)).toEqual([9, 6, 10])
})
