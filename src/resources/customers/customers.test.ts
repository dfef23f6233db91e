import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'

const addCustomers = async (api: TestApi, customers: object[]) => {
  const caller = await api.as()
  const added = []
  for (const customer of customers) {
    const reply = await caller.post('/customer', { email: `${randomUUID()}@example.com`, ...customer })
    expect(reply.status).toBe(201)
    added.push(reply.body.data.customer)
  }
  return added
}

const customerCount = async (api: TestApi) => (await api.as().get('/customer')).body.data.pagination.total

test('a customer needs only an email, which is stored as sent', async () => {
  const api = await startTestApi()
  const reply = await api.as('customer:create').post('/customer', { email: 'Amel@Example.com' })
  expect(reply.status).toBe(201)
  expect(reply.body.data.customer).toEqual({
    id: expect.any(String),
    name: '',
    email: 'Amel@Example.com',
    phone: null,
    address: null,
    city: null,
    postal_code: null,
    country_id: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    country: null,
    order_count: 0,
    amount_spent: 0,
    latest_order: null,
    subscription_status: 'not_subscribed',
  })
})

test('a customer comes back as it was created, with its country', async () => {
  const api = await startTestApi()
  const given = {
    email: 'amel@example.com',
    name: 'Amel Ben Salah',
    phone: '+216 20 123 456',
    address: '12, rue de Marseille',
    city: 'Tunis',
    postal_code: '1000',
    country_id: 'TN',
    subscription_status: 'subscribed',
  }
  const [created] = await addCustomers(api, [given])
  expect(created).toMatchObject(given)
  expect(created.country).toMatchObject({ id: 'TN', name: 'Tunisia', phone_code: '+216', currency: 'TND' })
  const read = await api.as('customer:view').get(`/customer/${created.id}`)
  expect(read.status).toBe(200)
  expect(read.body.data.customer).toEqual(created)
})

test.each(['subscribed', 'not_subscribed'])('a customer can be %s', async (subscription_status) => {
  const api = await startTestApi()
  const [created] = await addCustomers(api, [{ subscription_status }])
  expect(created.subscription_status).toBe(subscription_status)
})

test.each([
  ['nothing', {}, ['email']],
  ['an email without a domain', { email: 'amel' }, ['email']],
  ['an email of a bare host', { email: 'amel@localhost' }, ['email']],
  ['an email with a space', { email: 'a mel@example.com' }, ['email']],
  ['two emails', { email: 'a@example.com,b@example.com' }, ['email']],
  ['an email with a line break', { email: 'a@example.com\nBcc: b@example.com' }, ['email']],
  ['an email with a double dot', { email: 'a..b@example.com' }, ['email']],
  ['an email that is too long', { email: `${'a'.repeat(64)}@${`${'b'.repeat(60)}.`.repeat(4)}com` }, ['email']],
  ['an email that is a number', { email: 1 }, ['email']],
  ['an email that is null', { email: null }, ['email']],
  ['an unknown subscription status', { email: 'a@example.com', subscription_status: 'maybe' }, ['subscription_status']],
  ['a name that is an object', { email: 'a@example.com', name: {} }, ['name']],
  ['a name that is too long', { email: 'a@example.com', name: 'x'.repeat(256) }, ['name']],
  ['a phone that is a number', { email: 'a@example.com', phone: 20123456 }, ['phone']],
  ['NUL in the address', { email: 'a@example.com', address: 'a\0b' }, ['address']],
  ['an unknown country', { email: 'a@example.com', country_id: 'XX' }, ['country_id']],
  ['several invalid fields', { email: 'x', city: 1, postal_code: [] }, ['email', 'city', 'postal_code']],
])('%s is refused', async (_what, body, fields) => {
  const api = await startTestApi()
  expect(await api.as().post('/customer', body)).toBeRefused(422, ...fields)
  expect(await customerCount(api)).toBe(0)
})

test.each(["o'neil+shop@example.co.uk", 'المتجر@مثال.تونس', 'jörg@münchen.example', 'a@b.co'])(
  '%s is an email',
  async (email) => {
    const api = await startTestApi()
    const [created] = await addCustomers(api, [{ email }])
    expect(created.email).toBe(email)
  },
)

test('an email is unique regardless of case, within its store', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await addCustomers(api, [{ email: 'amel@example.com' }])
  const caller = await api.as()
  expect(await caller.post('/customer', { email: 'AMEL@Example.COM' })).toBeRefused(422, 'email')
  const both = await caller.post('/customer', { email: 'Amel@example.com', country_id: 'XX' })
  expect(both).toBeRefused(422, 'email', 'country_id')
  expect(await customerCount(api)).toBe(1)
  await addCustomers(other, [{ email: 'amel@example.com' }])
})

test('of twenty concurrent creations with one email, one succeeds', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      caller.post('/customer', { email: i % 2 ? 'a@example.com' : 'A@EXAMPLE.com' }),
    ),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const reply of replies.filter(({ status }) => status !== 201)) expect(reply).toBeRefused(422, 'email')
  expect(await customerCount(api)).toBe(1)
})

test('a creation retried with its Idempotency-Key happens once', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const key = { 'idempotency-key': randomUUID() }
  const first = await caller.post('/customer', { email: 'amel@example.com' }, key)
  const again = await caller.post('/customer', { email: 'amel@example.com' }, key)
  expect(again.status).toBe(201)
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await caller.post('/customer', { email: 'other@example.com' }, key)).toFailWith('idempotency_conflict')
  expect(await customerCount(api)).toBe(1)
})

test('computed fields are named as ignored', async () => {
  const api = await startTestApi()
  const reply = await api.as().post('/customer', {
    email: 'a@example.com',
    amount_spent: 9,
    order_count: 3,
    id: 1,
  })
  expect(reply.body.data.customer).toMatchObject({ amount_spent: 0, order_count: 0 })
  expect(reply.headers.get('x-ignored-input')?.split(', ').sort()).toEqual(['amount_spent', 'id', 'order_count'])
})

test('each call needs its own permission', async () => {
  const api = await startTestApi()
  const [customer] = await addCustomers(api, [{}])
  const without = (wanted: string) =>
    api.as(...(['customer:view', 'customer:create', 'customer:update'] as const).filter((one) => one !== wanted))
  const withoutView = without('customer:view')
  expect(await withoutView.get('/customer')).toFailWith('forbidden')
  expect(await withoutView.get(`/customer/${customer.id}`)).toFailWith('forbidden')
  expect(await without('customer:create').post('/customer', {})).toFailWith('forbidden')
  expect(await without('customer:update').put(`/customer/${customer.id}`, {})).toFailWith('forbidden')
})

test("another store's customer does not exist, to the byte", async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const [theirs] = await addCustomers(other, [{ name: 'Theirs', email: 'theirs@example.com' }])
  const caller = await api.as()
  for (const id of [theirs.id, randomUUID(), 'not-a-uuid']) {
    const read = await caller.get(`/customer/${id}`)
    expect(read).toFailWith('not_found')
    expect(read.text).toBe((await caller.get(`/customer/${randomUUID()}`)).text)
    expect(await caller.put(`/customer/${id}`, { name: 'Mine' })).toFailWith('not_found')
    expect(await caller.put(`/customer/${id}`, { email: 'broken' })).toFailWith('not_found')
  }
  expect((await caller.get('/customer?search=theirs')).body.data.customers).toEqual([])
  expect((await other.as().get(`/customer/${theirs.id}`)).body.data.customer).toEqual(theirs)
})

test('a change touches only the given fields', async () => {
  const api = await startTestApi()
  const [customer] = await addCustomers(api, [{ name: 'Amel', phone: '20 123 456', city: 'Tunis', country_id: 'TN' }])
  const caller = await api.as('customer:update', 'customer:view')
  const reply = await caller.put(`/customer/${customer.id}`, { city: 'Sousse', country_id: null })
  expect(reply.status).toBe(200)
  const { updated_at, ...rest } = reply.body.data.customer
  const { updated_at: before, ...was } = customer
  expect(rest).toEqual({ ...was, city: 'Sousse', country_id: null, country: null })
  expect(updated_at >= before).toBe(true)
  const found = async (search: string) => (await caller.get(`/customer?search=${search}`)).body.data.customers.length
  expect([await found('sousse'), await found('tunis'), await found('20123456'), await found('amel')]).toEqual([
    1, 0, 1, 1,
  ])
})

test('an empty update changes nothing', async () => {
  const api = await startTestApi()
  const [customer] = await addCustomers(api, [{ name: 'Amel' }])
  const reply = await api.as().put(`/customer/${customer.id}`, {})
  expect(reply.body.data.customer).toEqual(customer)
})

test('an update cannot take the email of another customer, but can change the case of its own', async () => {
  const api = await startTestApi()
  const [mine] = await addCustomers(api, [{ email: 'mine@example.com' }, { email: 'taken@example.com' }])
  const caller = await api.as()
  const path = `/customer/${mine.id}`
  expect(await caller.put(path, { email: 'TAKEN@example.com' })).toBeRefused(422, 'email')
  expect(await caller.put(path, { email: 'TAKEN@example.com', country_id: 'XX' })).toBeRefused(
    422,
    'email',
    'country_id',
  )
  expect(await caller.put(path, { email: null, name: null })).toBeRefused(422, 'email', 'name')
  expect((await caller.put(path, { email: 'Mine@Example.com' })).body.data.customer.email).toBe('Mine@Example.com')
})

test('of two concurrent changes to the same email, one succeeds', async () => {
  const api = await startTestApi()
  const customers = await addCustomers(api, [{}, {}, {}, {}, {}])
  const caller = await api.as()
  const replies = await Promise.all(
    customers.map(({ id }) => caller.put(`/customer/${id}`, { email: 'wanted@example.com' })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422])
})

test('concurrent updates of different fields both persist, and search finds both', async () => {
  const api = await startTestApi()
  const [{ id }] = (await addCustomers(api, [{}])) as [{ id: string }]
  const caller = await api.as()
  await Promise.all([
    caller.put(`/customer/${id}`, { name: 'Zeineb' }),
    caller.put(`/customer/${id}`, { city: 'Gabès' }),
    caller.put(`/customer/${id}`, { address: 'Avenue Farhat Hached' }),
  ])
  for (const search of ['zeineb', 'gabes', 'hached']) {
    expect((await caller.get(`/customer?search=${search}`)).body.data.pagination.total, search).toBe(1)
  }
})

test('a customer shows their latest order in full, and the amount spent', async () => {
  const api = await startTestApi()
  const [customer] = await addCustomers(api, [{ email: 'amel@example.com', name: 'Amel' }])
  const caller = await api.as()
  await caller.post('/order', { customer_email: 'AMEL@example.com', created_at: '2026-01-02T00:00:00Z' })
  const latest = await caller.post('/order', { customer_email: 'amel@example.com' })
  expect(latest.status).toBe(201)
  const read = await caller.get(`/customer/${customer.id}`)
  expect(read.body.data.customer).toMatchObject({ name: 'Amel', order_count: 2, amount_spent: 0 })
  expect(read.body.data.customer.latest_order).toEqual(latest.body.data.order)
  const [listed] = (await caller.get('/customer?order_by=order_count')).body.data.customers
  expect(listed).toEqual(read.body.data.customer)
})

test('a customer created by an order is found like any other', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  await caller.post('/order', {
    customer_email: 'zoe@example.com',
    customer_first_name: 'Zoé',
    customer_last_name: 'Durand',
    customer_phone: '+33 (0)6 11 22 33 44',
  })
  for (const search of ['zoe durand', '06 11 22 33 44', 'ZOE@']) {
    const { customers } = (await caller.get(`/customer?search=${encodeURIComponent(search)}`)).body.data
    expect(customers, search).toMatchObject([{ name: 'Zoé Durand', email: 'zoe@example.com', order_count: 1 }])
  }
})

test('a search finds an email by any part of it', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const emails = ['amel_b.haddad12@mail.example', 'amel_b.haddad12@post.example', 'haddad1@mail.example', 'x@y.example']
  for (const customer_email of emails) await caller.post('/order', { customer_email })
  const found = async (search: string) => {
    const query = `search=${encodeURIComponent(search)}&order_by=`
    const { customers } = (await caller.get(`/customer?${query}email&order_direction=ASC`)).body.data
    const { orders } = (await caller.get(`/order?${query}date&order_direction=ASC`)).body.data
    const both = [customers.map(({ email }: { email: string }) => email)]
    both.push(orders.map(({ customer_email }: { customer_email: string }) => customer_email))
    expect(new Set(both[0])).toEqual(new Set(both[1]))
    return both[0]
  }
  expect(await found('Amel_B.Haddad12@Mail.example')).toEqual([emails[0]])
  expect(await found('haddad12@')).toEqual([emails[0], emails[1]])
  expect(await found('amel_b.haddad1@mail')).toEqual([])
  expect(await found('amel%b.haddad12@mail')).toEqual([])
  expect(await found('@mail.example')).toEqual([emails[0], emails[2]])
  expect(await found('x@y')).toEqual([emails[3]])
  expect(await found('haddad12@post.example haddad12@mail.example')).toEqual([])
})
