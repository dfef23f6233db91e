import { expect, test } from 'vitest'
import { runBulk } from '../../../tests/support/bulk.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'

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

/** Reviews of a product by these reviewers, each with an email or none. */
const addReviews = async ({ all, mug }: Awaited<ReturnType<typeof startShopWithOrders>>, emails: (string | null)[]) => {
  const ids: string[] = []
  for (const reviewer_email of emails) {
    const review = { product_id: mug.id, content: 'Fine', rating: 5, reviewer_name: 'Amel', reviewer_email }
    ids.push((await all.post('/review', review)).body.data.review.id)
  }
  return async () => {
    const { reviews } = (await all.get('/review')).body.data
    return ids.map((id) => {
      const { reviewer_name, reviewer_email } = reviews.find((review: { id: string }) => review.id === id)
      return [reviewer_name, reviewer_email]
    })
  }
}

const ERASED = ['', null]

test('erase=true removes name and email from the reviews of that person, in any spelling, and from no others', async () => {
  const [shop, neighbour] = [await startShopWithOrders(), await startShopWithOrders()]
  const readReviews = await addReviews(shop, [
    'amel@shop.example',
    'AMEL@Shop.Example',
    'another@shop.example',
    null,
    'ÉLODIE@shop.example',
  ])
  const readOthers = await addReviews(neighbour, ['amel@shop.example'])
  const order = await shop.sell(buyer)
  expect((await shop.all.delete(`/customer/${order.customer_id}?erase=true`)).status).toBe(200)
  const rest = [
    ['Amel', 'another@shop.example'],
    ['Amel', null],
  ]
  expect(await readReviews()).toEqual([ERASED, ERASED, ...rest, ['Amel', 'ÉLODIE@shop.example']])
  expect(await readOthers()).toEqual([['Amel', 'amel@shop.example']])
  const { customer } = (await shop.all.post('/customer', { email: 'élodie@shop.example' })).body.data
  expect((await shop.all.delete(`/customer/${customer.id}?erase=true`)).status).toBe(200)
  expect(await readReviews()).toEqual([ERASED, ERASED, ...rest, ERASED])
  // They can be imported as they are read.
  const { reviews } = (await shop.all.get('/review')).body.data
  for (const query of ['resource=review', 'resource=review&mode=upsert&match=id']) {
    const { job } = await runBulk(shop.all, query, reviews)
    expect(job.counts).toMatchObject({ done: 5, failed: 0 })
  }
})

test('a customer who was deleted can be erased later, by the same id and once', async () => {
  const shop = await startShopWithOrders()
  const { api, all, sell, look } = shop
  const neighbour = await startShopWithOrders()
  const [order, given] = [await sell(buyer), await sell(buyer)]
  const other = await sell({ ...buyer, customer_email: 'another@shop.example' })
  const readReviews = await addReviews(shop, ['amel@shop.example', 'another@shop.example'])
  const path = `/customer/${order.customer_id}`
  expect((await all.delete(path)).status).toBe(200)
  expect(await look(order.id)).toMatchObject({ ...buyer, customer_id: null })
  expect((await readReviews())[0]).toEqual(['Amel', 'amel@shop.example'])
  // An order that is given to somebody else is theirs, even after they are deleted as well.
  const reassigned = (await all.put(`/order/${given.id}`, { customer_email: 'third@shop.example' })).body.data.order
  expect((await all.delete(`/customer/${reassigned.customer_id}`)).status).toBe(200)

  expect(await neighbour.all.delete(`${path}?erase=true`)).toFailWith('not_found')
  expect(await api.as('customer:update').delete(`${path}?erase=true`)).toFailWith('forbidden')
  expect(await all.delete(path)).toFailWith('not_found')
  expect((await all.delete(`${path}?erase=true`, { prefer: 'dry-run' })).status).toBe(200)
  expect(await look(order.id)).toMatchObject(buyer)
  const replies = await Promise.all([1, 2, 3].map(() => all.delete(`${path}?erase=true`)))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404])

  const blank = Object.fromEntries(Object.keys(buyer).map((field) => [field, '']))
  expect(await look(order.id)).toMatchObject({ ...blank, total: order.total, ref: order.ref })
  expect(await look(given.id)).toMatchObject({ customer_email: 'third@shop.example', customer_city: 'Sousse' })
  expect(await look(other.id)).toMatchObject({ customer_email: 'another@shop.example', customer_id: other.customer_id })
  expect(await readReviews()).toEqual([ERASED, ['Amel', 'another@shop.example']])
  expect((await all.get('/order?search=amel%40shop.example')).body.data.pagination.total).toBe(0)
  const left = await api.db.selectFrom('deleted_customer').select('email_key').where('store_id', '=', api.store.id)
  expect(await left.execute()).toEqual([{ email_key: 'third@shop.example' }])
  await expectTextsToFitRows(api.db)
})

test('erasing somebody who came back covers what they left before; nothing is kept of who left nothing', async () => {
  const { api, all, sell, look } = await startShopWithOrders()
  const first = await sell(buyer)
  await all.delete(`/customer/${first.customer_id}`)
  const second = await sell(buyer)
  expect((await all.delete(`/customer/${second.customer_id}?erase=true`)).status).toBe(200)
  for (const { id } of [first, second]) expect(await look(id)).toMatchObject({ customer_email: '', customer_city: '' })
  expect(await all.delete(`/customer/${first.customer_id}?erase=true`)).toFailWith('not_found')

  const { customer } = (await all.post('/customer', { email: 'amel@shop.example' })).body.data
  await all.delete(`/customer/${customer.id}`)
  expect(await all.delete(`/customer/${customer.id}?erase=true`)).toFailWith('not_found')
  const left = api.db.selectFrom('deleted_customer').select('id').where('store_id', '=', api.store.id)
  expect(await left.execute()).toEqual([])
})

test('a stored reply shows what it showed before the person was erased, for 24 hours', async () => {
  const { api, all, sell, look } = await startShopWithOrders()
  await sell()
  const key = { 'idempotency-key': 'order-of-amel' }
  const place = () => all.post('/order', buyer, key)
  const { order } = (await place()).body.data
  await all.delete(`/customer/${order.customer_id}?erase=true`)
  expect((await place()).body.data.order).toMatchObject({ id: order.id, customer_email: 'amel@shop.example' })
  await api.db
    .updateTable('idempotency')
    .set({ created_at: new Date(Date.now() - 24 * 3_600_000 - 1_000) })
    .where('store_id', '=', api.store.id)
    .execute()
  expect((await place()).body.data.order.id).not.toBe(order.id)
  expect(await look(order.id)).toMatchObject({ customer_email: '' })
})
