import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { randomRuns } from '../../../tests/support/random-runs.ts'
import { PHONES, recountSignals, type ShownOrder, shownSignals } from '../../../tests/support/recount-signals.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import type { AppRecord } from '../../core/http/access.ts'
import { transact } from '../../core/storage/database.ts'
import { claimOrder } from './claim-order.ts'
import { readPhones } from './read-phones.ts'

const startDesk = async () => {
  const shop = await startShopWithOrders()
  const { all, mug, hat } = shop
  const order = async (phone: string, more: object = {}) => {
    const variants = [{ variant_id: mug.variant, quantity: 1 }]
    const reply = await all.post('/order', {
      customer_phone: phone,
      customer_address: '12 rue de Marseille',
      variants,
      ...more,
    })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order
  }
  const stock = async (product: { id: string }) =>
    (await all.get(`/product/${product.id}`)).body.data.product.default.quantity
  const ids = async (query: string) => {
    const { body, text } = await all.get(`/order?page_size=200&${query}`)
    expect(body.data, text).toBeDefined()
    expect(body.data.pagination.total).toBe(body.data.orders.length)
    return body.data.orders.map(({ id }: { id: string }) => id).sort()
  }
  return { ...shop, order, stock, ids, mug, hat }
}

const deliver = async ({ all }: Awaited<ReturnType<typeof startDesk>>, order: { deliveries: { id: string }[] }) =>
  all.put(`/order/delivery/${order.deliveries[0]?.id}`, { status: 'delivered' })

const codes = ({ signals }: { signals: { reasons: { code: string }[] } }) => signals.reasons.map(({ code }) => code)

test('an order shows its phone number in E.164 and what became of the orders of that number', async () => {
  const desk = await startDesk()
  const first = await desk.order('20 123 456')
  expect(first.signals).toMatchObject({
    phone: '+21620123456',
    duplicate_of: null,
    phone_orders: 1,
    phone_delivered: 0,
    phone_returned: 0,
    phone_open: 1,
    first_order: true,
    level: 'unknown',
    reasons: [],
  })
  await deliver(desk, first)
  for (const phone of ['+216 20 123 456', '0021620123456', '٢٠١٢٣٤٥٦']) {
    const next = await desk.order(phone, { variants: [{ variant_id: desk.hat.variant, quantity: 1 }] })
    expect(next.signals).toMatchObject({ phone: '+21620123456', first_order: false, phone_open: 1 })
    await deliver(desk, next)
  }
  const now = await desk.look(first.id)
  expect(now.signals).toMatchObject({ phone_orders: 4, phone_delivered: 4, phone_open: 0, level: 'good' })
  expect(codes(now)).toEqual(['delivered_before'])
  const abroad = await desk.order('06 12 34 56 78', { country_id: 'FR' })
  expect(abroad.signals.phone).toBe('+33612345678')
  expect((await desk.order('call me')).signals).toMatchObject({ phone: null, level: 'bad' })
  expect((await desk.order('')).signals).toMatchObject({ phone: null, first_order: null, level: 'unknown' })

  expect((await desk.all.get('/phone/20123456')).body.data.phone).toEqual({
    phone: '+21620123456',
    orders: 4,
    delivered: 4,
    returned: 0,
    open: 0,
    latest_orders: expect.any(Array),
    elsewhere: null,
  })
  const { latest_orders } = (await desk.all.get('/phone/20123456')).body.data.phone
  expect(latest_orders).toHaveLength(4)
  const { id, ref, created_at } = first
  const what = { status: 'pending', outcome: 'delivered', currency: 'TND', total: 12.5 }
  expect(latest_orders.at(-1)).toEqual({ id, ref, created_at, ...what })
  expect((await desk.all.get('/phone/%2B21620999888')).body.data.phone).toMatchObject({ orders: 0, open: 0 })
  expect(await desk.all.get('/phone/nobody')).toFailWith('not_found')
  expect((await desk.ids('phone=20%20123%20456')).length).toBe(4)
  expect((await desk.ids('phone=nobody')).length).toBe(0)
  expect((await desk.ids('level=bad')).length).toBe(1)
  const csv = (await desk.all.get('/order/export?phone=20123456')).text
  expect(csv.split('\r\n')[0]).toContain('phone_open,level,reasons,confirmation')
  expect(csv.split('\r\n')[1]).toContain("'+21620123456,,4,4,0,0,good,delivered_before")
  await expectTextsToFitRows(desk.api.db)
})

test('orders are found by their phone number in whatever way it is written', async () => {
  const desk = await startDesk()
  const here = (await desk.order('20 123 456')).id
  const abroad = (await desk.order('+33 6 12 34 56 78')).id
  await desk.order('20 123 457')
  const ways = {
    [here]: [
      '20123456',
      '20-123-456',
      '+216 20 123 456',
      '00216 (20) 123.456',
      '216 20 123 456',
      '٢٠ ١٢٣ ٤٥٦',
      '٠٠٢١٦٢٠١٢٣٤٥٦',
      '＋٢١٦ ٢٠١٢٣٤٥٦',
      '\u202a+216\u00a020\u2011123\u2011456\u202c',
    ],
    [abroad]: ['+33612345678', '0033 6 12 34 56 78', '+33 (0)6 12 34 56 78', '33612345678', '٠٠٣٣ ٦ ١٢ ٣٤ ٥٦ ٧٨'],
  }
  for (const [id, texts] of Object.entries(ways))
    for (const text of texts) {
      const typed = encodeURIComponent(text)
      expect(await desk.ids(`phone=${typed}`), text).toEqual([id])
      expect(await desk.ids(`search=${typed}`), `search for ${text}`).toEqual([id])
      expect((await desk.all.get(`/phone/${typed}`)).body.data.phone, text).toMatchObject({ orders: 1 })
    }
  // A + that was not encoded is a space.
  expect(await desk.ids('phone=+21620123456')).toEqual([here])
  expect(await desk.ids('phone=+33612345678')).toEqual([abroad])
  for (const text of ['nobody', '+', '00', '2012345', '20 123 4567'])
    expect(await desk.ids(`phone=${encodeURIComponent(text)}`), text).toEqual([])

  // A store without a country knows those with a country's code.
  await desk.all.put('/setting', { country_id: null })
  const later = (await desk.order('٠٠٢١٦٢٠٩٩٩٨٨٨')).id
  expect((await desk.look(later)).signals.phone).toBe('+21620999888')
  for (const text of ['0021620999888', '٢١٦٢٠٩٩٩٨٨٨', '+216 20 999 888'])
    expect(await desk.ids(`phone=${encodeURIComponent(text)}`), text).toEqual([later])
})

test('two open orders of a number with a product in common within 48 hours are both marked', async () => {
  const desk = await startDesk()
  const first = await desk.order('20123456', { created_at: '2026-03-01T10:00:00Z' })
  const other = await desk.order('20123456', {
    created_at: '2026-03-01T11:00:00Z',
    variants: [{ variant_id: desk.hat.variant, quantity: 1 }],
  })
  const late = await desk.order('20123456', { created_at: '2026-03-03T10:00:00.001Z' })
  const second = await desk.order('+216 20123456', { created_at: '2026-03-03T10:00:00Z' })
  expect((await desk.look(first.id)).signals).toMatchObject({ duplicate_of: null, level: 'careful' })
  expect(second.signals.duplicate_of).toBe(first.id)
  expect((await desk.look(late.id)).signals.duplicate_of).toBe(second.id)
  expect(codes(await desk.look(other.id))).toEqual([])
  expect(await desk.ids('duplicate=true')).toEqual([first.id, second.id, late.id].sort())
  expect(await desk.ids('duplicate=false')).toEqual([other.id])
  await desk.all.put(`/order/${first.id}`, { is_cancelled: true })
  expect(await desk.ids('duplicate=true')).toEqual([second.id, late.id].sort())
  expect((await desk.look(second.id)).signals.duplicate_of).toBeNull()

  // Without a phone number, the customer counts.
  const buyer = { customer_email: 'amel@shop.example' }
  const [one, two] = [await desk.order('', buyer), await desk.order('', buyer)]
  expect(two.signals.duplicate_of).toBe(one.id)
  expect(codes(await desk.look(one.id))).toEqual(['duplicate'])
  expect(await desk.ids('duplicate=true&from=2026-06-01')).toEqual([one.id, two.id].sort())
})

test('a store shifts the thresholds of the level', async () => {
  const desk = await startDesk()
  const kept = await desk.order('20123456')
  await deliver(desk, kept)
  const returned = await desk.order('20123456', { customer_address: 'Tunis', quantity: 1 })
  await desk.all.post(`/order/${returned.id}/return`, {
    variants: [{ order_variant_id: returned.variants[0].id, quantity: 1 }],
  })
  expect(codes(await desk.look(returned.id))).toEqual(['short_address'])
  const rules = { min_parcels: 2, careful_below: 60, bad_below: 50, min_address: 5 }
  const { setting } = (await desk.all.put('/setting', { order_desk: rules })).body.data
  expect(setting.order_desk).toMatchObject({ ...rules, max_quantity: 10, confirm: false })
  expect((await desk.look(returned.id)).signals).toMatchObject({
    level: 'careful',
    phone_returned: 1,
    phone_delivered: 1,
  })
  expect(codes(await desk.look(returned.id))).toEqual(['often_returned'])
  await desk.all.put('/setting', { order_desk: { bad_below: 51 } })
  expect((await desk.look(returned.id)).signals.level).toBe('bad')
  expect(await desk.all.put('/setting', { order_desk: { bad_below: 101 } })).toBeRefused(422, 'order_desk.bad_below')
  expect(await desk.all.put('/setting', { country_id: 'XX' })).toBeRefused(422, 'country_id')
})

test('the result of a call is recorded, and a refused order is cancelled in the same request', async () => {
  const desk = await startDesk()
  expect((await desk.order('20123456')).confirmation).toBeNull()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const before = await desk.stock(desk.mug)
  const order = await desk.order('20123456')
  expect(order.confirmation).toMatchObject({ state: 'waiting', attempts: 0, by: null })
  expect((await desk.order('20123456', { status: 'paid' })).confirmation).toBeNull()
  const path = `/order/${order.id}/confirmation`
  const later = '2026-12-01T10:00:00.000Z'
  expect(await desk.all.post(path, { result: 'postponed' })).toBeRefused(422, 'next_at')
  expect(await desk.all.post(path, { result: 'confirmed', next_at: later })).toBeRefused(422, 'next_at')
  expect(await desk.all.post(path, { result: 'confirmed', cancel: true })).toBeRefused(422, 'cancel')
  const postponed = (await desk.all.post(path, { result: 'postponed', next_at: later, note: 'After work' })).body.data
    .order
  expect(postponed.confirmation).toMatchObject({ state: 'postponed', attempts: 1, next_at: later, note: 'After work' })
  const refused = (await desk.all.post(path, { result: 'refused', cancel: true })).body.data.order
  expect(refused).toMatchObject({ is_cancelled: true, confirmation: { state: 'refused', attempts: 2, next_at: null } })
  expect(refused.history.map(({ subject, to }: { subject: string; to: string }) => `${subject} ${to}`)).toEqual([
    'status pending',
    'confirmation postponed',
    'is_cancelled true',
    'confirmation refused',
  ])
  expect(await desk.all.post(path, { result: 'confirmed' })).toBeRefused(422, 'result')
  // The paid one keeps its unit.
  expect(await desk.stock(desk.mug)).toBe(before - 1)
  const { events } = (await desk.all.get('/event')).body.data
  const about = events.filter(({ resource }: { resource: { id: string } }) => resource.id === order.id)
  expect(about.map(({ type }: { type: string }) => type)).toEqual([
    'order.created',
    'order.updated',
    'order.updated',
    'order.refused',
  ])
  expect(JSON.stringify(events)).not.toContain('After work" in')
  expect(await desk.ids('confirmation=refused')).toEqual([order.id])
  // Taken back: it waits as if nobody had called the second time.
  expect(await desk.all.post(path, { result: 'waiting' })).toBeRefused(422, 'result')
  await desk.all.put(`/order/${order.id}`, { is_cancelled: false })
  const back = (await desk.all.post(path, { result: 'waiting' })).body.data.order
  expect(back.confirmation).toEqual({ state: 'waiting', attempts: 1, next_at: null, by: null, at: null, note: null })
  expect((await desk.all.post(path, { result: 'waiting' })).body.data.order).toEqual(back)
  expect((await desk.all.post('/order/claim', {})).body.data.order.id).toBe(order.id)
  await desk.all.post(path, { result: 'refused', cancel: true })
  expect(await desk.api.as('order:view').post(path, { result: 'confirmed' })).toFailWith('forbidden')
  await expectTextsToFitRows(desk.api.db)
})

test('a note is part of the history, with who wrote it, and never of an event', async () => {
  const desk = await startDesk()
  const { id } = await desk.order('20123456')
  const noted = (await desk.all.post(`/order/${id}/note`, { text: 'Rings twice' })).body.data.order
  expect(noted.history.at(-1)).toMatchObject({ subject: 'note', note: 'Rings twice', from: null })
  for (const text of ['', '  ', 'é'.repeat(2501), 7])
    expect(await desk.all.post(`/order/${id}/note`, { text })).toBeRefused(422, 'text')
  const { events } = (await desk.all.get('/event?payload=thin')).body.data
  expect(events.at(-1)).toMatchObject({ type: 'order.updated', changed: ['history'] })
  expect(JSON.stringify(events)).not.toContain('Rings twice')
  for (let more = 1; more < 100; more++) await desk.all.post(`/order/${id}/note`, { text: `Note ${more}` })
  expect(await desk.all.post(`/order/${id}/note`, { text: 'One more' })).toBeRefused(422, 'text')
  await expectTextsToFitRows(desk.api.db)
})

test('merging adds the lines to the older order, cancels the newer, and leaves the stock alone', async () => {
  const desk = await startDesk()
  const [mugs, hats] = [await desk.stock(desk.mug), await desk.stock(desk.hat)]
  const older = await desk.order('20123456', { shipping_rate: 7 })
  const newer = await desk.order('20123456', {
    shipping_rate: 7,
    variants: [
      { variant_id: desk.mug.variant, quantity: 1 },
      { variant_id: desk.hat.variant, quantity: 2 },
    ],
  })
  const merged = (await desk.all.post(`/order/${older.id}/merge`, { order_id: newer.id })).body.data.order
  expect(merged).toMatchObject({ subtotal: 85, total: 92, quantity: 4 })
  expect(merged.deliveries).toHaveLength(1)
  expect(merged.deliveries[0].order_variants.map(({ quantity }: { quantity: number }) => quantity)).toEqual([1, 1, 2])
  expect(await desk.look(newer.id)).toMatchObject({ is_cancelled: true })
  expect([await desk.stock(desk.mug), await desk.stock(desk.hat)]).toEqual([mugs - 2, hats - 2])
  await desk.all.put(`/order/${older.id}`, { is_cancelled: true })
  expect([await desk.stock(desk.mug), await desk.stock(desk.hat)]).toEqual([mugs, hats])
  expect(await desk.all.post(`/order/${older.id}/merge`, { order_id: newer.id })).toBeRefused(422, 'id', 'order_id')
  expect(await desk.all.post(`/order/${older.id}/merge`, { order_id: older.id })).toBeRefused(422, 'order_id')
  await expectTextsToFitRows(desk.api.db)
})

test('the lines of an order change until it is shipped, and stock, totals and parcel follow', async () => {
  const desk = await startDesk()
  const [mugs, hats] = [await desk.stock(desk.mug), await desk.stock(desk.hat)]
  const order = await desk.order('20123456', { status: 'paid', customer_email: 'amel@shop.example', shipping_rate: 7 })
  const line = order.variants[0].id
  const path = `/order/${order.id}/variants`
  const changed = (
    await desk.all.put(path, {
      variants: [
        { id: line, quantity: 3, price: 10 },
        { variant_id: desk.hat.variant, quantity: 1 },
      ],
    })
  ).body.data.order
  expect(changed).toMatchObject({ subtotal: 60, total: 67, quantity: 4 })
  expect(changed.deliveries[0].order_variants).toHaveLength(2)
  expect([await desk.stock(desk.mug), await desk.stock(desk.hat)]).toEqual([mugs - 3, hats - 1])
  expect((await desk.all.get(`/customer/${order.customer_id}`)).body.data.customer.amount_spent).toBe(67)
  expect(await desk.all.put(path, { variants: [{ id: line, quantity: 1000 }] })).toBeRefused(422, 'variants.0.quantity')
  expect(await desk.all.put(path, { variants: [{ id: desk.mug.variant, quantity: 1 }] })).toBeRefused(
    422,
    'variants.0.id',
  )
  expect(await desk.all.put(path, { variants: [{ quantity: 1 }] })).toBeRefused(422, 'variants.0.id')
  const only = (await desk.all.put(path, { variants: [{ variant_id: desk.hat.variant, quantity: 2 }] })).body.data.order
  expect(only.variants).toHaveLength(1)
  expect([await desk.stock(desk.mug), await desk.stock(desk.hat)]).toEqual([mugs, hats - 2])
  await deliver(desk, only)
  expect(await desk.all.put(path, { variants: [{ variant_id: desk.hat.variant, quantity: 1 }] })).toBeRefused(
    422,
    'variants',
  )
  await expectTextsToFitRows(desk.api.db)
})

test('returned units go back to stock when the return is received, if the store says so', async () => {
  const desk = await startDesk()
  const sell = async () => {
    const order = await desk.order('20123456', { variants: [{ variant_id: desk.mug.variant, quantity: 2 }] })
    await deliver(desk, order)
    const variants = [{ order_variant_id: order.variants[0].id, quantity: 1, restock: true }]
    return (await desk.all.post(`/order/${order.id}/return`, { variants })).body.data.return
  }
  const start = await desk.stock(desk.mug)
  await sell()
  expect(await desk.stock(desk.mug)).toBe(start - 1)
  await desk.all.put('/setting', { order_desk: { restock_on_receipt: true } })
  const { delivery } = await sell()
  expect(await desk.stock(desk.mug)).toBe(start - 3)
  for (const status of ['shipped', 'delivered', 'shipped', 'delivered'])
    await desk.all.put(`/order/delivery/${delivery.id}`, { status })
  expect(await desk.stock(desk.mug)).toBe(start - 2)
  await expectTextsToFitRows(desk.api.db)
})

const AT_ONCE = 32

test('32 people at the queue never get the same order', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const orders: string[] = []
  for (let n = 0; n < 40; n++) orders.push((await desk.order(`201234${10 + n}`)).id)
  const people = Array.from({ length: AT_ONCE }, () => ({ id: randomUUID() }))
  const claim = (app: { id: string }, claimed = {}) =>
    transact(desk.api.db, (db) => claimOrder(db, desk.api.store.id, app as AppRecord, claimed))
  const taken = await Promise.all(people.map((person) => claim(person)))
  expect(new Set(taken).size).toBe(AT_ONCE)
  expect(taken.every((id) => id && orders.includes(id))).toBe(true)
  // The oldest first; a named order only if nobody has it.
  expect([...taken].sort()).toEqual(orders.slice(0, AT_ONCE).sort())
  const [first, second] = people as [{ id: string }, { id: string }]
  expect(await claim(first, { order_id: taken[1] })).toBeUndefined()
  expect(await claim(second, { order_id: taken[1] })).toBe(taken[1])
  // Whoever takes another gives the first one back.
  expect(await claim(first, { exclude: [taken[0]] })).not.toBe(taken[0])
  expect(await claim(second, { order_id: taken[0] })).toBe(taken[0])
  await desk.api.db
    .updateTable('orders')
    .set({ claimed_until: new Date(0) })
    .where('id', 'in', orders)
    .execute()
  expect(await claim(first, { order_id: taken[0] })).toBe(taken[0])

  const own = (await desk.all.post('/order/claim', {})).body.data.order
  expect(orders).toContain(own.id)
  const later = (await desk.all.post(`/order/${own.id}/confirmation`, { result: 'no_answer' })).body.data.order
  expect(Date.parse(later.confirmation.next_at)).toBeGreaterThan(Date.now() + 3_000_000)
  expect((await desk.all.post('/order/claim', {})).body.data.order.id).not.toBe(own.id)
  expect((await desk.all.post('/order/claim', { exclude: orders })).body.data.order).toBeNull()
  await expectTextsToFitRows(desk.api.db)
})

test('whoever asks for an order several times at once has one', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  for (let n = 0; n < 6; n++) await desk.order(`2012345${n}`)
  for (let round = 0; round < 3; round++) {
    await Promise.all(Array.from({ length: 4 }, () => desk.all.post('/order/claim', {})))
    expect((await desk.all.get('/order/claim')).body.data.claims).toHaveLength(1)
    await desk.all.post('/order/claim', { release: true })
  }
})

test('who has which order is listed until the order is confirmed, given back or claimed by nobody any more', async () => {
  const desk = await startDesk()
  const neighbour = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const [one, two] = [await desk.order('20123456'), await desk.order('20123457')]
  const app = await desk.api.install(['order:view', 'order:update'])
  const authorization = `Bearer ${await desk.api.getToken(app, { install_id: app.install_id })}`
  const other = desk.api.anonymous.with({ authorization })
  const claims = async (caller = desk.all) => (await caller.get('/order/claim')).body.data.claims
  expect(await claims()).toEqual([])
  await desk.all.post('/order/claim', { order_id: one.id })
  await other.post('/order/claim', {})
  expect(await claims()).toMatchObject([
    { order_id: two.id, order_ref: two.ref, is_own: false, by: expect.stringMatching(/./) },
    { order_id: one.id, order_ref: one.ref, is_own: true },
  ])
  expect((await claims(other)).map(({ is_own }: { is_own: boolean }) => is_own)).toEqual([true, false])
  expect(await claims(neighbour.all)).toEqual([])
  expect(await desk.api.as('order:update').get('/order/claim')).toFailWith('forbidden')

  // Another's order cannot be given back, nor one's own while another is named.
  const release = async (caller: typeof other, body: object) =>
    expect((await caller.post('/order/claim', { release: true, ...body })).body.data.order).toBeNull()
  await release(other, { order_id: one.id })
  expect(await claims()).toHaveLength(2)
  await release(desk.all, {})
  expect(await claims()).toMatchObject([{ order_id: two.id }])
  await other.post(`/order/${two.id}/confirmation`, { result: 'confirmed' })
  expect(await claims()).toEqual([])
  await other.post('/order/claim', { order_id: one.id })
  await desk.api.db
    .updateTable('orders')
    .set({ claimed_until: new Date(0) })
    .where('id', '=', one.id)
    .execute()
  expect(await claims()).toEqual([])
})

test('32 people who empty the queue at once call each customer once', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const orders: string[] = []
  for (let n = 0; n < 40; n++) orders.push((await desk.order(`201234${10 + n}`)).id)
  const person = async () => {
    const app = await desk.api.install(['order:view', 'order:update'])
    const authorization = `Bearer ${await desk.api.getToken(app, { install_id: app.install_id })}`
    return desk.api.anonymous.with({ authorization })
  }
  const people = await Promise.all(Array.from({ length: AT_ONCE }, person))
  const called: string[] = []
  const work = async ({ post }: (typeof people)[number]) => {
    for (;;) {
      const { order } = (await post('/order/claim', {})).body.data
      if (order === null) return
      called.push(order.id)
      expect((await post(`/order/${order.id}/confirmation`, { result: 'confirmed' })).status).toBe(200)
    }
  }
  await Promise.all(people.map(work))
  expect(called.toSorted()).toEqual(orders.toSorted())
  for (const id of orders) expect((await desk.look(id)).confirmation).toMatchObject({ state: 'confirmed', attempts: 1 })
  await expectTextsToFitRows(desk.api.db)
})

test('32 people merge, cancel and change the same orders: each pair once, and the stock stays exact', async () => {
  const desk = await startDesk()
  const start = await desk.stock(desk.mug)
  const pairs: [string, string][] = []
  for (let n = 0; n < 8; n++) pairs.push([(await desk.order(`2012341${n}`)).id, (await desk.order(`2012341${n}`)).id])
  const replies = await Promise.all(
    pairs.flatMap(([older, newer]) => [
      desk.all.post(`/order/${older}/merge`, { order_id: newer }),
      desk.all.post(`/order/${older}/merge`, { order_id: newer }),
      desk.all.post(`/order/${newer}/merge`, { order_id: older }),
      desk.all.post(`/order/${older}/note`, { text: 'Busy' }),
    ]),
  )
  expect(replies).toHaveLength(AT_ONCE)
  const merges = replies.filter((_reply, place) => place % 4 !== 3)
  expect(merges.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), ...Array(16).fill(422)])
  expect(await desk.stock(desk.mug)).toBe(start - 16)
  const open = await desk.ids('is_cancelled=false')
  expect(open).toHaveLength(8)
  for (const id of open) expect(await desk.look(id)).toMatchObject({ quantity: 2, total: 25 })
  await Promise.all(open.map((id: string) => desk.all.put(`/order/${id}`, { is_cancelled: true })))
  expect(await desk.stock(desk.mug)).toBe(start)
  await expectTextsToFitRows(desk.api.db)
})

test('orders that were written without a phone number are read at the next start', async () => {
  const desk = await startDesk()
  const orders = [await desk.order('20123456'), await desk.order('20123456'), await desk.order('nonsense')]
  await desk.api.db.updateTable('orders').set({ phone_e164: '?' }).where('store_id', '=', desk.api.store.id).execute()
  expect((await desk.all.get('/phone/20123456')).body.data.phone.orders).toBe(0)
  expect((await desk.look(orders[0].id)).signals).toMatchObject({ phone: null, phone_orders: 0 })
  const said: string[] = []
  await readPhones(desk.api.db, (line) => said.push(line))
  expect(said).toHaveLength(1)
  expect((await desk.all.get('/phone/20123456')).body.data.phone).toMatchObject({ orders: 2, open: 2 })
  expect((await desk.look(orders[2].id)).signals.phone).toBeNull()
})

test('erasing a customer takes the phone number out of the counts', async () => {
  const desk = await startDesk()
  const order = await desk.order('20123456', { customer_email: 'amel@shop.example' })
  await desk.all.post(`/order/${order.id}/note`, { text: 'Amel, second floor' })
  await desk.all.delete(`/customer/${order.customer_id}?erase=true`)
  const { rows } = {
    rows: await desk.api.db.selectFrom('phone_count').selectAll().where('store_id', '=', desk.api.store.id).execute(),
  }
  expect(rows).toEqual([])
  expect(JSON.stringify(await desk.look(order.id))).not.toContain('second floor')
})

test('signals equal a recount after any history', async () => {
  const desk = await startDesk()
  const { all } = desk
  await all.put(`/product/${desk.mug.id}`, { default: { quantity: 100_000 } })
  const step = fc.record({
    kind: fc.constantFrom(
      'place',
      'place',
      'phone',
      'deliver',
      'deliver',
      'return',
      'cancel',
      'archive',
      'status',
      'delete',
      'merge',
      'erase',
      'lines',
    ),
    which: fc.nat(1000),
    other: fc.nat(1000),
    phone: fc.constantFrom(...PHONES),
    hours: fc.nat(100),
    flag: fc.boolean(),
    status: fc.constantFrom('unfulfilled', 'shipped', 'delivered', 'cancelled'),
    quantity: fc.constantFrom(1, 11),
    address: fc.constantFrom('12 rue de Marseille', 'Tunis'),
    product: fc.constantFrom('mug', 'hat', 'book'),
  })
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
  const variantOf = ({ product }: Step) =>
    (({ mug: desk.mug, hat: desk.hat, book: desk.book }) as never)[product] as { variant: string }
  const read = async () => (await all.get('/order?page_size=200')).body.data.orders as ShownOrder[]
  const apply = async (given: Step) => {
    const { kind, which, other, phone, hours, flag, status, quantity, address } = given
    const lines = {
      variants: [{ variant_id: variantOf(given).variant, quantity: given.product === 'hat' ? 1 : quantity }],
    }
    if (kind === 'place')
      return all.post('/order', {
        ...lines,
        customer_phone: phone,
        customer_address: address,
        ...(flag && { customer_email: `buyer${other % 3}@shop.example` }),
        created_at: new Date(Date.UTC(2026, 2, 1, hours)).toISOString(),
      })
    const orders = await read()
    const [order, second] = [orders[which % orders.length], orders[other % orders.length]]
    if (!order || !second) return undefined
    const path = `/order/${order.id}`
    const parcel = flag ? order.deliveries[0]?.id : order.returns[0]?.delivery?.id
    if (kind === 'phone') return all.put(path, { customer_phone: phone, customer_address: address })
    if (kind === 'deliver') return parcel && all.put(`/order/delivery/${parcel}`, { status })
    if (kind === 'cancel') return all.put(path, { is_cancelled: flag })
    if (kind === 'archive') return all.put(path, { is_archived: flag })
    if (kind === 'status') return all.put(path, { status: flag ? 'abandoned' : 'pending' })
    if (kind === 'delete') return all.delete(path)
    if (kind === 'merge') return all.post(`${path}/merge`, { order_id: second.id })
    if (kind === 'erase') return order.customer_id && all.delete(`/customer/${order.customer_id}?erase=${flag}`)
    if (kind === 'lines') return all.put(`${path}/variants`, lines)
    const [line] = (await desk.look(order.id)).variants
    return line && all.post(`${path}/return`, { variants: [{ order_variant_id: line.id, quantity: 1, restock: flag }] })
  }
  const check = async () => {
    const orders = await read()
    for (const order of orders) expect(shownSignals(order)).toEqual(recountSignals(order, orders))
    for (const level of ['good', 'unknown', 'careful', 'bad'])
      expect(await desk.ids(`level=${level}`)).toEqual(
        orders
          .filter((order) => recountSignals(order, orders).level === level)
          .map(({ id }) => id)
          .sort(),
      )
    expect(await desk.ids('duplicate=true')).toEqual(
      orders
        .filter((order) => recountSignals(order, orders).reasons.includes('duplicate'))
        .map(({ id }) => id)
        .sort(),
    )
  }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 30 }), async (steps) => {
      for (const given of steps) {
        const reply = await apply(given)
        if (reply) expect(reply.status, reply.text).toBeLessThan(500)
      }
      await check()
      for (const { id } of await read()) await all.delete(`/order/${id}`)
      expect(
        await desk.api.db.selectFrom('phone_count').selectAll().where('store_id', '=', desk.api.store.id).execute(),
      ).toEqual([])
    }),
    { numRuns: randomRuns(6), endOnFailure: true },
  )
}, 600_000)
