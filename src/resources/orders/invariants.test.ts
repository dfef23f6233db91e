import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { expectOrderTextsToFitRows, expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'

type Action = [kind: string, which: number, units: number, flag: boolean]

const KINDS = ['order', 'order', 'status', 'cancel', 'deliver', 'split', 'return', 'refund', 'settle']
const STATUSES = ['pending', 'paid', 'abandoned']
const DELIVERY_STATUSES = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']

const writes = fc.array(
  fc.tuple(fc.constantFrom(...KINDS), fc.nat(7), fc.integer({ min: 1, max: 4 }), fc.boolean()) as fc.Arbitrary<Action>,
  { minLength: 5, maxLength: 25 },
)

/** Performs one random action. It may be refused, but must not fail with a 5xx. */
const act = async (all: Caller, goods: { variant: string }[], orders: string[], [kind, which, units, flag]: Action) => {
  const pick = <T>(list: readonly T[]) => list[which % list.length] as T
  if (kind === 'order' || orders.length === 0) {
    const variants = goods
      .filter((_, n) => n !== which)
      .map(({ variant }) => ({ variant_id: variant, quantity: units }))
    const reply = await all.post('/order', {
      status: pick(STATUSES),
      customer_email: flag ? `shopper${which % 2}@example.com` : '',
      variants,
      discount: which,
      shipping_rate: 1.125,
    })
    if (reply.status === 201) orders.push(reply.body.data.order.id)
    return reply
  }
  const id = pick(orders)
  const order = (await all.get(`/order/${id}`)).body.data.order
  const lines = order.variants.map((line: { id: string }) => ({ order_variant_id: line.id, quantity: units }))
  const deliveries = [...order.deliveries, ...order.returns.map((back: { delivery: unknown }) => back.delivery)]
  switch (kind) {
    case 'status':
      return all.put(`/order/${id}`, { status: STATUSES[units % 3] })
    case 'cancel':
      return all.put(`/order/${id}`, { is_cancelled: flag })
    case 'deliver':
      return all.put(`/order/delivery/${pick(deliveries).id}`, { status: DELIVERY_STATUSES[units] })
    case 'split':
      return all.post(`/order/${id}/delivery`, { variants: [pick(lines)] })
    case 'return':
      return all.post(`/order/${id}/return`, { variants: [{ ...(pick(lines) as object), restock: flag }] })
    case 'refund':
      return all.post(`/order/${id}/refund`, flag ? { variants: [pick(lines)] } : { amount: units * 3.333 })
    default:
      return all.put(`/order/refund/${pick(order.refunds as { id: string }[])?.id ?? id}`, {
        status: flag ? 'refunded' : 'pending',
      })
  }
}

interface Broken {
  what: string
  id: string
}

/** One query that finds every violated invariant of a store. */
const findViolations = async ({ db, store }: TestApi) => {
  const { rows } = await sql<Broken>`
    select 'total' as what, o.id::text from orders o
      cross join lateral (select coalesce(sum(l.price * l.quantity), 0) as subtotal, coalesce(sum(l.quantity), 0) as units
        from order_line l where l.store_id = o.store_id and l.order_id = o.id) l
      where o.store_id = ${store.id} and (o.subtotal, o.quantity, o.total) is distinct from
        (l.subtotal, l.units::int, greatest(0, l.subtotal + o.shipping_rate + o.fee + o.tip - o.discount))
    union all
    select 'delivered', l.id::text from order_line l
      where l.store_id = ${store.id} and not l.is_digital and l.quantity <> (
        select coalesce(sum(h.quantity), 0) from delivery_line h join delivery d on d.store_id = h.store_id and d.id = h.delivery_id
        where h.store_id = l.store_id and h.order_line_id = l.id and not d.is_return)
    union all
    select 'empty delivery', d.id::text from delivery d
      where d.store_id = ${store.id} and not exists (select from delivery_line h
        where h.store_id = d.store_id and h.delivery_id = d.id)
    union all
    select 'returned', l.id::text from order_line l
      where l.store_id = ${store.id} and l.quantity < (select coalesce(sum(r.quantity), 0) from return_line r
        where r.store_id = l.store_id and r.order_line_id = l.id)
    union all
    select 'refunded units', l.id::text from order_line l
      where l.store_id = ${store.id} and l.quantity < (select coalesce(sum(r.quantity), 0) from refund_line r
        where r.store_id = l.store_id and r.order_line_id = l.id)
    union all
    select 'refunded', o.id::text from orders o
      where o.store_id = ${store.id} and o.total < (select coalesce(sum(r.amount), 0) from refund r
        where r.store_id = o.store_id and r.order_id = o.id)
    union all
    select 'stock', v.id::text from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
      where v.store_id = ${store.id} and v.quantity < 0 and not p.allow_order_when_oos
    union all
    select 'customer', c.id::text from customer c
      cross join lateral (select count(*)::int as orders,
          coalesce(sum(o.total) filter (where o.status = 'paid' and not o.is_cancelled), 0) as spent
        from orders o where o.store_id = c.store_id and o.customer_id = c.id) o
      where c.store_id = ${store.id} and (c.order_count, c.amount_spent) is distinct from (o.orders, o.spent)
    union all
    select 'latest order', c.id::text from customer c
      where c.store_id = ${store.id} and c.latest_order_id is distinct from (select o.id from orders o
        where o.store_id = c.store_id and o.customer_id = c.id order by o.created_at desc, o.id desc limit 1)
    union all
    select 'statuses', o.id::text from orders o
      where o.store_id = ${store.id} and (o.delivery_statuses, o.return_statuses, o.refund_statuses) is distinct from (
        array(select distinct d.status from delivery d where d.store_id = o.store_id and d.order_id = o.id
          and not d.is_return order by 1),
        array(select distinct d.status from delivery d where d.store_id = o.store_id and d.order_id = o.id
          and d.is_return order by 1),
        array(select distinct r.status from refund r where r.store_id = o.store_id and r.order_id = o.id order by 1))`.execute(
    db,
  )
  return rows
}

// biome-ignore lint/suspicious/noExplicitAny: the replies of the API; their shape is checked by the caller.
type OrderJson = any

const total = (lines: readonly { quantity: number }[]) => lines.reduce((sum, { quantity }) => sum + quantity, 0)

const unitsOf = (order: OrderJson, line: string) => {
  const ofLine = ({ order_variant_id }: { order_variant_id: string }) => order_variant_id === line
  const sent = order.deliveries.filter(({ status }: { status: string }) => ['shipped', 'delivered'].includes(status))
  const back = order.returns.flatMap((entry: OrderJson) => entry.return_variants).filter(ofLine)
  return {
    sent: total(
      sent.flatMap((delivery: OrderJson) => delivery.order_variants).filter(({ id }: OrderJson) => id === line),
    ),
    returned: total(back),
    restocked: total(back.filter(({ restock }: { restock: boolean }) => restock)),
  }
}

/**
 * Computes from API replies alone how many units the lines take from stock: ordered minus restocked units, and for a
 * cancelled order shipped minus restocked units.
 */
const startLedger = (all: Caller) => {
  const seen = new Map<string, { counts: boolean; out: Map<string, number>; restocked: Map<string, number> }>()
  return {
    note: async (id: string) => {
      const { order } = (await all.get(`/order/${id}`)).body.data
      const counts = order.status !== 'abandoned' && !order.is_cancelled
      const before = seen.get(id)
      const out = new Map<string, number>()
      const restockedUnits = new Map<string, number>()
      for (const line of order.variants) {
        const { sent, returned, restocked } = unitsOf(order, line.id)
        const had = before?.out.get(line.id) ?? 0
        const gone = Math.max(sent, returned) - restocked
        const now = restocked - (before?.restocked.get(line.id) ?? 0)
        if (counts) out.set(line.id, line.quantity - restocked)
        else if (before?.counts) out.set(line.id, Math.min(had, gone))
        else out.set(line.id, had - Math.min(now, Math.max(0, had - gone)))
        restockedUnits.set(line.id, restocked)
      }
      seen.set(id, { counts, out, restocked: restockedUnits })
    },
    out: (id: string, line: string) => seen.get(id)?.out.get(line) ?? 0,
  }
}

/** Units of each variant that the orders take from stock when all of them are active. */
const orderedOf = async ({ db, store }: TestApi, variant: string) => {
  const { rows } = await sql<{ units: number }>`
    select coalesce(sum(l.quantity - coalesce((select sum(r.quantity) from return_line r
      where r.store_id = l.store_id and r.order_line_id = l.id and r.restock), 0)), 0)::int as units
    from order_line l where l.store_id = ${store.id} and l.variant_id = ${variant}`.execute(db)
  return rows[0]?.units ?? 0
}

const EXTRA_UNITS = 10_000

/** After all orders are reactivated, stock is reduced by exactly the ordered minus the restocked units. */
const expectAllReactivated = async (api: TestApi, all: Caller, goods: { variant: string; quantity: number }[]) => {
  await api.db
    .updateTable('variant')
    .set({ quantity: sql`quantity + ${EXTRA_UNITS}` })
    .where('store_id', '=', api.store.id)
    .execute()
  const { rows } = await sql<{ id: string }>`select id from orders where store_id = ${api.store.id}`.execute(api.db)
  for (const { id } of rows)
    expect((await all.put(`/order/${id}`, { status: 'paid', is_cancelled: false })).status).toBe(200)
  for (const { variant, quantity } of goods)
    expect(await stockOf(api, variant)).toBe(quantity + EXTRA_UNITS - (await orderedOf(api, variant)))
}

const startShopWithStock = async () => {
  const api = await startTestApi()
  const goods = [
    await addProduct(api, { title: 'Mug', price: 12.345, quantity: 12 }),
    await addProduct(api, { title: 'Hat', price: 30, quantity: 3, allow_order_when_oos: true }),
    await addProduct(api, { title: 'Free', price: 0, quantity: 9, stock_tracked: false }),
  ]
  const counted = [
    { variant: goods[0]?.variant as string, quantity: 12 },
    { variant: goods[1]?.variant as string, quantity: 3 },
  ]
  return { api, all: await api.as(), goods, counted }
}

test('after any sequence of orders, deliveries, returns and refunds the invariants hold', async () => {
  await fc.assert(
    fc.asyncProperty(writes, async (done) => {
      const { api, all, goods, counted } = await startShopWithStock()
      const orders: string[] = []
      for (const write of done) {
        const reply = await act(all, goods, orders, write)
        expect([200, 201, 404, 422], `${write}: ${reply.text}`).toContain(reply.status)
        await expectOrderTextsToFitRows(api.db, api.store.id)
      }
      expect(await findViolations(api)).toEqual([])
      await expectTextsToFitRows(api.db)
      await expectAllReactivated(api, all, counted)
      expect(await stockOf(api, goods[2]?.variant as string)).toBe(9 + EXTRA_UNITS)
    }),
    { numRuns: randomRuns(5) },
  )
})

test('the invariants also hold under concurrency', async () => {
  const { api, all, goods, counted } = await startShopWithStock()
  const orders: string[] = []
  for (let n = 0; n < 4; n++) await act(all, goods, orders, ['order', 4 + n, 1, true])
  const mix = fc.sample(writes, { numRuns: 6, seed: 7 }).flat()
  const kinds = new Set(KINDS)
  const done = new Set<string>()
  // Which of them are refused depends on who is first: one may be refused every time.
  for (let from = 0; from < mix.length || (done.size < kinds.size && from < 5 * mix.length); from += 12) {
    const some = Array.from({ length: 12 }, (_, n) => mix[(from + n) % mix.length] as (typeof mix)[number])
    const replies = await Promise.all(some.map((write) => act(all, goods, orders, write)))
    for (const [n, reply] of replies.entries()) {
      expect([200, 201, 404, 422], reply.text).toContain(reply.status)
      if (reply.status < 400) done.add(some[n]?.[0] as string)
    }
  }
  expect([...done].sort()).toEqual([...kinds].sort())
  expect(await findViolations(api)).toEqual([])
  await expectOrderTextsToFitRows(api.db, api.store.id)
  await expectAllReactivated(api, all, counted)
})

const CHANGES = [
  'cancel',
  'reactivate',
  'abandon',
  'restock',
  'return without restocking',
  'ship',
  'split',
  'refund',
  'other order',
] as const
type Change = readonly [kind: (typeof CHANGES)[number], line: number]
const changes = fc.array(fc.tuple(fc.constantFrom(...CHANGES), fc.nat(2)), { minLength: 4, maxLength: 14 })

const ORDERED = 3

/** An order of the whole stock of two variants and some units of a third, untracked one. */
const startOrder = async (api: TestApi) => {
  const all = await api.as()
  const goods = await Promise.all([
    addProduct(api, { quantity: ORDERED }),
    addProduct(api, { quantity: ORDERED, is_digital: true }),
    addProduct(api, { quantity: ORDERED, stock_tracked: false }),
  ])
  const variants = goods.map(({ variant }) => ({ variant_id: variant, quantity: ORDERED }))
  const { order } = (await all.post('/order', { status: 'paid', variants })).body.data
  const lines: string[] = order.variants.map(({ id }: { id: string }) => id)
  return { all, goods, id: order.id as string, lines, otherOrders: [] as string[] }
}

const change = async (
  { all, goods, id, lines, otherOrders }: Awaited<ReturnType<typeof startOrder>>,
  [kind, n]: Change,
) => {
  const unit = { order_variant_id: lines[n], quantity: 1 }
  switch (kind) {
    case 'cancel':
      return all.put(`/order/${id}`, { is_cancelled: true })
    case 'reactivate':
      return all.put(`/order/${id}`, { is_cancelled: false, status: 'paid' })
    case 'abandon':
      return all.put(`/order/${id}`, { status: 'abandoned' })
    case 'restock':
      return all.post(`/order/${id}/return`, { variants: [{ ...unit, restock: true }] })
    case 'return without restocking':
      return all.post(`/order/${id}/return`, { variants: [unit] })
    case 'split':
      return all.post(`/order/${id}/delivery`, { variants: [unit] })
    case 'refund':
      return all.post(`/order/${id}/refund`, { variants: [unit] })
    case 'ship': {
      const { deliveries } = (await all.get(`/order/${id}`)).body.data.order
      const status = n === 2 ? 'unfulfilled' : 'shipped'
      return all.put(`/order/delivery/${deliveries.at(-1).id}`, { status })
    }
    case 'other order': {
      const reply = await all.post('/order', { variants: [{ variant_id: goods[n]?.variant, quantity: 1 }] })
      if (reply.status === 201) otherOrders.push(reply.body.data.order.id)
      return reply
    }
  }
}

test('an order takes exactly its own units from stock after any sequence of returns, cancellations, splits, shipments and refunds', async () => {
  const api = await startTestApi()
  await fc.assert(
    fc.asyncProperty(changes, async (done) => {
      const shop = await startOrder(api)
      const { all, goods, id, lines, otherOrders } = shop
      const ledger = startLedger(all)
      await ledger.note(id)
      const otherUnits = [0, 0, 0]
      for (const step of done) {
        const stock = await Promise.all(goods.map(({ variant }) => stockOf(api, variant)))
        const had = lines.map((line) => ledger.out(id, line))
        const sold = otherOrders.length
        const reply = await change(shop, step)
        expect([200, 201, 422], `${step}: ${reply.text}`).toContain(reply.status)
        await ledger.note(id)
        if (otherOrders.length > sold) otherUnits[step[1]] = (otherUnits[step[1]] as number) + 1
        const kept = lines.map((line) => ledger.out(id, line))
        for (const n of [0, 1])
          expect(await stockOf(api, goods[n]?.variant as string), `${step}`).toBe(
            ORDERED - (kept[n] as number) - (otherUnits[n] as number),
          )
        expect(await stockOf(api, goods[2]?.variant as string)).toBe(ORDERED)
        if (step[0] !== 'reactivate') continue
        const { order } = (await all.get(`/order/${id}`)).body.data
        const isShort = [0, 1].some((n) => {
          const wanted = ORDERED - unitsOf(order, lines[n] as string).restocked - (had[n] as number)
          return wanted > Math.max(0, stock[n] as number)
        })
        expect(reply.status, reply.text).toBe(isShort ? 422 : 200)
      }
    }),
    { numRuns: randomRuns(10) },
  )
})

test('an order takes exactly its own units from stock after the same changes made concurrently', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const [round, some] of fc.sample(changes, { numRuns: randomRuns(5), seed: 5 }).entries()) {
    const shop = await startOrder(api)
    const steps: Change[] = [...some, ['cancel', 0], ['restock', round % 3], ['reactivate', 0]]
    const replies = await Promise.all(steps.map((step) => change(shop, step)))
    for (const reply of replies) expect([200, 201, 422], reply.text).toContain(reply.status)
  }
  expect(await findViolations(api)).toEqual([])
  await expectOrderTextsToFitRows(api.db, api.store.id)
  const { rows } = await sql<{ variant: string }>`select v.id as variant from variant v
    join product p on p.store_id = v.store_id and p.id = v.product_id
    where v.store_id = ${api.store.id} and p.stock_tracked`.execute(api.db)
  await expectAllReactivated(
    api,
    all,
    rows.map(({ variant }) => ({ variant, quantity: ORDERED })),
  )
})
