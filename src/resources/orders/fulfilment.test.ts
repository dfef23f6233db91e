import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { stockOf } from '../../../tests/support/products.ts'
import { type Line, startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'
import { createCarrier } from '../carriers/create-carrier.ts'

const units = (lines: Line[]) => lines.map(({ id, quantity }) => [id, quantity])
const latestOf = (order: { history: object[] }) => order.history.at(-1)

test('a delivery gets a status, a tracking number, a carrier and the carrier’s link', async () => {
  const { all, sell, look, carrier } = await startShopWithOrders()
  const order = await sell()
  const reply = await all.put(`/order/delivery/${order.parcel}`, {
    status: 'shipped',
    tracking_number: 'TN 1/é&x=2',
    shipping_carrier: carrier.id,
  })
  expect(reply.status).toBe(200)
  const { delivery } = reply.body.data
  expect(delivery).toEqual({
    ...order.deliveries[0],
    status: 'shipped',
    tracking_number: 'TN 1/é&x=2',
    tracking_link: 'https://swift.example/t?n=TN%201%2F%C3%A9%26x%3D2&lang=fr',
    shipping_carrier: carrier,
  })
  const after = await look(order.id)
  expect(after.deliveries).toEqual([delivery])
  expect(after.updated_at > order.updated_at).toBe(true)
  expect(latestOf(after)).toMatchObject({
    subject: 'delivery',
    subject_id: order.parcel,
    from: 'unfulfilled',
    to: 'shipped',
    app_name: 'Test app',
  })
})

test('unmentioned fields stay, and setting the current values adds no history', async () => {
  const { all, sell, look, carrier } = await startShopWithOrders()
  const order = await sell()
  const path = `/order/delivery/${order.parcel}`
  const full = { status: 'fulfilled', tracking_number: 'A1', shipping_carrier: carrier.id }
  await all.put(path, full)
  const before = await look(order.id)
  for (const same of [full, {}, { status: 'fulfilled' }, { shipping_carrier: carrier.id.toUpperCase() }, undefined]) {
    const reply = await all.put(path, same)
    expect(reply.status, reply.text).toBe(200)
    expect(reply.body.data.delivery).toEqual(before.deliveries[0])
  }
  expect(await look(order.id)).toEqual(before)
  const delivered = await all.put(path, { status: 'delivered' })
  expect(delivered.body.data.delivery).toEqual({ ...before.deliveries[0], status: 'delivered' })
})

test('a tracking number needs its carrier in the same request', async () => {
  const { all, sell, look, carrier } = await startShopWithOrders()
  const order = await sell()
  const path = `/order/delivery/${order.parcel}`
  expect(await all.put(path, { tracking_number: 'A1' })).toBeRefused(422, 'shipping_carrier')
  expect(await all.put(path, { tracking_number: 'A1', shipping_carrier: null })).toBeRefused(422, 'shipping_carrier')
  expect(await all.put(path, { tracking_number: 'A1', shipping_carrier: '' })).toBeRefused(422, 'shipping_carrier')
  await all.put(path, { shipping_carrier: carrier.id })
  expect(await all.put(path, { tracking_number: 'A1', status: 'shipped' })).toBeRefused(422, 'shipping_carrier')
  expect((await look(order.id)).deliveries[0]).toMatchObject({ status: 'unfulfilled', tracking_number: null })
})

test('a tracking number and then its carrier can be removed again', async () => {
  const { all, sell, carrier } = await startShopWithOrders()
  const path = `/order/delivery/${(await sell()).parcel}`
  await all.put(path, { tracking_number: 'A1', shipping_carrier: carrier.id })
  expect(await all.put(path, { shipping_carrier: null })).toBeRefused(422, 'shipping_carrier')
  const bare = await all.put(path, { tracking_number: '' })
  expect(bare.body.data.delivery).toMatchObject({
    tracking_number: null,
    tracking_link: null,
    shipping_carrier: carrier,
  })
  const none = await all.put(path, { tracking_number: null, shipping_carrier: '' })
  expect(none.body.data.delivery).toMatchObject({ tracking_number: null, shipping_carrier: null })
})

test('an unknown, malformed, inactive or foreign carrier is refused with the same message', async () => {
  const { api, all, sell } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const path = `/order/delivery/${(await sell()).parcel}`
  const inactive = await createCarrier(api.db, api.store.id, { name: 'Gone', code: 'gone', status: 'inactive' })
  const replies = []
  for (const id of [randomUUID(), 'swift', inactive.id, other.carrier.id])
    replies.push(await all.put(path, { shipping_carrier: id, tracking_number: 'A1', status: 'shipped' }))
  for (const reply of replies) {
    expect(reply).toBeRefused(422, 'shipping_carrier')
    expect(reply.text).toBe(replies[0]?.text)
  }
  expect((await all.put(path, {})).body.data.delivery.status).toBe('unfulfilled')
})

test('a carrier without a template gives no link', async () => {
  const { api, all, sell } = await startShopWithOrders()
  const plain = await createCarrier(api.db, api.store.id, { name: 'Plain', code: 'plain' })
  const reply = await all.put(`/order/delivery/${(await sell()).parcel}`, {
    tracking_number: '7',
    shipping_carrier: plain.id,
  })
  expect(reply.body.data.delivery).toMatchObject({ tracking_number: '7', tracking_link: null, shipping_carrier: plain })
})

test.each([{ status: null }, { status: 'lost' }, { tracking_number: 7 }, { shipping_carrier: {} }])(
  'a delivery refuses %j',
  async (body) => {
    const { all, sell } = await startShopWithOrders()
    const path = `/order/delivery/${(await sell()).parcel}`
    expect(await all.put(path, body)).toBeRefused(422, Object.keys(body)[0] as string)
  },
)

test('an unknown or foreign delivery is 404 with the same message, whatever is sent', async () => {
  const { all } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const theirs = await other.sell()
  const replies = []
  for (const id of [randomUUID(), theirs.parcel, 'nonsense'])
    for (const body of [{ status: 'shipped' }, { status: 'lost' }]) {
      const reply = await all.put(`/order/delivery/${id}`, body)
      expect(reply).toFailWith('not_found')
      replies.push(reply.text)
    }
  expect(new Set(replies).size).toBe(1)
  expect((await other.look(theirs.id)).deliveries).toEqual(theirs.deliveries)
})

test('every fulfilment route needs order:update', async () => {
  const { api, sell } = await startShopWithOrders()
  const order = await sell()
  const viewer = await api.as('order:view', 'order:create', 'order:export')
  const replies = [
    await viewer.put(`/order/delivery/${order.parcel}`, {}),
    await viewer.post(`/order/${order.id}/delivery`, {}),
    await viewer.post(`/order/${order.id}/return`, {}),
    await viewer.post(`/order/${order.id}/refund`, {}),
    await viewer.put(`/order/refund/${randomUUID()}`, {}),
  ]
  for (const reply of replies) {
    expect(reply).toFailWith('forbidden')
    expect(reply.body.message).toContain('order:update')
  }
})

test('a split moves units to a new delivery', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const reply = await all.post(`/order/${order.id}/delivery`, {
    variants: [
      { order_variant_id: order.hats, quantity: 2 },
      { order_variant_id: order.mugs, quantity: 2 },
    ],
  })
  expect(reply.status, reply.text).toBe(201)
  const { delivery } = reply.body.data
  expect(delivery).toMatchObject({ status: 'unfulfilled', tracking_number: null, shipping_carrier: null })
  expect(units(delivery.order_variants)).toEqual([
    [order.mugs, 2],
    [order.hats, 2],
  ])
  const after = await look(order.id)
  expect(units(after.deliveries[0].order_variants)).toEqual([[order.hats, 1]])
  expect(after.deliveries[1]).toEqual(delivery)
  expect(after.updated_at > order.updated_at).toBe(true)
  expect(after.variants).toEqual(order.variants)
  expect(latestOf(after)).toMatchObject({ subject: 'delivery', subject_id: delivery.id, from: null, to: 'unfulfilled' })
})

test('a split moves at most the unfulfilled units, empties no delivery, and is limited to its order', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const another = await sell()
  const before = await look(order.id)
  const split = (variants: unknown, more: object = {}) => all.post(`/order/${order.id}/delivery`, { variants, ...more })
  const some = (id: string, quantity: unknown) => ({ order_variant_id: id, quantity })
  expect(await split([some(order.hats, 4)])).toBeRefused(422, 'variants.0.quantity')
  expect(await split([some(order.books, 1)])).toBeRefused(422, 'variants.0.quantity')
  expect(await split([some(order.hats, 0), some('x', 1)])).toBeRefused(
    422,
    'variants.0.quantity',
    'variants.1.order_variant_id',
  )
  expect(await split([some(order.hats, 1.5)])).toBeRefused(422, 'variants.0.quantity')
  expect(await split([some(another.hats, 1), some(order.hats, 9)])).toBeRefused(
    422,
    'variants.0.order_variant_id',
    'variants.1.quantity',
  )
  expect(await split([some(order.hats, 1), some(order.hats, 1)])).toBeRefused(422, 'variants.1.order_variant_id')
  expect(await split([some(order.hats, 3), some(order.mugs, 2)])).toBeRefused(422, 'variants')
  expect(await split([])).toBeRefused(422, 'variants')
  expect(await split(undefined)).toBeRefused(422, 'variants')
  expect(await split([some(order.hats, 1)], { delivery_id: another.parcel })).toBeRefused(422, 'delivery_id')
  expect(await look(order.id)).toEqual(before)
  expect(await all.post(`/order/${randomUUID()}/delivery`, {})).toFailWith('not_found')
})

test('a shipped delivery cannot be split, an unfulfilled one can', async () => {
  const { all, sell } = await startShopWithOrders()
  const order = await sell()
  const split = (quantity: number, more: object = {}) =>
    all.post(`/order/${order.id}/delivery`, { variants: [{ order_variant_id: order.hats, quantity }], ...more })
  const second = (await split(2)).body.data.delivery
  await all.put(`/order/delivery/${order.parcel}`, { status: 'shipped' })
  expect(await split(1, { delivery_id: order.parcel })).toBeRefused(422, 'delivery_id')
  const third = await split(1)
  expect(third.status, third.text).toBe(201)
  const { deliveries } = (await all.get(`/order/${order.id}`)).body.data.order
  expect(deliveries.map((delivery: { order_variants: Line[] }) => units(delivery.order_variants))).toEqual([
    [
      [order.mugs, 2],
      [order.hats, 1],
    ],
    [[order.hats, 1]],
    [[order.hats, 1]],
  ])
  expect(await split(1, { delivery_id: second.id })).toBeRefused(422, 'variants')
})

test('concurrent splits never move a unit twice', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const split = () =>
    all.post(`/order/${order.id}/delivery`, {
      delivery_id: order.parcel,
      variants: [{ order_variant_id: order.hats, quantity: 2 }],
    })
  const replies = await Promise.all(Array.from({ length: 5 }, split))
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422])
  const { deliveries } = await look(order.id)
  expect(deliveries).toHaveLength(2)
})

test('a return has its lines, its reasons and a return delivery', async () => {
  const { api, all, sell, look, mug, hat } = await startShopWithOrders()
  const order = await sell()
  const reply = await all.post(`/order/${order.id}/return`, {
    reason: 'Changed my mind',
    variants: [
      { order_variant_id: order.mugs, quantity: 1, reason: 'Chipped' },
      { order_variant_id: order.hats, quantity: 2, restock: true },
      { order_variant_id: order.books, quantity: 1, restock: true },
    ],
  })
  expect(reply.status, reply.text).toBe(201)
  const made = reply.body.data.return
  expect(made).toMatchObject({ order_id: order.id, reason: 'Changed my mind' })
  expect(made.return_variants).toEqual([
    expect.objectContaining({ order_variant_id: order.mugs, quantity: 1, reason: 'Chipped', restock: false }),
    expect.objectContaining({ order_variant_id: order.hats, quantity: 2, reason: null, restock: true }),
    expect.objectContaining({ order_variant_id: order.books, quantity: 1, reason: null, restock: true }),
  ])
  expect(made.delivery).toMatchObject({ status: 'unfulfilled', tracking_number: null })
  expect(units(made.delivery.order_variants)).toEqual([
    [order.mugs, 1],
    [order.hats, 2],
  ])
  const after = await look(order.id)
  expect(after.returns).toEqual([made])
  expect(after.deliveries.map(({ id }: { id: string }) => id)).toEqual([order.parcel])
  expect(after.updated_at > order.updated_at).toBe(true)
  expect(await stockOf(api, mug.variant)).toBe(98)
  expect(await stockOf(api, hat.variant)).toBe(99)
})

test('the delivery of a return is updated like any other, and filters see it', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const variants = [{ order_variant_id: order.mugs, quantity: 1 }]
  const made = (await all.post(`/order/${order.id}/return`, { variants })).body.data.return
  const reply = await all.put(`/order/delivery/${made.delivery.id}`, { status: 'delivered' })
  expect(reply.body.data.delivery).toEqual({ ...made.delivery, status: 'delivered' })
  const after = await look(order.id)
  expect(after.returns[0].delivery.status).toBe('delivered')
  expect(latestOf(after)).toMatchObject({ subject: 'return', subject_id: made.id, to: 'delivered' })
  const found = async (query: string) =>
    (await all.get(`/order?${query}`)).body.data.orders.map(({ id }: { id: string }) => id)
  expect(await found('return_status=delivered')).toEqual([order.id])
  expect(await found('return_status=unfulfilled')).toEqual([])
  expect(await found('delivery_status=delivered')).toEqual([])
})

test('a return of only digital lines has no delivery', async () => {
  const { all, sell } = await startShopWithOrders()
  const order = await sell()
  const variants = [{ order_variant_id: order.books, quantity: 1 }]
  const reply = await all.post(`/order/${order.id}/return`, { variants })
  expect(reply.body.data.return.delivery).toBeNull()
})

test('all returns together never exceed the ordered units', async () => {
  const { api, all, sell, look, hat } = await startShopWithOrders()
  const order = await sell()
  const back = (id: string, quantity: number) =>
    all.post(`/order/${order.id}/return`, { variants: [{ order_variant_id: id, quantity, restock: true }] })
  const replies = await Promise.all(Array.from({ length: 8 }, () => back(order.hats, 1)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(3)
  for (const reply of replies.filter(({ status }) => status !== 201))
    expect(reply).toBeRefused(422, 'variants.0.quantity')
  expect(await back(order.mugs, 3)).toBeRefused(422, 'variants.0.quantity')
  expect(await back(randomUUID(), 1)).toBeRefused(422, 'variants.0.order_variant_id')
  expect((await look(order.id)).returns).toHaveLength(3)
  expect(await stockOf(api, hat.variant)).toBe(100)
})

test('units are restocked once, by cancelling or by returning', async () => {
  const { api, all, sell, hat } = await startShopWithOrders()
  const order = await sell()
  await all.put(`/order/${order.id}`, { is_cancelled: true })
  expect(await stockOf(api, hat.variant)).toBe(100)
  const variants = [{ order_variant_id: order.hats, quantity: 3, restock: true }]
  expect((await all.post(`/order/${order.id}/return`, { variants })).status).toBe(201)
  expect(await stockOf(api, hat.variant)).toBe(100)
})

test('a return is in the history if it has a delivery', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const returnOne = async (id: string) => {
    const variants = [{ order_variant_id: id, quantity: 1 }]
    return (await all.post(`/order/${order.id}/return`, { variants })).body.data.return
  }
  const hat = await returnOne(order.hats)
  const after = await look(order.id)
  expect(latestOf(after)).toMatchObject({ subject: 'return', subject_id: hat.id, from: null, to: 'unfulfilled' })
  const book = await returnOne(order.books)
  expect(book.delivery).toBeNull()
  expect((await look(order.id)).history).toEqual(after.history)
  const tooMany = await all.post(`/order/${order.id}/return`, {
    variants: [
      { order_variant_id: order.books, quantity: 1 },
      { order_variant_id: order.mugs, quantity: 3 },
      { order_variant_id: order.mugs, quantity: 1 },
      { order_variant_id: order.id, quantity: 1 },
    ],
  })
  expect(tooMany.body.errors).toEqual({
    'variants.0.quantity': ['must not be more than was ordered: all units have been returned'],
    'variants.1.quantity': ['must not be more than was ordered: 2 units are left to return'],
    'variants.2.order_variant_id': ['must be listed once'],
    'variants.3.order_variant_id': ['must be a line of this order'],
  })
})
