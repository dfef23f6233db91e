import { hash } from 'node:crypto'
import { test as anyTest, expect } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { checkDatabase } from '../../doctor/check-database.ts'
import { renewSharedPhones } from './renew.ts'

/** A distributed database is refused at the start. */
const test = anyTest.skipIf(isOnCitus)

const ON = { SHARED_PHONE_COUNTS: 'true' }
const PHONE = '+21620123456'

let numbers = 0
/** The stores of all tests of this file are those of one operator. */
const newNumber = () => `+2165012${3_000 + numbers++}`

const startStore = async (settings: Record<string, string> = ON, number = PHONE) => {
  const api = await startTestApi(settings)
  const all = api.as()
  const share = (share_phone_counts: boolean, headers = {}) =>
    all.put('/setting', { order_desk: { share_phone_counts } }, headers)
  const order = async (state: 'open' | 'delivered' | 'returned' = 'open', more: object = {}) => {
    const reply = await all.post('/order', { customer_phone: number, ...more })
    expect(reply.status, reply.text).toBe(201)
    const { id, deliveries } = reply.body.data.order
    if (state !== 'open') await all.put(`/order/delivery/${deliveries[0].id}`, { status: 'delivered' })
    return { id: id as string, customer: reply.body.data.order.customer_id as string }
  }
  const ask = async (phone = number) => {
    const reply = await all.get(`/phone/${encodeURIComponent(phone)}`)
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data.phone
  }
  const elsewhere = async (phone?: string) => (await ask(phone)).elsewhere
  const rows = () =>
    api.db.selectFrom('shared_phone').selectAll().where('store_id', '=', api.store.id).orderBy('orders').execute()
  return { api, all, share, order, ask, elsewhere, rows }
}

const HOUR = 3_600_000
const hourStart = () => new Date(Math.floor(Date.now() / HOUR) * HOUR)
const later = () => new Date(Date.now() + 2 * HOUR)

let days = 0
/** The night passes: the next day's copies are made. */
const passNight = ({ api }: Awaited<ReturnType<typeof startStore>>, settings = {}) =>
  renewSharedPhones(
    api.db,
    { ...api.services.sharedPhones, ...settings },
    new Date(Date.UTC(2027, 0, 1 + days++)).toISOString().slice(0, 10),
  )

test('a store sees what became of the orders of a number in three others, once all share it and a night has passed', async () => {
  const [asking, ...others] = [await startStore(), await startStore(), await startStore(), await startStore()]
  const [one, two, three] = others as [typeof asking, typeof asking, typeof asking]
  await asking.order()
  for (const store of others) {
    await store.order('delivered')
    await store.order('delivered')
    await store.order()
  }
  for (const store of [asking, ...others]) {
    expect((await store.all.get('/setting')).body.data.setting).toMatchObject({
      can_share_phone_counts: true,
      order_desk: { share_phone_counts: false },
    })
    expect((await store.share(true)).status).toBe(200)
    expect(await store.elsewhere(), 'nothing is shared before the night').toBeNull()
  }
  await passNight(asking)
  const known = { orders: 9, delivered: 6, returned: 0 }
  const own = { orders: 1, delivered: 0, returned: 0, open: 1, latest_orders: [{ outcome: 'open' }] }
  expect(await asking.ask()).toMatchObject({ phone: PHONE, ...own, elsewhere: known })
  expect(await one.elsewhere()).toEqual({ orders: 7, delivered: 4, returned: 0 })

  // What happens during the day shows nowhere: nobody sees when another store has an order.
  await two.order('delivered')
  expect(await asking.elsewhere()).toEqual(known)
  await passNight(asking)
  expect(await asking.elsewhere()).toEqual({ orders: 10, delivered: 7, returned: 0 })

  // Neither the number nor the store that asks is in the rows, and the key is not a plain hash.
  const rows = await one.rows()
  expect(rows).toMatchObject([{ orders: 3, delivered: 2, returned: 0 }])
  expect(JSON.stringify(rows)).not.toContain('20123456')
  expect(rows[0]?.key).toHaveLength(32)
  expect(rows[0]?.key.toString('hex')).not.toBe(hash('sha256', PHONE))

  // A number that the store has no order of is not shown: it could be any number.
  await asking.all.delete(`/order/${(await asking.all.get('/order')).body.data.orders[0].id}`)
  expect(await asking.elsewhere()).toBeNull()
  await asking.order()
  expect(await asking.elsewhere()).toMatchObject({ orders: 10 })

  // Two others are too few.
  expect((await three.share(false, { prefer: 'dry-run' })).status).toBe(200)
  expect(await asking.elsewhere()).toMatchObject({ orders: 10 })
  expect((await three.share(false)).status).toBe(200)
  expect(await three.rows()).toEqual([])
  expect(await asking.elsewhere()).toBeNull()
  expect(await three.elsewhere(), 'who shares nothing sees nothing').toBeNull()
  await passNight(asking)
  expect(await three.rows()).toEqual([])
})

/** Three stores that share, besides the one that asks. */
const startFour = async () => {
  const number = newNumber()
  const start = () => startStore(ON, number)
  const stores = [await start(), await start(), await start(), await start()] as const
  for (const store of stores) {
    await store.order()
    await store.share(true)
  }
  await passNight(stores[0])
  expect(await stores[0].elsewhere()).toMatchObject({ orders: 3 })
  return [...stores, start] as const
}

test('deleting a customer takes their number out of what the store shares, at once and for good', async () => {
  const [asking, other, third, , start] = await startFour()
  const email = 'amel@shop.example'
  const { customer } = await other.order('open', { customer_email: email })
  const fifth = await start()
  await fifth.order()
  await fifth.share(true)
  await passNight(asking)
  expect(await asking.elsewhere()).toMatchObject({ orders: 5 })
  expect((await other.all.delete(`/customer/${customer}`, { prefer: 'dry-run' })).status).toBe(200)
  expect(await asking.elsewhere()).toMatchObject({ orders: 5 })
  // The orders keep the number without `erase`, and the store's own counts with them.
  expect((await other.all.delete(`/customer/${customer}`)).status).toBe(200)
  expect(await other.rows()).toEqual([])
  expect((await other.ask()).orders).toBe(2)
  expect(await asking.elsewhere()).toMatchObject({ orders: 3 })
  await passNight(asking)
  expect(await other.rows()).toEqual([])
  // Once the person is erased, the number is one of others only.
  expect((await other.all.delete(`/customer/${customer}?erase=true`)).status).toBe(200)
  expect(await other.rows()).toEqual([])
  await passNight(asking)
  expect(await other.rows()).toMatchObject([{ orders: 1 }])

  const again = await third.order('open', { customer_email: email })
  await passNight(asking)
  await third.all.delete(`/customer/${again.customer}?erase=true`)
  expect(await third.rows()).toEqual([])
})

test('a deletion during the copy of a large store is not undone by it', async () => {
  const store = await startStore()
  const { customer } = await store.order('open', { customer_email: 'amel@shop.example' })
  await store.share(true)
  const replies = await Promise.all([
    ...Array.from({ length: 4 }, () => passNight(store)),
    store.all.delete(`/customer/${customer}?erase=true`),
    store.share(true),
  ])
  expect((replies[4] as { status: number }).status).toBe(200)
  expect(await store.rows()).toEqual([])
  await store.order()
  await Promise.all([passNight(store), store.share(false), passNight(store)])
  expect(await store.rows()).toEqual([])
})

test('the copies equal the counts of every number, also of thousands, and a night changes only what has changed', async () => {
  const store = await startStore()
  const { db } = store.api
  await db
    .insertInto('phone_count')
    .values(
      Array.from({ length: 2_500 }, (_none, n) => ({
        store_id: store.api.store.id,
        phone: `+2162${1_000_000 + n}`,
        placed: n + 1,
        delivered: n,
        returned: 1,
        open: 0,
      })),
    )
    .execute()
  await store.share(true)
  for (let night = 0; night < 2; night++) {
    await passNight(store)
    const rows = await store.rows()
    expect(rows.map(({ orders }) => orders)).toEqual(Array.from({ length: 2_500 }, (_none, n) => n + 1))
    const [last] = rows.slice(-1)
    const { keyOf } = store.api.services.sharedPhones
    expect(last).toMatchObject({ delivered: 2_499, returned: 1 })
    expect(last?.key.toString('hex')).toBe(keyOf('+21621002499'))
  }
  await store.share(false)
})

test('without the operator nothing is shared, and what was is removed', async () => {
  const [one, ...others] = await startFour()
  const off = await startStore({})
  expect(await off.share(true)).toBeRefused(422, 'order_desk.share_phone_counts')
  expect((await off.all.get('/setting')).body.data.setting.can_share_phone_counts).toBe(false)
  await off.order()
  expect(await off.elsewhere()).toBeNull()
  const { db, config, services } = one.api
  const find = async (SHARED_PHONE_COUNTS: boolean) => {
    const checked = { ...config, SHARED_PHONE_COUNTS }
    const findings = await checkDatabase(db, checked, services.kinds, { all: false, repair: false })
    return findings.find(({ check }) => check === 'shared phones')
  }
  expect(await find(true)).toMatchObject({ state: 'ok' })
  expect(await find(false)).toMatchObject({ state: 'note', found: expect.stringContaining('are left') })
  await passNight(one, { isOn: false })
  for (const store of [one, ...others.slice(0, 3)] as (typeof one)[]) expect(await store.rows()).toEqual([])
  expect(await find(false)).toMatchObject({ state: 'ok' })
})

test('numbers cannot be tried one after the other', async () => {
  const [asking, other] = await startFour()
  await asking.api.db
    .insertInto('rate_window')
    .values({ key: `shared phones:${asking.api.store.id}`, used: 299, window_start: hourStart(), ends_at: later() })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ used: 299, window_start: hourStart() }))
    .execute()
  expect(await asking.elsewhere()).toMatchObject({ orders: 3 })
  const refused = await asking.all.get(`/phone/${encodeURIComponent((await other.ask()).phone)}`)
  expect(refused).toFailWith('rate_limited')
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await other.elsewhere()).toMatchObject({ orders: 3 })
})
