import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Caller } from '../../../tests/support/caller.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import { createCarrier } from '../carriers/create-carrier.ts'
import { mergeAnalyticChanges } from './merge-changes.ts'

// biome-ignore lint/suspicious/noExplicitAny: the replies of the API; the comparison checks their shape.
type Json = any

const ZONES = ['Europe/Paris', 'America/New_York', 'Asia/Kathmandu', 'Africa/Tunis']
const PERIODS = [
  'from=2026-03-27&to=2026-03-31&interval=day',
  'from=2026-03-28&to=2026-03-29&interval=hour',
  'from=2026-03-28T20:07:00Z&to=2026-03-29T05:52:00Z&interval=hour',
  'from=2026-01-15&to=2026-11-30&interval=week',
  'from=2025-12-31&to=2027-02-01&interval=month',
  'from=2026-02-10&to=2027-01-20&interval=month',
  'from=2026-03-01&to=2026-03-31&interval=day',
  'from=2026-10-01&to=2026-12-31&interval=week',
]

const setZone = (api: TestApi, zone: string) =>
  api.db.updateTable('store').set({ time_zone: zone }).where('id', '=', api.store.id).execute()

/** The hours around the changes of the clock in Paris and New York. */
const moments = fc.oneof(
  fc.date({ min: new Date('2026-03-28T18:00:00Z'), max: new Date('2026-03-29T08:00:00Z'), noInvalidDate: true }),
  fc.date({ min: new Date('2026-10-31T22:00:00Z'), max: new Date('2026-11-01T08:00:00Z'), noInvalidDate: true }),
  fc.date({ min: new Date('2025-10-01T00:00:00Z'), max: new Date('2027-03-31T23:59:59Z'), noInvalidDate: true }),
)

const KINDS = [
  ...['order', 'order', 'order', 'order', 'status', 'cancel', 'deliver', 'split', 'return', 'refund', 'settle'],
  ...['move', 'pay', 'email', 'city', 'erase', 'page', 'currency', 'forget', 'merge'],
]
interface Action {
  kind: string
  which: number
  units: number
  flag: boolean
  at: Date
}
const actions = fc.array(
  fc.record({
    kind: fc.constantFrom(...KINDS),
    which: fc.nat(9),
    units: fc.integer({ min: 1, max: 3 }),
    flag: fc.boolean(),
    at: moments,
  }),
  { minLength: 15, maxLength: 45 },
)

const STATUSES = ['paid', 'pending', 'abandoned', 'paid']
const CITIES = ['Tunis', ' tunis', 'TUNIS', 'Sfax', '']
const CURRENCIES = ['TND', 'TND', 'EUR']
const DELIVERED = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled', 'delivered']

interface Shop {
  api: TestApi
  all: Caller
  goods: { id: string; variant: string }[]
  pages: string[]
  carriers: string[]
  orders: string[]
}

const startShopWithCarriers = async (): Promise<Shop> => {
  const api = await startTestApi()
  const all = await api.as()
  const goods = [
    await addProduct(api, { price: 12.345, quantity: 1000 }),
    await addProduct(api, { price: 30, quantity: 1000 }),
  ]
  const page = async (n: number) =>
    (await all.post('/landing-page', { title: `Page ${n}`, product_id: goods[0]?.id })).body.data.landing_page.id
  const pages = [await page(1), await page(2)]
  const carriers = [
    (await createCarrier(api.db, api.store.id, { name: 'Aramex', code: 'aramex' })).id,
    (await createCarrier(api.db, api.store.id, { name: 'Rapid', code: 'rapid' })).id,
  ]
  return { api, all, goods, pages, carriers, orders: [] }
}

const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T

const placeOrder = async ({ all, goods, pages, orders }: Shop, { which, units, flag, at }: Action) => {
  const reply = await all.post('/order', {
    status: pick(STATUSES, which),
    currency: pick(CURRENCIES, which + units),
    customer_email: flag ? `shopper${which % 3}@example.com` : '',
    customer_city: pick(CITIES, which),
    created_at: at.toISOString(),
    landing_page_id: which % 2 ? pick(pages, units) : null,
    variants: goods.slice(which % 2).map(({ variant }) => ({ variant_id: variant, quantity: units })),
    shipping_rate: 1.125,
  })
  expect(reply.status, reply.text).toBe(201)
  orders.push(reply.body.data.order.id)
}

/** One random change, through the API or as an operator would make it with psql. */
const act = async (shop: Shop, action: Action): Promise<unknown> => {
  const { api, all, orders, carriers, pages, goods } = shop
  const { kind, which, units, flag, at } = action
  if (kind === 'merge') return mergeAnalyticChanges(api.db)
  if (kind === 'order' || orders.length === 0) return placeOrder(shop, action)
  const id = pick(orders, which)
  const { order } = (await all.get(`/order/${id}`)).body.data
  const line = { order_variant_id: pick(order.variants as { id: string }[], which).id, quantity: 1 }
  const delivery = pick(order.deliveries as { id: string }[], which)
  switch (kind) {
    case 'status':
      return all.put(`/order/${id}`, { status: pick(STATUSES, units) })
    case 'cancel':
      return all.put(`/order/${id}`, { is_cancelled: flag })
    case 'deliver': {
      const change = { status: pick(DELIVERED, which), ...(flag && { shipping_carrier: pick(carriers, units) }) }
      await all.put(`/order/delivery/${delivery.id}`, change)
      return sql`update delivery set created_at = ${at} where store_id = ${api.store.id} and id = ${delivery.id}`.execute(
        api.db,
      )
    }
    case 'split':
      return all.post(`/order/${id}/delivery`, { variants: [line] })
    case 'return':
      return all.post(`/order/${id}/return`, { variants: [line] })
    case 'refund':
      return all.post(`/order/${id}/refund`, { amount: units * 3.333, status: flag ? 'refunded' : 'pending' })
    case 'settle':
      return all.put(`/order/refund/${pick(order.refunds as { id: string }[], which)?.id ?? id}`, {
        status: flag ? 'refunded' : 'pending',
      })
    case 'move':
      await sql`update refund set refunded_at = ${at} where store_id = ${api.store.id} and order_id = ${id}`.execute(
        api.db,
      )
      return sql`update orders set created_at = ${at} where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
    case 'pay':
      return sql`update orders set status = 'paid', paid_at = ${at} where store_id = ${api.store.id} and id = ${id}`.execute(
        api.db,
      )
    case 'email':
      return all.put(`/order/${id}`, { customer_email: flag ? `shopper${units}@example.com` : '' })
    case 'city':
      return all.put(`/order/${id}`, { customer_city: pick(CITIES, which) })
    case 'currency':
      return sql`update orders set currency = 'EUR' where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
    case 'erase':
      orders.splice(orders.indexOf(id), 1)
      return sql`delete from orders where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
    case 'page':
      return sql`update orders set landing_page_id = ${flag ? pick(pages, units) : null}
        where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
    default:
      // Someone deletes a product, a carrier or a customer.
      if (units === 1)
        return sql`update order_line set product_id = null where store_id = ${api.store.id} and order_id = ${id}
          and product_id = ${pick(goods, which).id}`.execute(api.db)
      if (units === 2)
        return sql`update delivery set carrier_id = null where store_id = ${api.store.id}
          and carrier_id = ${carriers[0]}`.execute(api.db)
      return sql`update orders set customer_id = null where store_id = ${api.store.id}
        and customer_id = ${order.customer_id}`.execute(api.db)
  }
}

const rowsOf = async ({ db, store }: TestApi, table: string) =>
  (await sql<Json>`select * from ${sql.table(table)} where store_id = ${store.id}`.execute(db)).rows

const thousandths = (text: string) => Math.round(Number(text) * 1000)

/** The intervals of a reply, checked against the calendar of another implementation. */
const intervalsOf = (zone: string, interval: string, series: Json[], end: string) => {
  const local = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  const labelOf = (at: Date) => {
    const [day = '', time = ''] = local.format(at).split(' ')
    if (interval === 'hour') return `${day}T${time.slice(0, 2)}:00`
    return interval === 'month' ? day.slice(0, 7) : day
  }
  expect(series.at(-1).end).toBe(end)
  const places = new Map<number, number>()
  const find = (at: Date) => {
    const text = at.toISOString()
    const place = series.findIndex(({ start, end }) => start <= text && text < end)
    if (place >= 0 && interval !== 'week') expect(labelOf(at)).toBe(series[place].label)
    return place
  }
  return (at: Date) => {
    const place = places.get(at.getTime()) ?? find(at)
    places.set(at.getTime(), place)
    return place
  }
}

/** Counts the rows of a store from scratch. */
const recount = async (api: TestApi) => {
  const [orders, lines, refunds, deliveries] = await Promise.all(
    ['orders', 'order_line', 'refund', 'delivery'].map((table) => rowsOf(api, table)),
  )
  const byId = new Map<string, Json>((orders as Json[]).map((order) => [order.id, order]))
  const placed = (orders as Json[]).filter(({ status }) => status !== 'abandoned')
  const counts = ({ status, is_cancelled }: Json) => status === 'paid' && !is_cancelled
  const first = new Map<string, Json>()
  for (const order of placed.filter(({ customer_id }) => customer_id)) {
    const known = first.get(order.customer_id)
    if (!known || order.created_at < known.created_at) first.set(order.customer_id, order)
  }
  return { orders, lines, refunds, deliveries, byId, placed, counts, first: [...first.values()] } as Json
}

type Facts = Awaited<ReturnType<typeof recount>>

const rounded = (amount: number) => Math.round(amount) / 1000

const sales = ({ orders, refunds, byId, placed, counts }: Facts, currency: string, inside: (at: Date) => boolean) => {
  const own = (order: Json) => order.currency === currency
  const made = placed.filter((order: Json) => own(order) && inside(order.created_at))
  const paid = orders.filter((order: Json) => counts(order) && own(order) && inside(order.paid_at))
  const back = refunds.filter(
    (refund: Json) =>
      refund.status === 'refunded' &&
      counts(byId.get(refund.order_id)) &&
      own(byId.get(refund.order_id)) &&
      inside(refund.refunded_at),
  )
  const sum = (rows: Json[], field: string) => rows.reduce((total, row) => total + thousandths(row[field]), 0)
  const [gross, refunded] = [sum(paid, 'total'), sum(back, 'amount')]
  return {
    orders: made.length,
    abandoned: orders.filter((o: Json) => o.status === 'abandoned' && own(o) && inside(o.created_at)).length,
    cancelled: made.filter(({ is_cancelled }: Json) => is_cancelled).length,
    paid: paid.length,
    units: paid.reduce((total: number, { quantity }: Json) => total + quantity, 0),
    gross: rounded(gross),
    refunds: rounded(refunded),
    revenue: rounded(gross - refunded),
    average_order: paid.length === 0 ? null : rounded(Math.floor(gross / paid.length + 0.5)),
  }
}

const customers = ({ placed, first }: Facts, inside: (at: Date) => boolean) => {
  const made = placed.filter((order: Json) => inside(order.created_at))
  const fresh = first.filter((order: Json) => inside(order.created_at)).length
  const guests = made.filter(({ customer_id }: Json) => !customer_id).length
  return {
    orders: made.length,
    new_customers: fresh,
    returning_orders: made.length - fresh - guests,
    guest_orders: guests,
  }
}

const delivery = ({ deliveries, byId }: Facts, inside: (row: Json, order: Json) => boolean) => {
  const rows = deliveries.filter((row: Json) => {
    const order = byId.get(row.order_id)
    const open = order.status !== 'abandoned' && !order.is_cancelled
    return inside(row, order) && (open || ['shipped', 'delivered', 'cancelled'].includes(row.status))
  })
  const out = rows.filter(({ is_return }: Json) => !is_return)
  const of = (status: string) => out.filter((row: Json) => row.status === status).length
  const finished = of('delivered') + of('cancelled')
  return {
    deliveries: out.length,
    unfulfilled: of('unfulfilled'),
    fulfilled: of('fulfilled'),
    shipped: of('shipped'),
    delivered: of('delivered'),
    cancelled: of('cancelled'),
    returns: rows.length - out.length,
    success_rate: finished === 0 ? null : Math.round((of('delivered') / finished) * 10_000) / 10_000,
  }
}

const product = (
  { lines, byId, counts }: Facts,
  id: string | null,
  currency: string,
  inside: (at: Date) => boolean,
) => {
  const own = lines.filter((line: Json) => line.product_id === id && byId.get(line.order_id).currency === currency)
  const units = (some: Json[]) => some.reduce((total, { quantity }) => total + quantity, 0)
  const ordered = own.filter((line: Json) => {
    const order = byId.get(line.order_id)
    return order.status !== 'abandoned' && !order.is_cancelled && inside(order.created_at)
  })
  const paid = own.filter((line: Json) => counts(byId.get(line.order_id)) && inside(byId.get(line.order_id).paid_at))
  const gross = paid.reduce((total: number, { price, quantity }: Json) => total + thousandths(price) * quantity, 0)
  return { ordered_units: units(ordered), units: units(paid), gross: rounded(gross) }
}

const landingPage = (
  { placed, refunds, counts }: Facts,
  id: string,
  currency: string,
  inside: (at: Date) => boolean,
) => {
  const made = placed.filter(
    (order: Json) => order.landing_page_id === id && order.currency === currency && inside(order.created_at),
  )
  const sum = (rows: Json[], field: string) => rows.reduce((total, row) => total + thousandths(row[field]), 0)
  const paid = made.filter(counts)
  const back = refunds.filter(
    (refund: Json) => refund.status === 'refunded' && paid.some((order: Json) => order.id === refund.order_id),
  )
  const done = made.filter(
    ({ is_cancelled, delivery_statuses: statuses }: Json) =>
      !is_cancelled &&
      statuses.includes('delivered') &&
      statuses.every((s: string) => ['delivered', 'cancelled'].includes(s)),
  )
  const rate = (some: Json[]) => (made.length === 0 ? null : Math.round((some.length / made.length) * 10_000) / 10_000)
  return {
    orders: made.length,
    cancelled: made.filter(({ is_cancelled }: Json) => is_cancelled).length,
    paid: paid.length,
    gross: rounded(sum(paid, 'total')),
    refunds: rounded(sum(back, 'amount')),
    revenue: rounded(sum(paid, 'total') - sum(back, 'amount')),
    delivered: done.length,
    delivered_revenue: rounded(sum(done, 'total')),
    paid_rate: rate(paid),
    delivered_rate: rate(done),
  }
}

const ask = async (all: Caller, path: string) => {
  const reply = await all.get(path)
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data
}

const expectExact = async (shop: Shop, zone: string, query: string) => {
  const { api, all, goods, pages, carriers } = shop
  const facts = await recount(api)
  const { period, sales: shown } = await ask(all, `/analytic/sales?${query}`)
  const placeOf = intervalsOf(zone, period.interval, shown[0].series, period.to)
  const inPeriod = (at: Date) => placeOf(at) >= 0
  const plain = ({ start, end, label, ...figures }: Json) => figures
  const series = (of: (inside: (at: Date) => boolean) => object) =>
    shown[0].series.map((_: unknown, n: number) => of((at) => placeOf(at) === n))

  expect(shown[0].currency).toBe('TND')
  for (const { currency, total, series: rows } of shown) {
    expect(total).toEqual(sales(facts, currency, inPeriod))
    expect(rows.map(plain)).toEqual(series((inside) => sales(facts, currency, inside)))
  }
  const used = new Set([
    'TND',
    ...facts.orders
      .filter((o: Json) => inPeriod(o.created_at) || inPeriod(o.paid_at ?? o.created_at))
      .map((o: Json) => o.currency),
  ])
  expect(shown.map(({ currency }: Json) => currency)).toEqual(expect.arrayContaining(['TND']))
  expect(shown.length).toBeGreaterThanOrEqual(
    [...used].filter((c) => sales(facts, c as string, inPeriod).orders > 0).length,
  )

  const people = await ask(all, `/analytic/customers?${query}`)
  expect(people.total).toEqual(customers(facts, inPeriod))
  expect(people.series.map(plain)).toEqual(series((inside) => customers(facts, inside)))

  const sent = await ask(all, `/analytic/delivery?${query}`)
  expect(sent.total).toEqual(delivery(facts, ({ created_at }) => inPeriod(created_at)))
  expect(sent.series.map(plain)).toEqual(series((inside) => delivery(facts, ({ created_at }) => inside(created_at))))
  for (const id of [null, ...carriers]) {
    const counted = delivery(facts, (row) => row.carrier_id === id && inPeriod(row.created_at))
    const { carrier_id, name, ...row } = sent.carriers.find((row: Json) => row.carrier_id === id) ?? {
      ...counted,
      none: true,
    }
    if (row.none) expect(counted.deliveries + counted.returns).toBe(0)
    else expect(row).toEqual(counted)
  }
  for (const wanted of ['tunis', 'sfax', null]) {
    const counted = delivery(
      facts,
      (row, order) => (order.customer_city.trim().toLowerCase() || null) === wanted && inPeriod(row.created_at),
    )
    const found = sent.cities.find(({ city }: Json) => (city?.toLowerCase() ?? null) === wanted)
    if (!found) expect(counted.deliveries + counted.returns).toBe(0)
    else expect(found).toEqual({ city: found.city, ...counted })
  }

  const sold = await ask(all, `/analytic/products?${query}&currency=EUR`)
  for (const id of [null, ...goods.map(({ id }) => id)]) {
    const counted = product(facts, id, 'EUR', inPeriod)
    const found = sold.products.find((row: Json) => row.product_id === id)
    if (!found) expect(counted.ordered_units + counted.units).toBe(0)
    else expect(found).toEqual({ product_id: id, title: id && 'Mug', ...counted })
  }
  for (const sort of ['gross', 'units', 'ordered_units'] as const) {
    const rows = [null, ...goods.map(({ id }) => id)].map((id) => ({ id, ...product(facts, id, 'EUR', inPeriod) }))
    const ranked = rows
      .filter(({ ordered_units, units }) => ordered_units + units > 0)
      .sort((a, b) => b[sort] - a[sort] || ((a.id ?? '') < (b.id ?? '') ? -1 : 1))
    const best = await ask(all, `/analytic/products?${query}&currency=EUR&order_by=${sort}&limit=1`)
    expect(best.products.map((row: Json) => row.product_id)).toEqual(ranked.slice(0, 1).map(({ id }) => id))
  }
  const one = await ask(all, `/analytic/products?${query}&product_id=${goods[1]?.id}`)
  expect(one.series.map(plain)).toEqual(series((inside) => product(facts, goods[1]?.id as string, 'TND', inside)))

  const held = await ask(all, `/analytic/stock?${query.replace(/&interval=.*/, '')}&cover=365`)
  expect(held.total.low).toBe(held.low.length)
  const orders = (id: string) =>
    ['TND', 'EUR'].reduce((sum, currency) => sum + product(facts, id, currency, inPeriod).ordered_units, 0)
  for (const row of [...held.low, ...held.out_of_stock]) expect(row.ordered_units).toBe(orders(row.product_id))

  const led = await ask(all, `/analytic/landing-pages?${query}`)
  for (const id of pages) {
    const counted = landingPage(facts, id, 'TND', inPeriod)
    const found = led.landing_pages.find((row: Json) => row.landing_page_id === id)
    if (!found) expect(counted.orders).toBe(0)
    else expect(found).toMatchObject(counted)
  }
  const single = await ask(all, `/analytic/landing-pages?${query}&landing_page_id=${pages[0]}`)
  expect(single.series.map(plain)).toEqual(series((inside) => landingPage(facts, pages[0] as string, 'TND', inside)))
}

test('after any sequence of changes every figure equals a recount, in every time zone', async () => {
  await fc.assert(
    fc.asyncProperty(actions, async (done) => {
      const shop = await startShopWithCarriers()
      for (const action of done) {
        const reply = (await act(shop, action)) as { status?: number; text?: string } | undefined
        if (reply?.status) expect([200, 201, 404, 422], reply.text).toContain(reply.status)
      }
      for (const [n, zone] of ZONES.entries()) {
        await setZone(shop.api, zone)
        for (const query of PERIODS.filter((_, m) => (n + m) % 2 === 0)) await expectExact(shop, zone, query)
        if (n === 0) await mergeAnalyticChanges(shop.api.db)
      }
    }),
    { numRuns: randomRuns(3) },
  )
})

test('a store without orders has zeros for each of the last 30 days, in its own time zone', async () => {
  const api = await startTestApi()
  await setZone(api, 'Asia/Kathmandu')
  const app = await api.as('analytic:view')
  const { period, sales } = await ask(app, '/analytic/sales')
  expect(period).toMatchObject({ interval: 'day', time_zone: 'Asia/Kathmandu' })
  expect(period.from).toMatch(/T18:15:00.000Z$/)
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kathmandu' }).format(new Date())
  expect(sales).toHaveLength(1)
  expect(sales[0].currency).toBe('TND')
  expect(sales[0].series).toHaveLength(30)
  expect(sales[0].series.at(-1).label).toBe(today)
  expect(sales[0].total).toEqual({
    ...{ orders: 0, abandoned: 0, cancelled: 0, paid: 0, units: 0, gross: 0, refunds: 0, revenue: 0 },
    average_order: null,
  })
  for (const path of ['products', 'landing-pages']) expect((await ask(app, `/analytic/${path}`)).series).toEqual([])
  const reply = await app.get('/analytic/delivery')
  expect(reply.body.data.carriers).toEqual([])
  expect((await app.with({ 'if-none-match': reply.headers.get('etag') ?? '' }).get('/analytic/delivery')).status).toBe(
    304,
  )
})

test('periods that make no sense are refused, and every figure needs its permission', async () => {
  const api = await startTestApi()
  const app = await api.as('analytic:view')
  for (const [query, field] of [
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['from=2026-02-30', 'from'],
    ['from=1969-12-31', 'from'],
    ['interval=year', 'interval'],
    ['from=1970-01-01&to=9999-12-31&interval=hour', 'interval'],
  ] as const)
    expect(await app.get(`/analytic/sales?${query}`)).toBeRefused(422, field)
  expect(await app.get('/analytic/products?currency=dinar')).toBeRefused(422, 'currency')
  expect(await app.get('/analytic/products?limit=201')).toBeRefused(422, 'limit')
  expect(await app.get('/analytic/landing-pages?order_by=title')).toBeRefused(422, 'order_by')
  for (const path of ['sales', 'products', 'customers', 'delivery', 'landing-pages'])
    expect(await api.as('order:view').get(`/analytic/${path}`)).toFailWith('forbidden')
  await setZone(api, 'Mars/Olympus')
  expect((await ask(app, '/analytic/sales')).period.time_zone).toBe('UTC')
})

test('stock that is gone or will be soon is found from what was ordered each day', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await addProduct(await startTestApi(), { quantity: 0 })
  const add = async (title: string, quantity: number, more: { stock_tracked?: boolean } = {}) =>
    (await addProduct(api, { title, quantity, ...more })).id
  const order = async (id: string, quantity: number, more: object = {}) => {
    const variant_id = (await all.get(`/product/${id}`)).body.data.product.default.id
    const reply = await all.post('/order', {
      ...more,
      created_at: new Date(Date.now() - 86_400_000).toISOString(),
      variants: [{ variant_id, quantity }],
    })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order.id
  }
  const [never, often, steady, plenty] = [
    await add('Never ordered', 0),
    await add('Sold out', 60),
    await add('Steady', 65),
    await add('Plenty', 1000),
  ] as [string, string, string, string]
  await add('Untracked', 0, { stock_tracked: false })
  const hidden = await add('Hidden', 0)
  await api.db.updateTable('product').set({ status: 'inactive' }).where('id', '=', hidden).execute()
  await order(often, 60)
  await order(steady, 30)
  await order(plenty, 5)
  await order(steady, 9, { status: 'abandoned' })
  const cancelled = await order(plenty, 400)
  await all.put(`/order/${cancelled}`, { is_cancelled: true })

  const app = await api.as('analytic:view')
  const shown = await ask(app, '/analytic/stock')
  expect(shown.total).toEqual({ out_of_stock: 2, low: 0 })
  expect(shown.days).toBeGreaterThan(29)
  expect(shown.days).toBeLessThanOrEqual(30)
  const perDay = (units: number) => Math.round((units / shown.days) * 1000) / 1000
  expect(shown.out_of_stock).toEqual([
    {
      ...{ product_id: often, title: 'Sold out', quantity: 0, variants: 1, variants_out_of_stock: 1 },
      ...{
        allow_order_when_oos: false,
        ordered_units: 60,
        units_per_day: expect.closeTo(perDay(60), 1),
        days_of_cover: 0,
      },
    },
    expect.objectContaining({ product_id: never, ordered_units: 0, units_per_day: 0, days_of_cover: null }),
  ])
  const later = await ask(app, '/analytic/stock?cover=40&limit=1')
  expect(later.total).toEqual({ out_of_stock: 2, low: 1 })
  expect(later.out_of_stock).toHaveLength(1)
  const { quantity } = later.low[0]
  expect(later.low).toEqual([expect.objectContaining({ product_id: steady, ordered_units: 30 })])
  expect(later.low[0].days_of_cover).toBeCloseTo(quantity / (30 / shown.days), 0)
  const none = await ask(app, '/analytic/stock?from=2020-01-01&to=2020-01-31&cover=365')
  expect(none).toMatchObject({ days: 31, total: { out_of_stock: 2, low: 0 } })
  const future = await ask(app, '/analytic/stock?from=2090-01-01&to=2090-01-31')
  expect(future).toMatchObject({ days: 0, low: [] })
  for (const query of ['cover=0', 'cover=366', 'limit=201', 'from=2026-02-02&to=2026-02-01'])
    expect((await app.get(`/analytic/stock?${query}`)).status, query).toBe(422)
  expect(await api.as('product:view').get('/analytic/stock')).toFailWith('forbidden')
})

test('orders of one customer at once make one new customer', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const order = { customer_email: 'amel@example.com', customer_city: 'Sfax' }
  await Promise.all([1, 2, 3, 4].map(() => all.post('/order', order)))
  const total = async () => (await ask(all, '/analytic/customers')).total
  expect(await total()).toEqual({ orders: 4, new_customers: 1, returning_orders: 3, guest_orders: 0 })
  // As SQL alone, in transactions that overlap.
  const { rows } = await sql<{ id: string }>`select id from orders where store_id = ${api.store.id}`.execute(api.db)
  await Promise.all(
    rows.map(({ id }) => sql`delete from orders where store_id = ${api.store.id} and id = ${id}`.execute(api.db)),
  )
  expect(await total()).toEqual({ orders: 0, new_customers: 0, returning_orders: 0, guest_orders: 0 })
})

test('a removed store leaves no figures behind', async () => {
  const api = await startTestApi()
  await api.as().post('/order', { status: 'paid', customer_email: 'amel@example.com' })
  await mergeAnalyticChanges(api.db)
  await api.as().post('/order', { status: 'paid', customer_email: 'amel@example.com' })
  await sql`delete from store where id = ${api.store.id}`.execute(api.db)
  await mergeAnalyticChanges(api.db)
  for (const table of ['analytic_total', 'analytic_change', 'first_order'])
    expect(await rowsOf(api, table), table).toEqual([])
})
