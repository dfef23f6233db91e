import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import type { Caller } from '../testing/client.ts'
import { addGoods, stockOf } from '../testing/goods.ts'

type Deed = [kind: string, which: number, units: number, flag: boolean]

const KINDS = ['order', 'order', 'status', 'cancel', 'deliver', 'split', 'return', 'refund', 'settle']
const STATUSES = ['pending', 'paid', 'abandoned']
const PARCELS = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']

const deeds = fc.array(
  fc.tuple(fc.constantFrom(...KINDS), fc.nat(7), fc.integer({ min: 1, max: 4 }), fc.boolean()) as fc.Arbitrary<Deed>,
  { minLength: 5, maxLength: 25 },
)

/** Does one thing in the shop. Refusals are part of the mix; only a failure of the service is not. */
const act = async (all: Caller, goods: { variant: string }[], orders: string[], [kind, which, units, flag]: Deed) => {
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
  const parcels = [...order.deliveries, ...order.returns.map((back: { delivery: unknown }) => back.delivery)]
  switch (kind) {
    case 'status':
      return all.put(`/order/${id}`, { status: STATUSES[units % 3] })
    case 'cancel':
      return all.put(`/order/${id}`, { is_cancelled: flag })
    case 'deliver':
      return all.put(`/order/delivery/${pick(parcels).id}`, { status: PARCELS[units] })
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

/** Everything that must be true of a store at any time, as one query that finds what is not. */
const findBroken = async ({ db, store }: TestApi) => {
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

const startShop = async () => {
  const api = await startTestApi()
  const goods = [
    await addGoods(api, { title: 'Mug', price: 12.345, quantity: 12 }),
    await addGoods(api, { title: 'Hat', price: 30, quantity: 3, allow_order_when_oos: true }),
    await addGoods(api, { title: 'Free', price: 0, quantity: 9, stock_tracked: false }),
  ]
  return { api, all: await api.as(), goods }
}

test('whatever is ordered, sent, returned and refunded, the books of the shop are right', async () => {
  await fc.assert(
    fc.asyncProperty(deeds, async (done) => {
      const { api, all, goods } = await startShop()
      const orders: string[] = []
      for (const deed of done) {
        const reply = await act(all, goods, orders, deed)
        expect([200, 201, 404, 422], `${deed}: ${reply.text}`).toContain(reply.status)
      }
      expect(await findBroken(api)).toEqual([])
      expect(await stockOf(api, goods[2]?.variant as string)).toBe(9)
    }),
    { numRuns: 12 },
  )
})

test('the books are right as well when all of it happens at once', async () => {
  const { api, all, goods } = await startShop()
  const orders: string[] = []
  for (let n = 0; n < 4; n++) await act(all, goods, orders, ['order', 4 + n, 1, true])
  const mix = fc.sample(deeds, { numRuns: 6, seed: 7 }).flat()
  const done = new Set<string>()
  for (let from = 0; from < mix.length; from += 12) {
    const some = mix.slice(from, from + 12)
    const replies = await Promise.all(some.map((deed) => act(all, goods, orders, deed)))
    for (const [n, reply] of replies.entries()) {
      expect([200, 201, 404, 422], reply.text).toContain(reply.status)
      if (reply.status < 400) done.add(some[n]?.[0] as string)
    }
  }
  expect([...done].sort()).toEqual([...new Set(KINDS)].sort())
  expect(await findBroken(api)).toEqual([])
})
