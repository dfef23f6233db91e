import { expect, test } from 'vitest'
import { levelOf, outcomeOf, recountSignals, type ShownOrder } from '../../../tests/support/recount-signals.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'

type Shown = ShownOrder & { currency: string; total: number }

/** The level by what the other orders of the number say, counted from what the API shows. */
const expectedLevel = (order: Shown, orders: readonly Shown[]) => {
  const undecided = {
    ...order,
    deliveries: order.deliveries.map((delivery) => ({ ...delivery, status: 'unfulfilled' })),
    returns: [],
  }
  const { reasons } = recountSignals(
    undecided,
    orders.map((other) => (other === order ? undecided : other)),
  )
  return levelOf(outcomeOf(order) === 'open' ? reasons : reasons.filter((reason) => reason !== 'duplicate'))
}

const figuresOf = (orders: readonly Shown[]) => {
  const of = (outcome: string) => orders.filter((order) => outcomeOf(order) === outcome)
  const [delivered, returned] = [of('delivered'), of('returned')]
  const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000)
  return {
    orders: orders.length,
    cancelled: orders.filter(({ is_cancelled }) => is_cancelled).length,
    delivered: delivered.length,
    returned: returned.length,
    delivered_revenue: delivered.reduce((sum, { total }) => sum + total, 0),
    success_rate: share(delivered.length, delivered.length + returned.length),
    delivered_rate: share(delivered.length, orders.length),
  }
}

test('delivery success by level equals a recount, by the days of the store, without what became of the order itself', async () => {
  const { api, all, mug, hat } = await startShopWithOrders()
  await all.put('/setting', { time_zone: 'Africa/Tunis' })
  const place = async (customer_phone: string, hour: number, end = '', more: object = {}) => {
    const reply = await all.post('/order', {
      customer_phone,
      customer_address: '12 rue de Marseille',
      variants: [{ variant_id: hour % 2 === 0 ? mug.variant : hat.variant, quantity: 1 }],
      created_at: new Date(Date.UTC(2026, 2, 1, hour)).toISOString(),
      ...more,
    })
    expect(reply.status, reply.text).toBe(201)
    const { id, deliveries, variants } = reply.body.data.order
    if (end === 'cancelled') await all.put(`/order/${id}`, { is_cancelled: true })
    if (end === 'delivered' || end === 'returned')
      await all.put(`/order/delivery/${deliveries[0].id}`, { status: 'delivered' })
    if (end === 'returned')
      await all.post(`/order/${id}/return`, { variants: [{ order_variant_id: variants[0].id, quantity: 1 }] })
  }
  const GOOD = '20123456'
  const BAD = '+216 98 765 432'
  for (let n = 0; n < 4; n++) await place(GOOD, 5 + n * 7, 'delivered')
  for (const [n, end] of ['returned', 'returned', 'delivered', 'returned'].entries()) await place(BAD, 6 + n * 9, end)
  // 23:30 in Tunis is the day before in UTC's calendar, and these two are each other's duplicate.
  await place(GOOD, 23)
  await place(GOOD, 25)
  await place('no number', 30, 'delivered')
  await place('', 31, 'cancelled')
  await place('', 32, '', { status: 'abandoned' })
  await place('', 33, 'delivered', { currency: 'EUR' })
  await place('', 90, 'delivered')

  const orders = (await all.get('/order?page_size=200')).body.data.orders as Shown[]
  const days = ['2026-03-01', '2026-03-02']
  const dayOf = ({ created_at }: Shown) => new Date(Date.parse(created_at) + 3_600_000).toISOString().slice(0, 10)
  const read = async (query = '') => (await all.get(`/analytic/levels?from=${days[0]}&to=${days[1]}${query}`)).body.data
  const placed = orders.filter((order) => order.status !== 'abandoned' && order.currency === 'TND')
  const { currency, levels, period } = await read()
  expect([currency, period.time_zone]).toEqual(['TND', 'Africa/Tunis'])
  expect(levels.map(({ level }: { level: string }) => level)).toEqual(['good', 'unknown', 'careful', 'bad'])
  for (const { level, total, series } of levels) {
    const ofLevel = placed.filter((order) => days.includes(dayOf(order)) && expectedLevel(order, orders) === level)
    expect(ofLevel.length, level).toBeGreaterThan(0)
    expect(total).toEqual(figuresOf(ofLevel))
    expect(series.map(({ label }: { label: string }) => label)).toEqual(days)
    for (const { label, start: _start, end: _end, ...figures } of series)
      expect(figures, `${level} ${label}`).toEqual(figuresOf(ofLevel.filter((order) => dayOf(order) === label)))
  }
  const euros = await read('&currency=EUR')
  expect(euros.levels[1].total).toMatchObject({ orders: 1, delivered: 1, success_rate: 1 })
  expect(await all.get('/analytic/levels?currency=euro')).toBeRefused(422, 'currency')
  expect(await api.as('order:view').get('/analytic/levels')).toFailWith('forbidden')
})
