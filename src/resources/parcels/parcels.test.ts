import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { mayStoreReply } from '../../core/http/stored-reply-quota.ts'
import { createCarrier } from '../carriers/create-carrier.ts'
import { PARCEL_STATES } from './states.ts'

const startParcels = async () => {
  const shop = await startShopWithOrders()
  const { all, mug, carrier } = shop
  const order = async (more: object = {}) => {
    const variants = [{ variant_id: mug.variant, quantity: 2 }]
    const reply = await all.post('/order', { customer_phone: '20123456', shipping_rate: 7, variants, ...more })
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.order
  }
  const put = async (delivery: string, change: object) => {
    const reply = await all.put(`/order/delivery/${delivery}`, change)
    expect(reply.status, reply.text).toBe(200)
  }
  /** An order whose parcel the carrier has. */
  const send = async (tracking_number: string, more: object = {}, shipping_carrier = carrier.id) => {
    const placed = await order(more)
    const parcel = placed.deliveries[0].id as string
    await put(parcel, { status: 'shipped', tracking_number, shipping_carrier })
    return { id: placed.id as string, parcel, line: placed.variants[0].id as string }
  }
  const stock = async () => (await all.get(`/product/${mug.id}`)).body.data.product.default.quantity
  const results = async (given: object) => {
    const reply = await all.post('/parcel/result', given)
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data.results
  }
  const list = async (query: string) => {
    const { body, text } = await all.get(`/parcel?${query}`)
    expect(body.data, text).toBeDefined()
    expect(body.data.pagination.total).toBe(body.data.parcels.length)
    return body.data.parcels
  }
  const ids = async (query: string) => (await list(query)).map(({ id }: { id: string }) => id).sort()
  const summary = async (query = '') => (await all.get(`/parcel/summary?${query}`)).body.data.carriers
  return { ...shop, order, put, send, stock, results, list, ids, summary }
}

test('the results of a carrier change its parcels line by line, and once', async () => {
  const shop = await startParcels()
  const [one, two, three] = [await shop.send('A-1'), await shop.send('a-2'), await shop.send('A-3')]
  const units = await shop.stock()
  const lines = [
    { tracking_number: 'a-1', result: 'delivered' },
    { tracking_number: 'A-2', result: 'returned' },
    { tracking_number: 'A-9', result: 'delivered' },
    { tracking_number: 'A-3', result: 'returning' },
    { tracking_number: 'A-1', result: 'returned' },
  ]
  const body = { results: lines, restock: true }
  const tried = await shop.all.post('/parcel/result', body, { prefer: 'dry-run' })
  expect(tried.body.data.results.map(({ state }: { state: string }) => state)).toEqual([
    'delivered',
    'returned',
    null,
    'returning',
    'delivered',
  ])
  expect(await shop.ids('state=shipped')).toEqual([one.parcel, two.parcel, three.parcel].sort())
  expect(await shop.stock()).toBe(units)

  const key = { 'idempotency-key': randomUUID() }
  const first = await shop.all.post('/parcel/result', body, key)
  expect(first.body.data.results).toMatchObject([
    { parcel_id: one.parcel, order_id: one.id, previous_state: 'shipped', state: 'delivered', errors: {} },
    { parcel_id: two.parcel, previous_state: 'shipped', state: 'returned', errors: {} },
    { parcel_id: null, order_id: null, state: null, errors: { tracking_number: ['belongs to no parcel'] } },
    { parcel_id: three.parcel, state: 'returning', errors: {} },
    { parcel_id: one.parcel, errors: { tracking_number: ['is in another line with another result'] } },
  ])
  // The answer was lost: the same request again, and the same lines with another key.
  expect((await shop.all.post('/parcel/result', body, key)).body).toEqual(first.body)
  await shop.results({ results: lines.slice(0, 4), restock: true })
  expect(await shop.stock()).toBe(units + 4)
  expect((await shop.look(two.id)).returns).toMatchObject([{ delivery: { status: 'delivered' } }])
  expect((await shop.look(three.id)).returns).toMatchObject([{ delivery: { status: 'shipped' } }])
  expect((await shop.look(one.id)).returns).toEqual([])

  // What is late changes nothing; what contradicts is refused.
  const [late, contrary, received] = await shop.results({
    results: [
      { tracking_number: 'A-1', result: 'shipped' },
      { tracking_number: 'A-2', result: 'delivered' },
      { tracking_number: 'A-3', result: 'returned' },
    ],
  })
  expect(late).toMatchObject({ state: 'delivered', errors: {} })
  expect(contrary).toMatchObject({ state: 'returned', errors: { result: [expect.stringContaining('sent back')] } })
  expect(received).toMatchObject({ previous_state: 'returning', state: 'returned', errors: {} })
  expect(await shop.stock()).toBe(units + 4)
  expect(await shop.ids('state=returned,returning')).toEqual([two.parcel, three.parcel].sort())
  await expectTextsToFitRows(shop.api.db)
})

test('a retry whose first reply was not stored still tells which results were refused', async () => {
  const shop = await startParcels()
  const one = await shop.send('R-1')
  await shop.results({ results: [{ tracking_number: 'R-1', result: 'returned' }] })
  const { install_id, ...app } = await shop.api.install(['order:update'])
  const token = await shop.api.getToken(app, { install_id })
  for (const size of [256 * 1024, 1]) while (mayStoreReply(install_id, 'x'.repeat(size)));
  const results = [
    { tracking_number: 'R-1', result: 'delivered' },
    { tracking_number: 'R-2', result: 'delivered' },
  ]
  const post = () =>
    shop.api.anonymous
      .with({ authorization: `Bearer ${token}` })
      .post('/parcel/result', { results }, { 'idempotency-key': 'once' })
  const first = (await post()).body.data.results
  expect(first).toMatchObject([
    { parcel_id: one.parcel, errors: { result: [expect.stringContaining('sent back')] } },
    { parcel_id: null, errors: { tracking_number: ['belongs to no parcel'] } },
  ])
  const late = await shop.send('R-2')
  const again = await post()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body.data.results.map(({ errors }: { errors: object }) => errors)).toEqual(
    first.map(({ errors }: { errors: object }) => errors),
  )
  expect(await shop.ids('state=shipped')).toEqual([late.parcel])
})

test('a tracking number that two carriers have needs the carrier, and a cancelled delivery takes no result', async () => {
  const shop = await startParcels()
  const other = await createCarrier(shop.api.db, shop.api.store.id, { name: 'Colis', code: randomUUID() })
  const [one, two] = [await shop.send('B-1'), await shop.send('B-1', {}, other.id)]
  const lines = { results: [{ tracking_number: 'B-1', result: 'delivered' }] }
  expect((await shop.results(lines))[0].errors.tracking_number[0]).toContain('several parcels')
  expect(await shop.ids('state=delivered')).toEqual([])
  expect((await shop.results({ ...lines, carrier_id: other.id }))[0]).toMatchObject({ parcel_id: two.parcel })
  expect(await shop.ids('state=delivered')).toEqual([two.parcel])
  expect(await shop.ids(`carrier_id=${shop.carrier.id}&tracking_number=b-1`)).toEqual([one.parcel])
  await shop.put(one.parcel, { status: 'cancelled' })
  expect((await shop.results({ ...lines, carrier_id: shop.carrier.id }))[0]).toMatchObject({
    state: 'cancelled',
    errors: { tracking_number: ['belongs to a cancelled delivery'] },
  })

  const post = (body: object) => shop.all.post('/parcel/result', body)
  expect(await post({ results: [] })).toBeRefused(422, 'results')
  expect(await post({ results: Array(201).fill(lines.results[0]) })).toBeRefused(422, 'results')
  expect(await post({ results: [{ tracking_number: '', result: 'lost' }] })).toBeRefused(
    422,
    'results.0.tracking_number',
    'results.0.result',
  )
  expect(await shop.api.as('order:view').post('/parcel/result', lines)).toFailWith('forbidden')
  expect(await shop.api.as('product:view').get('/parcel')).toFailWith('forbidden')
})

test('a carrier owes what it has collected until it pays, and the orders are paid then', async () => {
  const shop = await startParcels()
  const [one, two] = [await shop.send('C-1'), await shop.send('C-2')]
  const prepaid = await shop.send('C-3', { status: 'paid' })
  const refused = await shop.send('C-4')
  const results = ['C-1', 'C-2', 'C-3'].map((tracking_number) => ({ tracking_number, result: 'delivered' }))
  await shop.results({ results: [...results, { tracking_number: 'C-4', result: 'returned' }] })
  // Two mugs and the shipping. Nothing for what was paid before or came back.
  expect(await shop.ids('cash=owed')).toEqual([one.parcel, two.parcel].sort())
  expect(await shop.summary()).toMatchObject([
    {
      shipping_carrier: { id: shop.carrier.id },
      parcels: { shipped: 0, delivered: 3, returned: 1 },
      cash: [{ owed: 64, owed_parcels: 2, received: 0, received_parcels: 0 }],
    },
  ])

  const cash = (parcel_ids: string[], more: object = {}) => shop.all.post('/parcel/cash', { parcel_ids, ...more })
  expect(await cash([one.parcel, prepaid.parcel, one.parcel, refused.parcel])).toBeRefused(
    422,
    'parcel_ids.1',
    'parcel_ids.2',
    'parcel_ids.3',
  )
  expect(await cash([randomUUID()])).toBeRefused(422, 'parcel_ids.0')
  const received = await cash([one.parcel], { reference: 'T-7' })
  expect(received.body.data.parcels).toMatchObject([
    { id: one.parcel, cash_owed: 0, cash_received: 32, cash_reference: 'T-7' },
  ])
  expect(await shop.look(one.id)).toMatchObject({ status: 'paid', paid_at: expect.any(String) })
  expect(await shop.look(two.id)).toMatchObject({ status: 'pending' })
  expect(await cash([one.parcel])).toBeRefused(422, 'parcel_ids.0')
  expect((await shop.summary())[0].cash).toMatchObject([{ owed: 32, received: 32, received_parcels: 1 }])
  expect(await shop.summary('to=2020-01-01')).toMatchObject([{ cash: [{ owed: 32, received: 0 }] }])

  // Two people at once: one of them receives it.
  const both = await Promise.all([cash([two.parcel]), cash([two.parcel])])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 422])
  expect(await shop.ids('cash=owed')).toEqual([])
  expect(await shop.ids('cash=received')).toEqual([one.parcel, two.parcel].sort())

  const reverse = (parcel_ids: string[]) => cash(parcel_ids, { received: false })
  expect(await reverse([prepaid.parcel])).toBeRefused(422, 'parcel_ids.0')
  expect((await reverse([one.parcel])).body.data.parcels).toMatchObject([{ cash_owed: 32, cash_received: null }])
  expect(await shop.look(one.id)).toMatchObject({ status: 'pending' })
  await expectTextsToFitRows(shop.api.db)
})

test('an order of two parcels is paid when the cash of both is there', async () => {
  const shop = await startParcels()
  const placed = await shop.order()
  const line = { order_variant_id: placed.variants[0].id, quantity: 1 }
  const { id: second } = (await shop.all.post(`/order/${placed.id}/delivery`, { variants: [line] })).body.data.delivery
  const first = placed.deliveries[0].id
  for (const [id, number] of [
    [first, 'D-1'],
    [second, 'D-2'],
  ] as const)
    await shop.put(id, { status: 'shipped', tracking_number: number, shipping_carrier: shop.carrier.id })
  // The shipping is paid with the parcel that arrives first.
  await shop.results({ results: [{ tracking_number: 'D-2', result: 'delivered' }] })
  expect(await shop.list('cash=owed')).toMatchObject([{ id: second, cash_owed: 19.5 }])
  await shop.all.post('/parcel/cash', { parcel_ids: [second] })
  expect(await shop.look(placed.id)).toMatchObject({ status: 'pending' })
  await shop.results({ results: [{ tracking_number: 'D-1', result: 'delivered' }] })
  expect(await shop.list('cash=owed')).toMatchObject([{ id: first, cash_owed: 12.5 }])
  await shop.all.post('/parcel/cash', { parcel_ids: [first] })
  expect(await shop.look(placed.id)).toMatchObject({ status: 'paid' })
})

/** Divides the only line of an order between two parcels, which the carrier has. */
const sendInTwo = async (shop: Awaited<ReturnType<typeof startParcels>>, numbers: readonly [string, string]) => {
  const placed = await shop.order()
  const line = { order_variant_id: placed.variants[0].id, quantity: 1 }
  const { id: second } = (await shop.all.post(`/order/${placed.id}/delivery`, { variants: [line] })).body.data.delivery
  const parcels = [placed.deliveries[0].id as string, second as string] as const
  for (const [place, tracking_number] of numbers.entries())
    await shop.put(parcels[place] as string, { status: 'shipped', tracking_number, shipping_carrier: shop.carrier.id })
  return { id: placed.id as string, parcels }
}

const statesOf = async (shop: Awaited<ReturnType<typeof startParcels>>) =>
  Object.fromEntries(
    (await shop.list('')).map(({ tracking_number, state }: Record<string, string>) => [tracking_number, state]),
  )

test('the cash of a later parcel that is received first takes nothing off what the earlier one costs', async () => {
  const shop = await startParcels()
  const { id, parcels } = await sendInTwo(shop, ['H-1', 'H-2'])
  await shop.results({ results: ['H-1', 'H-2'].map((tracking_number) => ({ tracking_number, result: 'delivered' })) })
  const cash = async (parcel: string) =>
    (await shop.all.post('/parcel/cash', { parcel_ids: [parcel] })).body.data.parcels[0].cash_received
  const received = [await cash(parcels[1]), await cash(parcels[0])]
  expect(received).toEqual([12.5, 19.5])
  expect(await shop.look(id)).toMatchObject({ status: 'paid', total: 32 })
})

test('a discount that is larger than the items of the first parcel lowers what the next ones cost', async () => {
  const shop = await startParcels()
  const variants = [
    { variant_id: shop.mug.variant, quantity: 1 },
    { variant_id: shop.hat.variant, quantity: 1 },
    { variant_id: shop.mug.variant, quantity: 1, price: 3 },
  ]
  const placed = await shop.order({ variants, shipping_rate: 0, discount: 20.5 })
  expect(placed.total).toBe(25)
  const parcels: string[] = [placed.deliveries[0].id]
  for (const { id } of placed.variants.slice(1)) {
    const body = { variants: [{ order_variant_id: id, quantity: 1 }] }
    parcels.push((await shop.all.post(`/order/${placed.id}/delivery`, body)).body.data.delivery.id)
  }
  for (const [place, parcel] of parcels.entries())
    await shop.put(parcel, { status: 'delivered', tracking_number: `I-${place}`, shipping_carrier: shop.carrier.id })
  const owed = async () =>
    Object.fromEntries(
      (await shop.list('')).map(({ id, cash_owed }: { id: string; cash_owed: number }) => [id, cash_owed]),
    )
  const [first, second, third] = parcels as [string, string, string]
  expect(await owed()).toEqual({ [first]: 0, [second]: 22, [third]: 3 })
  expect((await shop.summary())[0].cash).toMatchObject([{ owed: 25, owed_parcels: 3 }])
  await shop.all.post('/parcel/cash', { parcel_ids: [third, first] })
  expect(await owed()).toEqual({ [first]: 0, [second]: 22, [third]: 0 })
})

test('a parcel that comes back says nothing of another one with units of the same line, and comes back once', async () => {
  const shop = await startParcels()
  const { id } = await sendInTwo(shop, ['K-1', 'K-2'])
  const units = await shop.stock()
  const back = { results: [{ tracking_number: 'K-1', result: 'returned' }], restock: true }
  await shop.results(back)
  expect(await statesOf(shop)).toEqual({ 'K-1': 'returned', 'K-2': 'shipped' })
  await shop.results(back)
  expect(await shop.stock()).toBe(units + 1)
  const [arrived] = await shop.results({ results: [{ tracking_number: 'K-2', result: 'delivered' }] })
  expect(arrived).toMatchObject({ previous_state: 'shipped', state: 'delivered', errors: {} })
  const { returns } = await shop.look(id)
  expect(returns.map(({ return_variants }: { return_variants: object[] }) => return_variants)).toMatchObject([
    [{ quantity: 1 }],
  ])
  await shop.results({ ...back, results: [{ tracking_number: 'K-2', result: 'returned' }] })
  expect(await statesOf(shop)).toEqual({ 'K-1': 'returned', 'K-2': 'returned' })
  expect(await shop.stock()).toBe(units + 2)
  await expectTextsToFitRows(shop.api.db)
})

test('a result that is refused is refused in every line that has it', async () => {
  const shop = await startParcels()
  await shop.send('L-1')
  await shop.results({ results: [{ tracking_number: 'L-1', result: 'returned' }] })
  const lines = await shop.results({
    results: ['L-1', 'l-1'].map((tracking_number) => ({ tracking_number, result: 'delivered' })),
  })
  const refused = { state: 'returned', errors: { result: ['must not be delivered: the parcel was sent back'] } }
  expect(lines).toMatchObject([refused, refused])
})

test('an order that was abandoned meanwhile stays so when its cash is taken back', async () => {
  const shop = await startParcels()
  const { id, parcels } = await sendInTwo(shop, ['M-1', 'M-2'])
  await shop.results({ results: [{ tracking_number: 'M-1', result: 'delivered' }] })
  await shop.all.post('/parcel/cash', { parcel_ids: [parcels[0]] })
  await shop.all.put(`/order/${id}`, { status: 'abandoned' })
  const units = await shop.stock()
  const reply = await shop.all.post('/parcel/cash', { parcel_ids: [parcels[0]], received: false })
  expect(reply.body.data.parcels).toMatchObject([{ cash_received: null }])
  expect(await shop.look(id)).toMatchObject({ status: 'abandoned' })
  expect(await shop.stock()).toBe(units)
})

test('the summary equals its parcels one by one: split, sent back, not sent back after all, in two currencies', async () => {
  const shop = await startParcels()
  const other = await createCarrier(shop.api.db, shop.api.store.id, { name: 'Colis', code: randomUUID() })
  for (const number of ['F-1', 'F-2', 'F-3', 'F-4']) await shop.send(number)
  for (const number of ['G-1', 'G-2', 'G-3']) await shop.send(number, { currency: 'EUR' }, other.id)
  const placed = await shop.order()
  const line = { order_variant_id: placed.variants[0].id, quantity: 1 }
  const { id: second } = (await shop.all.post(`/order/${placed.id}/delivery`, { variants: [line] })).body.data.delivery
  const first = placed.deliveries[0].id
  await shop.put(first, { status: 'shipped', tracking_number: 'F-5', shipping_carrier: shop.carrier.id })
  await shop.put(second, { status: 'shipped', tracking_number: 'F-6', shipping_carrier: shop.carrier.id })
  const results = { 'F-1': 'delivered', 'F-2': 'returning', 'F-3': 'returned', 'F-4': 'returning', 'F-5': 'delivered' }
  const more = { 'F-6': 'delivered', 'G-1': 'delivered', 'G-2': 'delivered', 'G-3': 'returning' }
  await shop.results({
    results: Object.entries({ ...results, ...more }).map(([tracking_number, result]) => ({ tracking_number, result })),
  })
  const [fourth] = await shop.list('tracking_number=F-4')
  await shop.put((await shop.look(fourth.order_id)).returns[0].delivery.id, { status: 'cancelled' })
  const [paid] = await shop.list('tracking_number=G-1')
  await shop.all.post('/parcel/cash', { parcel_ids: [first, paid.id] })

  const carriers = await shop.summary()
  const of = (id: string) =>
    carriers.find((row: { shipping_carrier: { id: string } }) => row.shipping_carrier.id === id)
  expect(of(shop.carrier.id)).toMatchObject({
    parcels: { shipped: 1, delivered: 3, returning: 1, returned: 1 },
    cash: [{ currency: 'TND', owed: 44.5, owed_parcels: 2, received: 19.5, received_parcels: 1 }],
  })
  expect(of(other.id)).toMatchObject({
    parcels: { shipped: 0, delivered: 2, returning: 1, returned: 0 },
    cash: [{ currency: 'EUR', owed: 32, owed_parcels: 1, received: 32, received_parcels: 1 }],
  })
  for (const { shipping_carrier, parcels, cash } of carriers) {
    const listed = (await shop.list(`carrier_id=${shipping_carrier.id}`)) as Record<string, string & number>[]
    for (const state of PARCEL_STATES)
      expect(parcels[state], state).toBe(listed.filter((parcel) => parcel.state === state).length)
    const owing = listed.filter(({ cash_owed = 0 }) => cash_owed > 0)
    expect(cash[0].owed_since).toBe(owing.map(({ updated_at }) => updated_at).sort()[0])
    expect(cash[0].owed).toBe(owing.reduce((sum, { cash_owed = 0 }) => sum + cash_owed, 0))
  }
  const late = await shop.summary('from=2100-01-01')
  expect(late.map(({ parcels }: { parcels: object }) => Object.values(parcels))).toEqual([
    Array(7).fill(0),
    Array(7).fill(0),
  ])
})

test('of 32 people who import the same results, none doubles a return', async () => {
  const shop = await startParcels()
  const parcels = []
  for (let n = 0; n < 6; n++) parcels.push(await shop.send(`E-${n}`))
  const units = await shop.stock()
  const lines = parcels.map((_parcel, n) => ({ tracking_number: `E-${n}`, result: n % 2 ? 'returned' : 'delivered' }))
  const replies = await Promise.all(
    Array.from({ length: 32 }, (_person, n) =>
      shop.all.post('/parcel/result', { results: n % 2 ? lines : lines.toReversed(), restock: true }),
    ),
  )
  expect(replies.map(({ status }) => status)).toEqual(Array(32).fill(200))
  for (const { body } of replies)
    for (const { errors } of body.data.results as { errors: object }[]) expect(errors).toEqual({})
  expect(await shop.stock()).toBe(units + 6)
  for (const [n, { id }] of parcels.entries()) expect((await shop.look(id)).returns).toHaveLength(n % 2)
  await expectTextsToFitRows(shop.api.db)
})
