import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller, Reply } from '../../../tests/support/caller.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import type { AppRecord } from '../../core/http/access.ts'
import { type Tx, transact } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { NewRefund, NewReturn } from './fulfilment-schema.ts'
import { refundOrder } from './refund-order.ts'
import { returnOrder } from './return-order.ts'
import { splitDelivery } from './split-delivery.ts'

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

const statuses = (replies: Reply[]) => {
  const counted: Record<number, number> = {}
  for (const { status } of replies) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

test('two hundred orders at once for the last ten units sell exactly ten', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { quantity: 10 })
  const replies = await Promise.all(
    times(200, (index) => {
      const variants = [{ variant_id: mug.variant, quantity: 1 }]
      const input = { customer_email: `${index % 20}@example.com`, status: 'paid', variants }
      return all.post('/order', input)
    }),
  )
  expect(statuses(replies)).toEqual({ 201: 10, 422: 190 })
  for (const reply of replies.filter(({ status }) => status === 422))
    expect(reply).toBeRefused(422, 'variants.0.quantity')
  expect(await stockOf(api, mug.variant)).toBe(0)
  expect((await all.get('/order?page_size=1')).body.data.pagination.total).toBe(10)
  await expectTotalsToMatch(api)
})

test('orders for the same products in opposite order do not deadlock', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const goods = await Promise.all(times(4, () => addProduct(api, { quantity: 1000 })))
  const lines = goods.map(({ variant }) => ({ variant_id: variant, quantity: 1 }))
  const replies = await Promise.all(
    times(60, (index) => {
      const variants = index % 2 ? lines : lines.toReversed()
      const input = { customer_email: `${index % 2}@example.com`, status: 'paid', variants }
      return all.post('/order', input)
    }),
  )
  expect(statuses(replies)).toEqual({ 201: 60 })
  for (const { variant } of goods) expect(await stockOf(api, variant)).toBe(940)
  await expectTotalsToMatch(api)
})

test('an order sent repeatedly with one Idempotency-Key is one order', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { quantity: 10 })
  const key = { 'idempotency-key': randomUUID() }
  const input = { customer_email: 'a@example.com', variants: [{ variant_id: mug.variant, quantity: 2 }] }
  const replies = await Promise.all(times(20, () => all.post('/order', input, key)))
  const answered = replies.filter(({ status }) => status === 201)
  expect(answered.length).toBeGreaterThan(0)
  for (const reply of replies) expect([201, 409]).toContain(reply.status)
  expect(new Set(answered.map(({ text }) => text)).size).toBe(1)
  expect((await all.post('/order', input, key)).text).toBe(answered[0]?.text)
  expect(await stockOf(api, mug.variant)).toBe(8)
  expect((await all.get('/order')).body.data.pagination.total).toBe(1)
  expect((await all.get('/customer')).body.data.customers).toMatchObject([{ order_count: 1 }])
})

test('a new customer who orders many times at once is one customer', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const replies = await Promise.all(
    times(40, (index) => {
      const input = { customer_email: 'a@example.com', status: 'paid', fee: index / 8 }
      return all.post('/order', input)
    }),
  )
  expect(statuses(replies)).toEqual({ 201: 40 })
  const { customers } = (await all.get('/customer')).body.data
  expect(customers).toMatchObject([{ order_count: 40, amount_spent: 97.5 }])
  await expectTotalsToMatch(api)
})

test('the totals of 101 orders with the maximum total add up', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const order = { status: 'paid', customer_email: 'rich@shop.example', fee: 99_999_999_999 }
  const replies = await Promise.all(times(101, () => all.post('/order', order)))
  expect(statuses(replies)).toEqual({ 201: 101 })
  const { customers } = (await all.get('/customer?search=rich@shop.example')).body.data
  expect(customers).toMatchObject([{ order_count: 101, amount_spent: 10_099_999_999_899 }])
  await expectTotalsToMatch(api)
})

test('an order concurrently cancelled and reactivated ends with matching stock', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api, { quantity: 10 })
  const { order } = (
    await all.post('/order', {
      status: 'paid',
      customer_email: 'a@b.cd',
      variants: [{ variant_id: mug.variant, quantity: 3 }],
    })
  ).body.data
  const replies = await Promise.all(
    times(40, (index) => all.put(`/order/${order.id}`, { is_cancelled: index % 2 === 0 })),
  )
  expect(statuses(replies)).toEqual({ 200: 40 })
  const { is_cancelled, history } = (await all.get(`/order/${order.id}`)).body.data.order
  expect(await stockOf(api, mug.variant)).toBe(is_cancelled ? 10 : 7)
  const flips = history.filter(({ subject }: { subject: string }) => subject === 'is_cancelled')
  expect(flips.length % 2 === 1).toBe(is_cancelled)
  await expectTotalsToMatch(api)
})

test('orders of one store wait for each other only if they share a customer or product', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const [mug, cap] = [await addProduct(api, { quantity: 5 }), await addProduct(api, { quantity: 5 })]
  const order = (name: string, variant: string) =>
    all.post('/order', {
      customer_email: `${name}@example.com`,
      customer_first_name: name,
      variants: [{ variant_id: variant, quantity: 1 }],
    })
  expect((await order('held', mug.variant)).status).toBe(201)
  expect((await order('free', cap.variant)).status).toBe(201)
  const holder = await api.db.startTransaction().execute()
  await sql`select from customer where store_id = ${api.store.id} and name = 'held' for update`.execute(holder)
  await sql`select from variant where store_id = ${api.store.id} and id = ${mug.variant} for update`.execute(holder)
  const waiting = order('held', mug.variant)
  expect((await order('free', cap.variant)).status).toBe(201)
  expect((await order('new', cap.variant)).status).toBe(201)
  expect(await Promise.race([waiting, 'still waiting'])).toBe('still waiting')
  await holder.commit().execute()
  expect((await waiting).status).toBe(201)
  expect(await stockOf(api, mug.variant)).toBe(3)
  await expectTotalsToMatch(api)
})

/** Customers' totals equal a recount, order totals add up, and stock plus taken units equals the initial stock. */
const expectTotalsToMatch = async ({ db, store }: TestApi) => {
  const { rows: customers } = await sql`
    select c.email, c.order_count, c.amount_spent, c.latest_order_id, x.* from customer c
    cross join lateral (
      select count(*)::int as orders,
        coalesce(sum(o.total) filter (where o.status = 'paid' and not o.is_cancelled), 0) as spent,
        (array_agg(o.id order by o.created_at desc, o.id desc))[1] as latest
      from orders o where o.store_id = c.store_id and o.customer_id = c.id
    ) x
    where c.store_id = ${store.id} and (c.order_count, c.amount_spent, c.latest_order_id)
      is distinct from (x.orders, x.spent, x.latest)`.execute(db)
  expect(customers).toEqual([])
  const { rows: orders } = await sql`
    select o.id, o.subtotal, o.tip, o.total, o.quantity, x.* from orders o
    cross join lateral (
      select coalesce(sum(l.price * l.quantity), 0) as subtotal, coalesce(sum(l.quantity), 0) as quantity
      from order_line l where l.store_id = o.store_id and l.order_id = o.id
    ) x
    where o.store_id = ${store.id} and (o.subtotal <> x.subtotal or o.quantity <> x.quantity or o.total <>
      greatest(0, x.subtotal + o.shipping_rate + o.fee - o.discount + case o.tip_type
        when 'percent' then round(x.subtotal * o.tip_value / 100, 3) when 'fixed' then o.tip_value else 0 end))`.execute(
    db,
  )
  expect(orders).toEqual([])
  const { rows: lines } = await sql`
    select l.id, l.stock_taken, l.restocked from orders o
    join (${STOCKED_LINES}) l on l.store_id = o.store_id and l.order_id = o.id
    where o.store_id = ${store.id} and case
      when not l.stock_tracked then l.stock_taken <> l.restocked
      when o.status <> 'abandoned' and not o.is_cancelled then l.stock_taken <> l.quantity
      else l.stock_taken not between l.restocked and greatest(l.restocked, l.returned) end`.execute(db)
  expect(lines).toEqual([])
}

const STOCKED_LINES = sql`
  select l.*, p.stock_tracked, r.* from order_line l
  join product p on p.store_id = l.store_id and p.id = l.product_id
  cross join lateral (
    select coalesce(sum(r.quantity), 0)::int as returned,
      coalesce(sum(r.quantity) filter (where r.restock), 0)::int as restocked
    from return_line r where r.store_id = l.store_id and r.order_line_id = l.id
  ) r`

const money = fc.integer({ min: 0, max: 500_000 }).map((thousandths) => thousandths / 1000)
const state = { status: fc.constantFrom('pending', 'paid', 'abandoned'), is_cancelled: fc.boolean() }
const email = fc.constantFrom('a@example.com', 'b@example.com', 'C@example.com', '')
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('place' as const),
      lines: fc.array(
        fc.record({ goods: fc.nat({ max: 3 }), quantity: fc.integer({ min: 1, max: 6 }), price: fc.option(money) }),
        { maxLength: 3 },
      ),
      input: fc.record(
        {
          ...state,
          customer_email: email,
          shipping_rate: money,
          fee: money,
          discount: money,
          tip_type: fc.constantFrom('percent', 'fixed'),
          tip_value: fc.integer({ min: 0, max: 100_000 }).map((thousandths) => thousandths / 1000),
          created_at: fc.constantFrom('2020-01-01', '2023-01-01'),
        },
        { requiredKeys: ['tip_type'] },
      ),
    }),
    fc.record({
      kind: fc.constant('change' as const),
      order: fc.nat({ max: 9 }),
      input: fc.record({ ...state, customer_email: email }, { requiredKeys: [] }),
    }),
    fc.record({
      kind: fc.constant('return' as const),
      order: fc.nat({ max: 9 }),
      line: fc.nat({ max: 2 }),
      restock: fc.boolean(),
    }),
  ),
  { minLength: 4, maxLength: 14 },
)

type Steps = typeof steps extends fc.Arbitrary<infer T> ? T : never

const START = 12

const runSteps = async (all: Caller, variants: string[], taken: Steps) => {
  const orders: string[] = []
  for (const step of taken) {
    if (step.kind === 'change') {
      const id = orders[step.order % orders.length]
      if (id) expect([200, 422]).toContain((await all.put(`/order/${id}`, step.input)).status)
      continue
    }
    if (step.kind === 'return') {
      const id = orders[step.order % orders.length]
      const { variants: lines } = id ? (await all.get(`/order/${id}`)).body.data.order : { variants: [] }
      const line = lines[step.line % lines.length]
      const returned = [{ order_variant_id: line?.id, quantity: 1, restock: step.restock }]
      if (line) expect([201, 422]).toContain((await all.post(`/order/${id}/return`, { variants: returned })).status)
      continue
    }
    const lines = step.lines.map(({ goods, quantity, price }) => ({
      variant_id: variants[goods],
      quantity,
      ...(price !== null && { price }),
    }))
    const reply = await all.post('/order', { ...step.input, variants: lines })
    expect([201, 422]).toContain(reply.status)
    if (reply.status === 201) orders.push(reply.body.data.order.id)
  }
}

test('any mix of orders, updates and returns keeps totals, customers and stock correct', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const api = await startTestApi()
      const all = await api.as()
      const kinds = [{}, {}, { allow_order_when_oos: true }, { stock_tracked: false }]
      const goods = await Promise.all(kinds.map((kind) => addProduct(api, { quantity: START, price: 3.333, ...kind })))
      const variants = goods.map(({ variant }) => variant)
      await runSteps(all, variants, taken)
      await expectTotalsToMatch(api)
      for (const [index, variant] of variants.entries()) {
        const { rows } = await sql<{ taken: number }>`select coalesce(sum(stock_taken - restocked), 0)::int as taken
          from (${STOCKED_LINES}) l where store_id = ${api.store.id} and variant_id = ${variant}`.execute(api.db)
        const stock = await stockOf(api, variant)
        expect(stock).toBe(START - (rows[0]?.taken ?? 0))
        if (index !== 2) expect(stock).toBeGreaterThanOrEqual(0)
      }
    }),
    { numRuns: randomRuns(8) },
  )
})

test('paging through 2,000 orders while others are created skips none, and by cursor shows each exactly once', async () => {
  const api = await startTestApi()
  const all = await api.as()
  // Ten orders share each timestamp, so that pages end among equal sort values.
  await sql`insert into orders (store_id, ref, currency, created_at, total)
    select ${api.store.id}, 'OLD' || n, 'TND', timestamptz '2024-01-01' + n / 10 * interval '1 minute', n % 7
    from generate_series(1, 2000) n`.execute(api.db)
  const readPage = async (query: string): Promise<{ refs: string[]; next: string | null }> => {
    const { orders, pagination } = (await all.get(`/order?${query}`)).body.data
    return { refs: orders.map(({ ref }: { ref: string }) => ref), next: pagination.next_cursor }
  }
  for (const sort of ['order_by=date', 'order_by=total&order_direction=ASC']) {
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const reading = readPage(`page_size=200&${sort}${cursor && `&cursor=${cursor}`}`)
      await Promise.all([
        reading,
        all.post('/order', { fee: 3 }),
        all.post('/order', { created_at: '2024-01-01T02:00:00Z' }),
      ])
      const page = await reading
      seen.push(...page.refs)
      cursor = page.next
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.filter((ref) => ref.startsWith('OLD')).length).toBe(2000)
  }

  // With page numbers, a row inserted before the page shifts others: none is skipped, some are repeated.
  const byPage = new Set<string>()
  for (let page = 1, last = 1; page <= last; page++) {
    const reading = all.get(`/order?page_size=200&order_by=date&page=${page}`)
    const [{ body }] = await Promise.all([reading, all.post('/order', { fee: 3 })])
    for (const { ref } of body.data.orders) byPage.add(ref)
    last = body.data.pagination.last_page
  }
  expect([...byPage].filter((ref) => ref.startsWith('OLD')).length).toBe(2000)
})

test('a delivery, a return and a refund that waited for others come after them', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const app = { id: null, name: 'Slow' } as unknown as AppRecord
  const store = api.store.id as StoreId
  const mug = await addProduct(api, { quantity: 10 })
  const input = { status: 'paid', variants: [{ variant_id: mug.variant, quantity: 5 }] }
  const { order } = (await all.post('/order', input)).body.data
  const variants = [{ order_variant_id: order.variants[0].id, quantity: 1 }]
  const refund = { amount: 1 }
  const parts: [
    part: string,
    shown: string,
    body: object,
    write: (tx: Tx) => Promise<{ part?: string | undefined }>,
  ][] = [
    ['delivery', 'deliveries', { variants }, (tx) => splitDelivery(tx, store, app, order.id, { variants })],
    ['return', 'returns', { variants }, (tx) => returnOrder(tx, store, app, order.id, { variants } as NewReturn)],
    ['refund', 'refunds', refund, (tx) => refundOrder(tx, store, app, order.id, refund as NewRefund)],
  ]
  const sequence: Record<string, (string | undefined)[]> = { deliveries: [order.deliveries[0].id] }
  for (const [part, shown, body, write] of parts)
    await transact(api.db, async (tx) => {
      // It has begun, and is late for the order.
      await sql`select 1`.execute(tx)
      await sleep(5)
      const first = (await all.post(`/order/${order.id}/${part}`, body)).body.data[part].id
      sequence[shown] = [...(sequence[shown] ?? []), first, (await write(tx)).part]
    })
  const shown = (await all.get(`/order/${order.id}`)).body.data.order
  for (const [part, ids] of Object.entries(sequence))
    expect(
      shown[part].map(({ id }: { id: string }) => id),
      part,
    ).toEqual(ids)
})
