import { expect, test } from 'vitest'
import { expectTextsToFitRows } from '../../tests/support/kept-texts.ts'
import { startShopWithOrders } from '../../tests/support/shop-with-orders.ts'

const buyer = {
  customer_first_name: 'Amel',
  customer_last_name: 'Ben Salah',
  customer_email: 'amel@shop.example',
  customer_phone: '+216 20 123 456',
  customer_address: '1 rue de Carthage',
  customer_city: 'Sousse',
  customer_state: 'Sahel',
  customer_postal_code: '4000',
  billing_first_name: 'Amel',
  billing_last_name: 'Ben Salah',
  billing_email: 'billing@shop.example',
  billing_phone: '+216 20 123 457',
  billing_address: '2 rue de Carthage',
  billing_city: 'Monastir',
  billing_state: 'Sahel',
  billing_postal_code: '5000',
}

const SEARCHES = ['amel', 'ben salah', 'amel@shop.example', '20123456', 'carthage', 'sousse', '4000']

test('orders of a deleted customer keep their copy of name and address', async () => {
  const { api, all, sell, look } = await startShopWithOrders()
  const order = await sell({ ...buyer, country_id: 'TN' })
  const remover = await api.as('customer:delete')
  expect((await remover.delete(`/customer/${order.customer_id}`)).body).toEqual({ data: {} })
  expect(await remover.delete(`/customer/${order.customer_id}`)).toFailWith('not_found')
  expect(await all.get(`/customer/${order.customer_id}`)).toFailWith('not_found')
  expect((await all.get('/customer?search=amel')).body.data).toMatchObject({ customers: [], pagination: { total: 0 } })
  expect((await all.get('/customer')).body.data.pagination.total).toBe(0)
  const kept = await look(order.id)
  expect(kept).toMatchObject({ ...buyer, customer_id: null, total: order.total })
  expect(kept.updated_at > order.updated_at).toBe(true)
  expect((await all.get('/order?search=carthage')).body.data.pagination.total).toBe(1)
  await expectTextsToFitRows(api.db)
  // The next order with this email is one of a new customer.
  const next = await sell(buyer)
  expect((await all.get(`/customer/${next.customer_id}`)).body.data.customer).toMatchObject({ order_count: 1 })
  expect(next.customer_id).not.toBe(order.customer_id)
})

test('erase=true blanks the buyer in all their orders, and no search finds them', async () => {
  const { api, all, sell, look } = await startShopWithOrders()
  const orders = [
    await sell({ ...buyer, country_id: 'TN', meta_data: { note: 'Amel, second floor' } }),
    await sell(buyer),
  ]
  const other = await sell({ ...buyer, customer_email: 'another@shop.example', customer_city: 'Gabes' })
  const [first] = orders
  for (const search of SEARCHES)
    expect((await all.get(`/order?search=${encodeURIComponent(search)}`)).body.data.pagination.total).toBeGreaterThan(0)
  expect((await all.delete(`/customer/${first.customer_id}?erase=true`)).status).toBe(200)
  const blank = Object.fromEntries(Object.keys(buyer).map((field) => [field, '']))
  for (const order of orders) {
    const read = await look(order.id)
    expect(read).toMatchObject({ ...blank, customer_name: '', billing_name: '', customer_id: null, meta_data: {} })
    expect(read).toMatchObject({ total: order.total, ref: order.ref, quantity: order.quantity })
    const { body } = await all.get(`/order?search=${order.ref}`)
    expect(body.data.orders.map(({ id }: { id: string }) => id)).toEqual([order.id])
  }
  expect((await look(first.id)).customer_country.id).toBe('TN')
  for (const search of SEARCHES) {
    const { body } = await all.get(`/order?search=${encodeURIComponent(search)}`)
    const ids = body.data.orders.map(({ id }: { id: string }) => id)
    expect(ids, search).toEqual(search === 'amel@shop.example' || search === 'sousse' ? [] : [other.id])
  }
  const csv = (await all.get('/order/export')).text
  expect(csv).not.toContain('Sousse')
  expect(await look(other.id)).toMatchObject({ customer_first_name: 'Amel', customer_city: 'Gabes' })
  await expectTextsToFitRows(api.db)
  expect(await all.delete(`/customer/${other.customer_id}?erase=maybe`)).toBeRefused(422, 'erase')
})

test('deleting a customer needs the permission, the right store and the current version', async () => {
  const { api, all } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const { customer } = (await all.post('/customer', { email: 'amel@shop.example' })).body.data
  const path = `/customer/${customer.id}`
  expect(await other.all.delete(path)).toFailWith('not_found')
  expect(await api.as('customer:update').delete(path)).toFailWith('forbidden')
  expect(await all.delete(path, { 'if-match': '"old"' })).toFailWith('version_mismatch')
  const { etag } = Object.fromEntries((await all.get(path)).headers)
  expect((await all.delete(path, { 'if-match': etag as string })).status).toBe(200)
})

test('orders placed or reassigned while the customer is deleted end up with an existing customer or none', async () => {
  const { api, all, sell, look } = await startShopWithOrders()
  for (let round = 0; round < 5; round++) {
    const order = await sell({ customer_email: 'amel@shop.example' })
    const stranger = await sell()
    const replies = await Promise.all([
      all.delete(`/customer/${order.customer_id}?erase=${round % 2 === 0}`),
      ...[1, 2, 3].map(() => all.post('/order', { status: 'paid', customer_email: 'amel@shop.example' })),
      all.put(`/order/${order.id}`, { status: 'pending' }),
      all.put(`/order/${stranger.id}`, { customer_email: 'amel@shop.example' }),
    ])
    expect(replies.map(({ status }) => status)).toEqual([200, 201, 201, 201, 200, 200])
    expect(await all.get(`/customer/${order.customer_id}`)).toFailWith('not_found')
    expect((await look(order.id)).customer_id).toBeNull()
    const { customers } = (await all.get('/customer')).body.data
    const { orders } = (await all.get('/order?page_size=200')).body.data
    for (const { id, order_count } of customers)
      expect(order_count).toBe(orders.filter(({ customer_id }: { customer_id: string }) => customer_id === id).length)
    for (const { customer_id } of orders)
      if (customer_id) expect(customers.map(({ id }: { id: string }) => id)).toContain(customer_id)
    for (const { id } of customers) await all.delete(`/customer/${id}`)
  }
  await expectTextsToFitRows(api.db)
})
