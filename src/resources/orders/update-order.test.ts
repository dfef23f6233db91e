import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { untilOneWaits } from '../../../tests/support/waiting.ts'
import { transact } from '../../core/storage/database.ts'

const startWithOrderCalls = async () => {
  const api = await startTestApi()
  const all = await api.as()
  const add = async (input: object = {}) => (await all.post('/order', input)).body.data.order
  const change = async (id: string, input: object) => {
    const reply = await all.put(`/order/${id}`, input)
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data.order
  }
  const customer = async (id: string) => (await all.get(`/customer/${id}`)).body.data.customer
  return { api, all, add, change, customer }
}

test('an update changes only the given fields', async () => {
  const { all, add, change } = await startWithOrderCalls()
  const order = await add({ customer_first_name: 'Amel', billing_city: 'Sfax', meta_data: { a: 1, b: 2 } })
  const changed = await change(order.id, {
    customer_last_name: 'Mejri',
    billing_city: '',
    country_id: 'FR',
    is_archived: true,
    meta_data: { c: 3 },
  })
  expect(changed).toEqual({
    ...order,
    customer_last_name: 'Mejri',
    customer_name: 'Amel Mejri',
    billing_city: '',
    customer_country: expect.objectContaining({ id: 'FR' }),
    is_archived: true,
    meta_data: { c: 3 },
    updated_at: expect.any(String),
    history: [...order.history, expect.objectContaining({ subject: 'is_archived', from: 'false', to: 'true' })],
  })
  expect(changed.updated_at > order.updated_at).toBe(true)
  expect((await all.get(`/order/${order.id}`)).body.data.order).toEqual(changed)
  expect((await change(order.id, { country_id: null })).customer_country).toBeNull()
})

test('setting the current values changes nothing', async () => {
  const { add, change } = await startWithOrderCalls()
  const order = await add({
    status: 'paid',
    is_cancelled: true,
    customer_email: 'a@example.com',
    meta_data: { a: [1] },
  })
  const same = {
    status: 'paid',
    is_cancelled: true,
    is_archived: false,
    customer_email: 'a@example.com',
    meta_data: { a: [1] },
  }
  expect(await change(order.id, same)).toEqual(order)
  expect(await change(order.id, {})).toEqual(order)
})

test('any status can follow any other, and the history records app, from and to', async () => {
  const { add, change } = await startWithOrderCalls()
  const { id } = await add()
  const walk = ['paid', 'abandoned', 'pending', 'abandoned', 'paid', 'pending']
  let order = await add()
  for (const status of walk) {
    order = await change(id, { status })
    expect(order.status).toBe(status)
  }
  expect(order.history.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
    [null, 'pending'],
    ['pending', 'paid'],
    ['paid', 'abandoned'],
    ['abandoned', 'pending'],
    ['pending', 'abandoned'],
    ['abandoned', 'paid'],
    ['paid', 'pending'],
  ])
  for (const entry of order.history) expect(entry).toMatchObject({ app_name: 'Test app', subject_id: id })
})

test('paid_at is set once; cancelled_at is set and cleared', async () => {
  const { add, change } = await startWithOrderCalls()
  const { id } = await add()
  const { paid_at } = await change(id, { status: 'paid' })
  expect(paid_at).toMatch(/Z$/)
  await change(id, { status: 'pending' })
  expect((await change(id, { status: 'paid' })).paid_at).toBe(paid_at)
  expect(await change(id, { is_cancelled: true })).toMatchObject({
    is_cancelled: true,
    cancelled_at: expect.any(String),
  })
  expect(await change(id, { is_cancelled: false })).toMatchObject({ is_cancelled: false, cancelled_at: null })
})

test('cancelling restocks the units; undoing it takes them again', async () => {
  const { api, all, add, change } = await startWithOrderCalls()
  const mug = await addProduct(api, { quantity: 5 })
  const order = await add({ variants: [{ variant_id: mug.variant, quantity: 3 }] })
  expect(await stockOf(api, mug.variant)).toBe(2)
  await change(order.id, { is_cancelled: true })
  expect(await stockOf(api, mug.variant)).toBe(5)
  await change(order.id, { status: 'abandoned' })
  expect(await stockOf(api, mug.variant)).toBe(5)
  await change(order.id, { is_cancelled: false, status: 'paid' })
  expect(await stockOf(api, mug.variant)).toBe(2)

  await change(order.id, { is_cancelled: true })
  await add({ variants: [{ variant_id: mug.variant, quantity: 4 }] })
  expect(await all.put(`/order/${order.id}`, { is_cancelled: false })).toBeRefused(422, 'is_cancelled')
  expect(await stockOf(api, mug.variant)).toBe(1)
  expect((await all.get(`/order/${order.id}`)).body.data.order.is_cancelled).toBe(true)
})

test('cancelling does not restock shipped units', async () => {
  const { api, add, change } = await startWithOrderCalls()
  const mug = await addProduct(api, { quantity: 5 })
  const cup = await addProduct(api, { quantity: 5 })
  const order = await add({
    variants: [
      { variant_id: mug.variant, quantity: 3 },
      { variant_id: cup.variant, quantity: 2 },
    ],
  })
  // Two of the mugs have their own delivery; the rest are still unfulfilled.
  const own = { store_id: api.store.id, order_id: order.id }
  const sent = await api.db
    .insertInto('delivery')
    .values({ ...own, status: 'shipped' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const [line] = order.variants
  await api.db.updateTable('delivery_line').set({ quantity: 1 }).where('order_line_id', '=', line.id).execute()
  await api.db
    .insertInto('delivery_line')
    .values({ ...own, delivery_id: sent.id, order_line_id: line.id, quantity: 2 })
    .execute()
  await change(order.id, { is_cancelled: true })
  expect(await stockOf(api, mug.variant)).toBe(3)
  expect(await stockOf(api, cup.variant)).toBe(5)
  await change(order.id, { is_cancelled: false })
  expect(await stockOf(api, mug.variant)).toBe(2)
  expect(await stockOf(api, cup.variant)).toBe(3)
})

test('a customer is found by email in any spelling, or created from the order', async () => {
  const { api, all, add, customer } = await startWithOrderCalls()
  const mug = await addProduct(api, { price: 10 })
  const variants = [{ variant_id: mug.variant, quantity: 1 }]
  const first = await add({
    customer_email: 'Amel@Example.tn',
    customer_first_name: 'Amel',
    customer_last_name: 'Mejri',
    customer_phone: '20 123 456',
    customer_city: 'Tunis',
    country_id: 'TN',
    status: 'paid',
    variants,
  })
  const created = await customer(first.customer_id)
  expect(created).toMatchObject({
    email: 'Amel@Example.tn',
    name: 'Amel Mejri',
    phone: '20 123 456',
    city: 'Tunis',
    country_id: 'TN',
    order_count: 1,
    amount_spent: 10,
    latest_order: { id: first.id },
  })
  const second = await add({ customer_email: 'amel@EXAMPLE.tn', customer_first_name: 'A.', variants })
  expect(second.customer_id).toBe(first.customer_id)
  const old = await add({ customer_email: 'amel@example.tn', created_at: '2001-01-01', status: 'paid', variants })
  expect(await customer(old.customer_id)).toMatchObject({
    name: 'Amel Mejri',
    order_count: 3,
    amount_spent: 20,
    latest_order: { id: second.id },
  })
  expect((await all.get('/customer')).body.data.pagination.total).toBe(1)
  expect((await add({ customer_email: '' })).customer_id).toBeNull()
})

test('amount_spent follows the status of the order', async () => {
  const { add, change, customer } = await startWithOrderCalls()
  const { id, customer_id } = await add({ customer_email: 'a@example.com', shipping_rate: 12.5 })
  const spent = async () => (await customer(customer_id)).amount_spent
  expect(await spent()).toBe(0)
  await change(id, { status: 'paid' })
  expect(await spent()).toBe(12.5)
  await change(id, { is_cancelled: true })
  expect(await spent()).toBe(0)
  await change(id, { is_cancelled: false })
  expect(await spent()).toBe(12.5)
  await change(id, { status: 'abandoned' })
  expect(await spent()).toBe(0)
})

test('another email moves the order to another customer', async () => {
  const { add, change, customer } = await startWithOrderCalls()
  const other = await add({ customer_email: 'b@example.com' })
  const kept = await add({ customer_email: 'a@example.com', created_at: '2020-01-01' })
  const order = await add({ customer_email: 'a@example.com', status: 'paid', fee: 3 })
  expect((await change(order.id, { customer_email: 'A@example.com' })).customer_id).toBe(kept.customer_id)
  const moved = await change(order.id, { customer_email: 'b@example.com' })
  expect(moved.customer_id).toBe(other.customer_id)
  expect(await customer(kept.customer_id)).toMatchObject({
    order_count: 1,
    amount_spent: 0,
    latest_order: { id: kept.id },
  })
  expect(await customer(other.customer_id)).toMatchObject({
    order_count: 2,
    amount_spent: 3,
    latest_order: { id: order.id },
  })
  expect((await change(order.id, { customer_email: '' })).customer_id).toBeNull()
  expect((await change(kept.id, { customer_email: '' })).customer_id).toBeNull()
  expect(await customer(kept.customer_id)).toMatchObject({ order_count: 0, amount_spent: 0, latest_order: null })
})

test.each([
  [{ status: 'shipped' }, 'status'],
  [{ customer_email: 'x' }, 'customer_email'],
  [{ country_id: 'XX' }, 'country_id'],
  [{ is_cancelled: null }, 'is_cancelled'],
  [{ meta_data: 'x' }, 'meta_data'],
])('a change to %j is refused', async (input, field) => {
  const { all, add } = await startWithOrderCalls()
  const order = await add()
  expect(await all.put(`/order/${order.id}`, input)).toBeRefused(422, field)
  expect((await all.get(`/order/${order.id}`)).body.data.order).toEqual(order)
  expect(await all.put(`/order/${randomUUID()}`, input)).toFailWith('not_found')
  expect(await all.put('/order/nonsense', input)).toFailWith('not_found')
})

test('a change that waited for another comes after it in the history', async () => {
  const { api, add, change } = await startWithOrderCalls()
  const order = await add()
  const { waiting } = await transact(api.db, async (tx) => {
    await sql`select 1 from orders where store_id = ${api.store.id} and id = ${order.id} for update`.execute(tx)
    const waiting = change(order.id, { is_archived: true })
    await untilOneWaits(api.db)
    await sql`insert into order_event (store_id, order_id, app_name, subject, subject_id, from_state, to_state)
      values (${api.store.id}, ${order.id}, 'First', 'status', ${order.id}, 'pending', 'paid')`.execute(tx)
    return { waiting }
  })
  const { history } = await waiting
  expect(history.map(({ subject }: { subject: string }) => subject)).toEqual(['status', 'status', 'is_archived'])
})
