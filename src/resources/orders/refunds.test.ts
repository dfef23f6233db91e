import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'

const latestOf = (order: { history: object[] }) => order.history.at(-1)

test('a refund can be of an amount, of lines, or of a return', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const refund = async (body: object) => {
    const reply = await all.post(`/order/${order.id}/refund`, body)
    expect(reply.status, reply.text).toBe(201)
    return reply.body.data.refund
  }
  const shipping = await refund({ amount: 7, reason: 'Late' })
  expect(shipping).toMatchObject({ status: 'pending', amount: 7, reason: 'Late', return: null, refund_variants: [] })

  const mugs = await refund({
    status: 'refunded',
    variants: [{ order_variant_id: order.mugs, quantity: 1, amount: 10.125 }],
  })
  expect(mugs).toMatchObject({ status: 'refunded', amount: 10.125 })
  expect(mugs.refund_variants).toEqual([
    expect.objectContaining({ order_variant_id: order.mugs, quantity: 1, amount: 10.125 }),
  ])

  const variants = [{ order_variant_id: order.hats, quantity: 2 }]
  const made = (await all.post(`/order/${order.id}/return`, { variants })).body.data.return
  const hats = await refund({ return_id: made.id })
  expect(hats).toMatchObject({ amount: 60, return: made })
  expect(hats.refund_variants).toEqual([
    expect.objectContaining({ order_variant_id: order.hats, quantity: 2, amount: 60 }),
  ])
  expect(await all.post(`/order/${order.id}/refund`, { return_id: made.id })).toBeRefused(422, 'return_id')

  const after = await look(order.id)
  expect(after.refunds).toEqual([shipping, mugs, hats])
  expect(after.total).toBe(127)
  expect(latestOf(after)).toMatchObject({ subject: 'refund', subject_id: hats.id, from: null, to: 'pending' })
})

test('a return is refunded as a whole only if no line was refunded before; an amount can always be refunded', async () => {
  const { all, sell } = await startShopWithOrders()
  const order = await sell()
  const some = (id: string, quantity: number) => ({ order_variant_id: id, quantity })
  const takeBack = async (...variants: object[]) =>
    (await all.post(`/order/${order.id}/return`, { variants })).body.data.return.id as string
  const refund = (body: object) => all.post(`/order/${order.id}/refund`, body)
  const hats = await takeBack(some(order.hats, 3))
  const both = await takeBack(some(order.mugs, 2), some(order.books, 1))
  expect((await refund({ return_id: hats })).body.data.refund).toMatchObject({ amount: 90 })
  expect((await refund({ variants: [some(order.books, 1)] })).status).toBe(201)
  const again = await refund({ return_id: both })
  expect(again).toBeRefused(422, 'return_id')
  expect(again.body.errors.return_id).toEqual(['must not have been refunded already'])
  const inMoney = (await refund({ return_id: both, amount: 3 })).body.data.refund
  expect(inMoney).toMatchObject({ amount: 3, refund_variants: [], return: { id: both } })
  const tooMany = await refund({ variants: [some(order.hats, 1), some(order.mugs, 3)] })
  expect(tooMany.body.errors).toEqual({
    'variants.0.quantity': ['must not be more than was ordered: all units have been refunded'],
    'variants.1.quantity': ['must not be more than was ordered: 2 units are left to refund'],
  })
})

test('refunds never exceed what was paid, to the thousandth and under concurrency', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const refund = (amount: number) => all.post(`/order/${order.id}/refund`, { amount })
  expect(await refund(127.001)).toBeRefused(422, 'amount')
  const replies = await Promise.all(Array.from({ length: 8 }, () => refund(42.334)))
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(2)
  const tooMuch = await refund(42.333)
  expect(tooMuch).toBeRefused(422, 'amount')
  expect(tooMuch.body.errors.amount[0]).toContain('42.332 is left')
  expect((await refund(42.332)).status).toBe(201)
  expect(await refund(0.001)).toBeRefused(422, 'amount')
  expect((await look(order.id)).refunds).toHaveLength(3)
})

test('an unpaid order cannot be refunded', async () => {
  const { all, sell } = await startShopWithOrders()
  for (const status of ['pending', 'abandoned']) {
    const order = await sell({ status })
    expect(await all.post(`/order/${order.id}/refund`, { amount: 1 })).toBeRefused(422, 'amount')
  }
})

test('a refund needs an amount, lines or a return of this order', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const another = await sell()
  const variants = [{ order_variant_id: another.hats, quantity: 1 }]
  const theirs = (await all.post(`/order/${another.id}/return`, { variants })).body.data.return
  const before = await look(order.id)
  const refund = (body: unknown) => all.post(`/order/${order.id}/refund`, body)
  const some = (id: string, quantity: number, amount?: number) => ({ order_variant_id: id, quantity, amount })
  expect(await refund({})).toBeRefused(422, 'amount')
  expect(await refund({ reason: 'Late' })).toBeRefused(422, 'amount')
  expect(await refund({ amount: 0 })).toBeRefused(422, 'amount')
  expect(await refund({ amount: -1 })).toBeRefused(422, 'amount')
  expect(await refund({ amount: 1.0001 })).toBeRefused(422, 'amount')
  expect(await refund({ amount: 'five' })).toBeRefused(422, 'amount')
  expect(await refund({ amount: 5, status: 'done' })).toBeRefused(422, 'status')
  expect(await refund({ amount: 5, return_id: theirs.id })).toBeRefused(422, 'return_id')
  expect(await refund({ amount: 5, return_id: randomUUID() })).toBeRefused(422, 'return_id')
  expect(await refund({ variants: [some(order.mugs, 3)] })).toBeRefused(422, 'variants.0.quantity')
  expect(await refund({ variants: [some(another.mugs, 1)] })).toBeRefused(422, 'variants.0.order_variant_id')
  expect(await refund({ amount: 5, variants: [some(order.mugs, 1)] })).toBeRefused(422, 'amount')
  expect(await refund({ variants: [some(order.mugs, 1, 500)] })).toBeRefused(422, 'amount')
  expect(await look(order.id)).toEqual(before)
  expect(await all.post(`/order/${randomUUID()}/refund`, { amount: -1 })).toFailWith('not_found')
})

test('updating a refund changes its status and reason; setting the current values adds no history', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const order = await sell()
  const made = (await all.post(`/order/${order.id}/refund`, { amount: 5 })).body.data.refund
  const done = await all.put(`/order/refund/${made.id}`, { status: 'refunded', reason: 'Goodwill' })
  expect(done.body.data.refund).toEqual({ ...made, status: 'refunded', reason: 'Goodwill' })
  const before = await look(order.id)
  expect(latestOf(before)).toMatchObject({ subject: 'refund', subject_id: made.id, from: 'pending', to: 'refunded' })
  expect((await all.put(`/order/refund/${made.id}`, { status: 'refunded', reason: 'Goodwill' })).status).toBe(200)
  expect((await all.put(`/order/refund/${made.id}`)).status).toBe(200)
  expect(await all.put(`/order/refund/${made.id}`, { status: 'lost' })).toBeRefused(422, 'status')
  for (const id of [randomUUID(), 'x']) expect(await all.put(`/order/refund/${id}`, {})).toFailWith('not_found')
  expect(await other.all.put(`/order/refund/${made.id}`, { status: 'lost' })).toFailWith('not_found')
  expect(await look(order.id)).toEqual(before)
  const explained = await all.put(`/order/refund/${made.id}`, { reason: 'Broken' })
  expect(explained.body.data.refund).toEqual({ ...made, status: 'refunded', reason: 'Broken' })
  const after = await look(order.id)
  expect(after.history).toEqual(before.history)
  expect(after.updated_at > before.updated_at).toBe(true)
  const back = await all.put(`/order/refund/${made.id}`, { status: 'pending', reason: null })
  expect(back.body.data.refund).toEqual(made)
})

test('a refund does not change what the customer has spent', async () => {
  const { all, sell } = await startShopWithOrders()
  const order = await sell({ customer_email: 'amel@example.com' })
  const spent = async () => (await all.get(`/customer/${order.customer_id}`)).body.data.customer.amount_spent
  expect(await spent()).toBe(127)
  await all.post(`/order/${order.id}/refund`, { amount: 27, status: 'refunded' })
  expect(await spent()).toBe(127)
})

test('another store can neither split, return nor refund', async () => {
  const { sell, look } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const order = await sell()
  const before = await look(order.id)
  const variants = [{ order_variant_id: order.hats, quantity: 1 }]
  for (const [path, body] of [
    ['delivery', { variants }],
    ['return', { variants }],
    ['refund', { amount: 1 }],
  ] as const) {
    const theirs = await other.all.post(`/order/${order.id}/${path}`, body)
    const missing = await other.all.post(`/order/${randomUUID()}/${path}`, body)
    expect(theirs).toFailWith('not_found')
    expect(theirs.text).toBe(missing.text)
    expect(await other.all.post(`/order/${order.id}/${path}`, {})).toFailWith('not_found')
  }
  expect(await look(order.id)).toEqual(before)
})

test('a retry with the same Idempotency-Key refunds once', async () => {
  const { all, sell, look } = await startShopWithOrders()
  const order = await sell()
  const key = { 'idempotency-key': randomUUID() }
  const send = () => all.post(`/order/${order.id}/refund`, { amount: 5 }, key)
  const [one, two] = [await send(), await send()]
  expect(two.text).toBe(one.text)
  expect((await look(order.id)).refunds).toHaveLength(1)
})
