import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import type { Reply } from '../../../tests/support/caller.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { addCleanup } from '../../../tests/support/cleanup.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { followCountries } from './follow-country.ts'

const startDesk = async () => {
  const shop = await startShopWithOrders()
  const order = async (more: object = {}) => {
    const variants = [{ variant_id: shop.mug.variant, quantity: 1 }]
    const input = { customer_phone: '20123456', customer_address: '12 rue de Marseille', variants, ...more }
    const reply = await shop.all.post('/order', input)
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order
  }
  const stock = async () => (await shop.all.get(`/product/${shop.mug.id}`)).body.data.product.default.quantity
  const signals = async (id: string) => (await shop.look(id)).signals
  return { ...shop, order, stock, signals }
}
type Desk = Awaited<ReturnType<typeof startDesk>>
type Made = Awaited<ReturnType<Desk['order']>>

/** Every write of the desk to an order, and what it changes about one that has another of the same number beside it. */
const WRITES: Record<
  string,
  { method: 'post' | 'put'; path: string; body: (desk: Desk, order: Made, other: Made) => object; effect: object }
> = {
  confirmation: {
    method: 'post',
    path: 'confirmation',
    body: () => ({ result: 'refused', cancel: true, note: 'Too dear' }),
    effect: { is_cancelled: true, confirmation: { state: 'refused', attempts: 1, note: 'Too dear' } },
  },
  note: {
    method: 'post',
    path: 'note',
    body: () => ({ text: 'Rings twice' }),
    effect: { history: [{ subject: 'status' }, { subject: 'note', note: 'Rings twice' }] },
  },
  merge: {
    method: 'post',
    path: 'merge',
    body: (_desk, _order, other) => ({ order_id: other.id }),
    effect: { quantity: 2, total: 25, history: [{ subject: 'status' }, { subject: 'variants', to: 'merged' }] },
  },
  variants: {
    method: 'put',
    path: 'variants',
    body: (desk) => ({ variants: [{ variant_id: desk.mug.variant, quantity: 5 }] }),
    effect: { quantity: 5, total: 62.5, history: [{ subject: 'status' }, { subject: 'variants' }] },
  },
}

test.for(Object.entries(WRITES))(
  '%s: a dry run changes nothing, If-Match protects others, and a retry does nothing twice',
  async ([, { method, path, body, effect }]) => {
    const desk = await startDesk()
    const [order, other] = [await desk.order(), await desk.order()]
    const given = body(desk, order, other)
    const send = (headers: Record<string, string>) => desk.all[method](`/order/${order.id}/${path}`, given, headers)
    const both = async () => [await desk.look(order.id), await desk.look(other.id), await desk.stock()]
    const before = await both()

    const rehearsed = await send({ prefer: 'dry-run', 'idempotency-key': 'rehearsed' })
    expect(rehearsed.headers.get('preference-applied')).toBe('dry-run')
    expect(rehearsed.body.data.order).toMatchObject(effect)
    expect(await both()).toEqual(before)

    const old = (await desk.all.get(`/order/${order.id}`)).headers.get('etag') as string
    await desk.all.put(`/order/${order.id}`, { customer_city: 'Sfax' })
    const moved = await both()
    expect(await send({ 'if-match': old })).toFailWith('version_mismatch')
    expect(await both()).toEqual(moved)

    const current = (await desk.all.get(`/order/${order.id}`)).headers.get('etag') as string
    const headers = { 'if-match': current, 'idempotency-key': randomUUID() }
    const replies = await Promise.all([1, 2, 3].map(() => send(headers)))
    const answered = replies.filter(({ status }) => status !== 409) as [Reply, ...Reply[]]
    const [first] = answered
    expect(first.body.data.order).toMatchObject(effect)
    for (const reply of answered) expect(reply.text).toBe(first.text)
    const after = await both()
    expect(after[0]).toMatchObject(effect)
    expect((await send(headers)).text).toBe(first.text)
    expect((await desk.all.get(`/order/${order.id}`)).headers.get('etag')).toBe(first.headers.get('etag'))
    expect(await both()).toEqual(after)
    await expectTextsToFitRows(desk.api.db)
  },
)

test('claiming is tried and repeated like every write', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const [order, other] = [await desk.order(), await desk.order()]
  const claims = async () => (await desk.all.get('/order/claim')).body.data.claims
  expect((await desk.all.post('/order/claim', {}, { prefer: 'dry-run' })).body.data.order.id).toBe(order.id)
  expect(await claims()).toEqual([])
  const key = { 'idempotency-key': randomUUID() }
  const first = await desk.all.post('/order/claim', {}, key)
  expect(first.body.data.order.id).toBe(order.id)
  await desk.all.post('/order/claim', { order_id: other.id })
  expect((await desk.all.post('/order/claim', {}, key)).text).toBe(first.text)
  expect(await claims()).toMatchObject([{ order_id: other.id }])
})

test('a merge sees what others have changed meanwhile, and they see the merge', async () => {
  const desk = await startDesk()
  const start = await desk.stock()
  const quantities = [1, 2, 3, 4, 5, 6]
  for (const quantity of quantities) {
    const [older, newer] = [await desk.order(), await desk.order()]
    const lines = { variants: [{ variant_id: desk.mug.variant, quantity }] }
    const replies = await Promise.all([
      desk.all.put(`/order/${newer.id}/variants`, lines),
      desk.all.post(`/order/${older.id}/merge`, { order_id: newer.id }),
      desk.all.put(`/order/${older.id}`, { customer_address: '1 rue de Sfax' }),
      desk.all.post(`/order/${newer.id}/confirmation`, { result: 'no_answer' }),
    ])
    const [changed, merged, addressed, called] = replies.map(({ status }) => status)
    expect([merged, addressed], replies.map(({ text }) => text).join()).toEqual([200, 200])
    // Whoever comes after the merge is told that the order is cancelled.
    for (const status of [changed, called]) expect([200, 422]).toContain(status)
    const kept = await desk.look(older.id)
    expect(kept).toMatchObject({ customer_address: '1 rue de Sfax', is_cancelled: false })
    expect(kept.quantity).toBe(changed === 200 ? 1 + quantity : 2)
    expect(await desk.look(newer.id)).toMatchObject({ is_cancelled: true })
    expect(await desk.stock()).toBe(start - kept.quantity)
    await desk.all.delete(`/order/${older.id}`)
    await desk.all.delete(`/order/${newer.id}`)
    expect(await desk.stock()).toBe(start)
  }
  await expectTextsToFitRows(desk.api.db)
})

test('a note has at most 5 kB in any script, and its text is in no event and no snapshot', async () => {
  const desk = await startDesk()
  const { id } = await desk.order({ meta_data: { note: 'of the shop', history: [{ note: 'of the shop' }] } })
  const text = 'Rings "twice": \\ "note":"x" ,"history":[ \u202E'
  expect((await desk.all.post(`/order/${id}/note`, { text })).status).toBe(201)
  expect((await desk.all.post(`/order/${id}/note`, { text: 'ش'.repeat(2_500) })).status).toBe(201)
  expect(await desk.all.post(`/order/${id}/note`, { text: 'ش'.repeat(2_501) })).toBeRefused(422, 'text')
  const call = (note: string) => desk.all.post(`/order/${id}/confirmation`, { result: 'no_answer', note })
  expect(await call('ش'.repeat(2_501))).toBeRefused(422, 'note')
  expect((await call('ش'.repeat(2_500))).status).toBe(200)
  await desk.all.post(`/order/${id}/confirmation`, { result: 'confirmed' })

  const shown = await desk.look(id)
  const withoutNotes = shown.history.map((entry: object) => ({ ...entry, note: null }))
  expect(shown.history.map(({ note }: { note: string }) => note)).toContain(text)
  for (const query of ['', '?types=order.*', '?types=order.confirmed', '?types=order.*,product.*']) {
    const { events } = (await desk.all.get(`/event${query}`)).body.data
    const about = events.filter(({ resource }: { resource: { id: string } }) => resource.id === id)
    expect(about.length, query).toBeGreaterThan(0)
    for (const { data } of about) expect(data).toEqual({ ...shown, history: withoutNotes })
    const one = (await desk.all.get(`/event/${about[0].id}`)).body.data.event
    expect(one.data.history).toEqual(withoutNotes)
  }
  const lines = (await desk.all.get('/snapshot?types=order')).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines[0].data).toEqual({ ...shown, history: withoutNotes })
})

test('a phone number is found in whatever way it is written', async () => {
  const desk = await startDesk()
  const { id } = await desk.order({ customer_phone: '(+216) 20-123.456' })
  await desk.order({ customer_phone: '98 765 432' })
  const ways = [
    '20123456',
    '20 123 456',
    '+216 20 123 456',
    '0021620123456',
    '(216) 20-123-456',
    '٢٠١٢٣٤٥٦',
    '20/123/456',
  ]
  for (const way of ways) {
    const { phone } = (await desk.all.get(`/phone/${encodeURIComponent(way)}`)).body.data
    expect(phone, way).toMatchObject({ phone: '+21620123456', orders: 1, open: 1 })
    const listed = (await desk.all.get(`/order?phone=${encodeURIComponent(way)}`)).body.data.orders
    expect(
      listed.map((order: { id: string }) => order.id),
      way,
    ).toEqual([id])
    const csv = (await desk.all.get(`/order/export?phone=${encodeURIComponent(way)}`)).text
    expect(csv.trimEnd().split('\r\n'), way).toHaveLength(2)
  }
  for (const way of ['12', 'nobody', '+216', '999999999999999999'])
    expect(await desk.all.get(`/phone/${encodeURIComponent(way)}`), way).toFailWith('not_found')
  expect(await desk.api.as('order:update').get('/phone/20123456')).toFailWith('forbidden')
})

test('the export is filtered by what the desk knows, as the list is', async () => {
  const desk = await startDesk()
  await desk.all.put('/setting', { order_desk: { confirm: true } })
  const [first, second] = [await desk.order(), await desk.order()]
  const bad = await desk.order({ customer_phone: 'no number' })
  await desk.all.post(`/order/${second.id}/confirmation`, { result: 'confirmed' })
  const exported = async (query: string) => {
    const [heading, ...lines] = (await desk.all.get(`/order/export?${query}`)).text.trimEnd().split('\r\n')
    const columns = (heading as string).split(',')
    return lines.map((line) => Object.fromEntries(line.split(',').map((cell, n) => [columns[n], cell])))
  }
  const refs = async (query: string) => (await exported(query)).map(({ ref }) => ref).toSorted()
  expect(await refs('level=bad')).toEqual([bad.ref])
  expect(await refs('level=careful,bad')).toEqual([first.ref, second.ref, bad.ref].toSorted())
  expect(await refs('duplicate=true')).toEqual([first.ref, second.ref].toSorted())
  expect(await refs('duplicate=false')).toEqual([bad.ref])
  expect(await refs('confirmation=waiting')).toEqual([first.ref, bad.ref].toSorted())
  expect(await exported('confirmation=confirmed')).toMatchObject([
    {
      ...{ ref: second.ref, phone: "'+21620123456", level: 'careful', reasons: 'duplicate' },
      ...{ confirmation: 'confirmed', confirmation_attempts: '1' },
    },
  ])
  for (const query of ['level=worst', 'duplicate=maybe', 'confirmation=called'])
    for (const path of ['/order', '/order/export'])
      expect((await desk.all.get(`${path}?${query}`)).status, `${path}?${query}`).toBe(422)
})

test('once a store names its country, the numbers of its earlier orders are read by it', async () => {
  const desk = await startDesk()
  const known = await desk.order({ customer_phone: '06 12 34 56 78', country_id: 'FR' })
  const own = await desk.order({ customer_phone: '06 12 34 56 78' })
  const foreign = await desk.order({ customer_phone: '+216 20 123 456' })
  const local = await desk.order({ customer_phone: '20 123 456' })
  expect((await desk.signals(own.id)).phone).toBeNull()
  expect(await desk.signals(local.id)).toMatchObject({ phone: '+21620123456', phone_orders: 2 })
  const list = async () => (await desk.all.get('/order?order_by=date&order_direction=ASC')).body.data.orders
  await list()

  await desk.all.put('/setting', { country_id: 'FR' })
  await followCountries(desk.api.db)
  const phones = async () => (await list()).map(({ signals }: Made) => [signals.phone, signals.phone_orders])
  expect(await phones()).toEqual([
    ['+33612345678', 2],
    ['+33612345678', 2],
    ['+21620123456', 1],
    [null, 0],
  ])
  expect(await desk.signals(local.id)).toMatchObject({ level: 'bad', reasons: [{ code: 'invalid_phone' }] })
  expect((await desk.all.get(`/phone/${encodeURIComponent('+33612345678')}`)).body.data.phone.orders).toBe(2)
  expect((await desk.signals(known.id)).first_order).toBe(true)

  await desk.all.put('/setting', { country_id: 'TN' })
  await followCountries(desk.api.db)
  expect((await phones()).map(([phone]: [string | null]) => phone)).toEqual([
    '+33612345678',
    null,
    '+21620123456',
    '+21620123456',
  ])
  expect((await desk.signals(foreign.id)).phone_orders).toBe(2)
  await expectTextsToFitRows(desk.api.db)
})

test.skipIf(isOnCitus)(
  'whoever moves an order to another number waits for the lower number first, in either direction',
  async () => {
    const desk = await startDesk()
    const [low, high] = ['+21620123456', '+21698765432']
    await desk.order({ customer_phone: high })
    await desk.order({ customer_phone: low })
    const { id } = await desk.order({ customer_phone: low })
    const client = new pg.Client(desk.api.connection)
    await client.connect()
    addCleanup(() => client.end())
    const lock = (phone: string) =>
      client.query('select 1 from phone_count where store_id = $1 and phone = $2 for update nowait', [
        desk.api.store.id,
        phone,
      ])
    const { pid } = (await client.query('select pg_backend_pid() as pid')).rows[0]
    // In another transaction: within one, the activity of others is read once.
    const waiting = async () => {
      const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
        where ${pid}::int = any(pg_blocking_pids(pid))`.execute(desk.api.db)
      return rows.length
    }
    for (const phone of [high, low]) {
      await client.query('begin')
      await lock(low)
      const moved = desk.all.put(`/order/${id}`, { customer_phone: phone })
      await expect.poll(waiting).toBe(1)
      await lock(high)
      await client.query('commit')
      expect((await moved).body.data.order.signals).toMatchObject({ phone, phone_orders: 2 })
    }
  },
)
