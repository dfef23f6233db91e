import { readFile } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import type { Reply } from '../../../tests/support/caller.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { eventKinds } from '../../app.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { parseEventId } from './feed-cursor.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})

interface Seen {
  type: string
  resource: { kind: string; id: string }
  changed: string[]
  previous: Record<string, unknown>
  position: number
  // biome-ignore lint/suspicious/noExplicitAny: resources of every kind.
  data: any
  app: { id: string; name: string } | null
  id: string
}

const body = (reply: Reply) => {
  expect(reply.status, reply.text).toBe(200)
  return reply.body.data as { events: Seen[]; next_cursor: string; more: boolean }
}
const now = async (shop: TestApi = api) => body(await shop.as().get('/event?cursor=now')).next_cursor

/** What happens in the store meanwhile. */
const eventsOf = async (work: () => Promise<unknown>, query = '') => {
  const cursor = await now()
  await work()
  return body(await api.as().get(`/event?cursor=${cursor}&page_size=200${query}`)).events
}

const ok = (reply: Reply) => {
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body.data
}
const brief = (events: Seen[]) => events.map(({ type, changed }) => [type, ...changed].join(' '))
let count = 0
const email = () => `event-${++count}@shop.example`
const addCustomer = async () => ok(await api.as().post('/customer', { email: email() })).customer
const addProduct = async (more: object = {}) =>
  ok(await api.as().post('/product', { title: `Mug ${++count}`, default: { price: 5, quantity: 9 }, ...more })).product

test('each write leaves the events of what it changed, and says which fields and what they were', async () => {
  const all = api.as()
  const customer = await addCustomer()
  expect(brief(await eventsOf(addCustomer))).toEqual(['customer.created'])
  const [renamed] = await eventsOf(() =>
    all.put(`/customer/${customer.id}`, { name: 'Amel', subscription_status: 'subscribed' }),
  )
  expect(renamed).toMatchObject({
    type: 'customer.updated',
    resource: { kind: 'customer', id: customer.id },
    changed: ['name', 'subscription_status'],
    previous: { subscription_status: 'not_subscribed' },
    data: { id: customer.id, name: 'Amel' },
  })
  expect(renamed?.previous).not.toHaveProperty('name')

  const product = await addProduct()
  expect(brief(await eventsOf(() => addProduct()))).toEqual(['product.created'])
  expect(brief(await eventsOf(() => all.post(`/product/${product.id}/update`, { title: 'Cup' })))).toEqual([
    'product.updated title variants.title',
  ])
  const line = { variant_id: product.default.id, quantity: 2 }
  const placed = await eventsOf(async () =>
    ok(await all.post('/order', { customer_email: customer.email, variants: [line] })),
  )
  expect(brief(placed).sort()).toEqual([
    'customer.updated latest_order order_count',
    'order.created',
    'product.updated variants.quantity',
  ])
  const order = placed.find(({ type }) => type === 'order.created') as Seen
  expect(placed.find(({ type }) => type === 'product.updated')?.previous).toEqual({
    [`variants.${product.default.id}.quantity`]: 9,
  })
  const paid = await eventsOf(() => all.put(`/order/${order.resource.id}`, { status: 'paid' }))
  const update = paid.find(({ type }) => type === 'order.updated') as Seen
  expect(update.changed).toContain('status')
  expect(update.previous).toMatchObject({ status: 'pending' })
  expect(update.data).toMatchObject({ id: order.resource.id, status: 'paid' })
  const { deliveries } = update.data
  const shipped = await eventsOf(() => all.put(`/order/delivery/${deliveries[0].id}`, { status: 'shipped' }))
  expect(brief(shipped)).toEqual(['order.updated deliveries.status'])
})

test('the samples in the guide are what the API returns', async () => {
  const all = api.as()
  const guide = await readFile(new URL('../../docs/guides/14-events.md', import.meta.url), 'utf8')
  const [event = '', snapshot = ''] = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, code]) => code as string)
  const sample = JSON.parse(event)
  const { order } = ok(await all.post('/order', {}))
  const [paid] = await eventsOf(() => all.put(`/order/${order.id}`, { status: sample.data.status }), '&types=order.*')
  expect(Object.keys(sample)).toEqual(Object.keys(paid ?? {}))
  const { type, changed, previous } = sample
  expect(paid).toMatchObject({ type, changed, previous, resource: { kind: sample.resource.kind } })
  expect(parseEventId(sample.id)).toMatchObject({ position: sample.position })
  expect(Object.keys(paid?.data)).toEqual(expect.arrayContaining(Object.keys(sample.data)))

  ok(await all.post('/category', { name: 'Kitchen' }))
  await addProduct()
  const read = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const lines = read((await all.get('/snapshot?types=category,product')).text)
  // A snapshot this short has no mark.
  for (const shown of read(snapshot).filter(({ type }) => type !== 'mark')) {
    const real = lines.find((line) => line.type === shown.type)
    expect(Object.keys(real), shown.type).toEqual(Object.keys(shown))
    for (const part of ['data', 'counts'])
      if (shown[part]) expect(Object.keys(real[part])).toEqual(expect.arrayContaining(Object.keys(shown[part])))
  }
})

test('a deletion is an event with the id of the resource', async () => {
  const all = api.as()
  const product = await addProduct()
  const review = ok(
    await all.post('/review', { product_id: product.id, rating: 5, content: 'Good', reviewer_name: 'A' }),
  ).review
  const [gone] = await eventsOf(() => all.delete(`/review/${review.id}`))
  expect(gone).toMatchObject({ type: 'review.deleted', data: { id: review.id }, changed: [], previous: {} })
  expect(Object.keys(gone?.data)).toEqual(['id'])
})

test('deleting a product deletes its reviews and landing pages, each with an event', async () => {
  const all = api.as()
  const overSql = (id: string) =>
    runSql(api.db, sqlText`delete from product where store_id = $1 and id = $2`, [api.store.id, id])
  for (const remove of [(id: string) => all.delete(`/product/${id}`), overSql]) {
    const product = await addProduct()
    const content = { product_id: product.id, rating: 4, content: 'Nice', reviewer_name: 'B' }
    const { review } = ok(await all.post('/review', content))
    ok(await all.post('/landing-page', { title: 'Offer', slug: `page-${++count}`, product_id: product.id }))
    const gone = await eventsOf(() => remove(product.id))
    expect(brief(gone).sort()).toEqual(['landing_page.deleted', 'product.deleted', 'review.deleted'])
    expect(gone.find(({ type }) => type === 'review.deleted')?.data).toEqual({ id: review.id })
  }
})

test('of two concurrent orders of one new customer, the customer is created before it is updated', async () => {
  const all = api.as()
  const product = await addProduct({ default: { price: 5, quantity: 50 } })
  for (let round = 0; round < 5; round++) {
    const order = { customer_email: email(), variants: [{ variant_id: product.default.id, quantity: 1 }] }
    const events = await eventsOf(() => Promise.all([all.post('/order', order), all.post('/order', order)]))
    const ofCustomer = events.filter(({ resource }) => resource.kind === 'customer')
    expect(ofCustomer.map(({ type }) => type)).toEqual(['customer.created', 'customer.updated'])
    expect(events.filter(({ type }) => type === 'order.created')).toHaveLength(2)
  }
})

test('a write that changes nothing leaves no event', async () => {
  const all = api.as()
  const customer = await addCustomer()
  const product = await addProduct({ properties: [{ name: 'Size', value: 'L' }] })
  const review = ok(
    await all.post('/review', { product_id: product.id, rating: 5, content: 'Good', reviewer_name: 'A' }),
  ).review
  const page = ok(await all.post('/landing-page', { title: 'Offer', slug: `offer-${++count}`, product_id: product.id }))
  const pageId = (Object.values(page)[0] as { id: string }).id
  const events = await eventsOf(async () => {
    ok(await all.put(`/customer/${customer.id}`, { email: customer.email, name: customer.name }))
    ok(
      await all.post(`/product/${product.id}/update`, {
        title: product.title,
        properties: [{ name: 'Size', value: 'L' }],
      }),
    )
    ok(await all.put(`/review/${review.id}`, { rating: 5 }))
    ok(await all.put(`/landing-page/${pageId}`, { title: 'Offer' }))
  })
  expect(brief(events)).toEqual([])
  expect(ok(await all.get(`/customer/${customer.id}`)).customer).toEqual(customer)
  expect(ok(await all.get(`/product/${product.id}`)).product).toEqual(product)
})

test('an event names the app that made the change', async () => {
  const events = await eventsOf(addCustomer)
  expect(events[0]?.app).toMatchObject({ name: 'Test app' })
  const product = await addProduct()
  const [changed] = await eventsOf(() => api.as().post(`/product/${product.id}/update`, { title: 'Other' }))
  expect(changed?.app?.id).toBe(events[0]?.app?.id)
  expect(await eventsOf(addCustomer, '&ignore_self=true')).toEqual([])
})

test('positions have no gaps, and a page goes on where the one before ended', async () => {
  const cursor = await now()
  for (let i = 0; i < 5; i++) await addCustomer()
  const first = body(await api.as().get(`/event?cursor=${cursor}&page_size=2`))
  expect(first.more).toBe(true)
  const rest = body(await api.as().get(`/event?cursor=${first.next_cursor}&page_size=200`))
  expect(rest.more).toBe(false)
  const positions = [...first.events, ...rest.events].map(({ position }) => position)
  expect(positions).toEqual(Array.from({ length: 5 }, (_, index) => (positions[0] as number) + index))
  const one = ok(await api.as().get(`/event/${first.events[0]?.id}`)).event
  expect(one).toMatchObject({ id: first.events[0]?.id, position: positions[0] })
})

test('filters choose types, fields, resources and times', async () => {
  const customer = await addCustomer()
  const work = async () => {
    await addProduct()
    ok(await api.as().put(`/customer/${customer.id}`, { name: `Name ${++count}` }))
    ok(await api.as().put(`/customer/${customer.id}`, { city: `City ${++count}` }))
  }
  expect(brief(await eventsOf(work, '&types=customer.*'))).toEqual(['customer.updated name', 'customer.updated city'])
  expect(brief(await eventsOf(work, '&types=product.created,order.*'))).toEqual(['product.created'])
  expect(brief(await eventsOf(work, '&types=customer.updated&changed=city'))).toEqual(['customer.updated city'])
  expect(await eventsOf(work, `&resource_id=${customer.id}`)).toHaveLength(2)
  expect(await eventsOf(work, '&to=2020-01-01')).toEqual([])
  expect(await eventsOf(work, '&from=2020-01-01')).toHaveLength(3)
  expect(await eventsOf(work, '&from=2090-01-01')).toEqual([])
  const thin = await eventsOf(work, '&payload=thin&types=customer.*')
  expect(thin[0]?.data).toEqual({ id: customer.id })
})

test('a caller sees only what it may read, and is refused what it asks for by name', async () => {
  const cursor = await now()
  await addCustomer()
  const product = await addProduct()
  const seen = body(await api.as('product:view').get(`/event?cursor=${cursor}`)).events
  expect(brief(seen)).toEqual(['product.created'])
  expect(seen[0]?.resource.id).toBe(product.id)
  expect(await api.as('product:view').get('/event?types=customer.*')).toBeRefused(403)
  expect(await api.as('product:view').get('/event?types=nonsense')).toBeRefused(422, 'types.0')
  const { events } = body(await api.as().get(`/event?cursor=${cursor}&types=customer.created`))
  expect((await api.as('product:view').get(`/event/${events[0]?.id}`)).status).toBe(404)
})

test('a cursor of another store, a forged one and one of deleted events are refused with 410', async () => {
  await addCustomer()
  const mine = await now()
  const other = await startTestApi()
  const refused = await other.as().get(`/event?cursor=${mine}`)
  expect(refused.status).toBe(410)
  expect(refused.body).toMatchObject({ code: 'cursor_expired', message: expect.stringContaining('snapshot') })
  const [feed, position] = Buffer.from(mine, 'base64url').toString().split('.')
  const forged = Buffer.from(`${feed}.${position}.1`).toString('base64url')
  expect((await api.as().get(`/event?cursor=${forged}`)).status).toBe(410)
  const beyond = Buffer.from(`${feed}.${Number(position) + 10}.1`).toString('base64url')
  expect((await api.as().get(`/event?cursor=${beyond}`)).status).toBe(410)
  expect(await api.as().get('/event?cursor=nonsense')).toBeRefused(422, 'cursor')
})

test('every column of a captured table is watched or left out on purpose', async () => {
  const rows = await runSql<{ table: string; column: string }>(
    api.db,
    sqlText`select c.relname as table, a.attname as column
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_attribute a on a.attrelid = c.oid
    where t.tgname = 'capture_update' and c.relname <> 'file_link' and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and a.attname not in ('store_id', 'id', 'updated_at', 'product_id', 'order_id', 'bundle_id')
      and a.attname not like '%\\_key' and position(a.attname in pg_get_triggerdef(t.oid)) = 0
    order by 1, 2`,
    [],
  )
  // Call capture_changes() again in the migration that adds a column, or name here what no reader sees.
  expect(rows.map(({ table, column }) => `${table}.${column}`)).toEqual([
    'customer.phone_digits',
    'customer.search',
    // Shown by parcels, which have no events.
    'delivery.cash_received',
    'delivery.cash_received_at',
    'delivery.cash_reference',
    'file.is_public',
    'file.owner_kinds',
    'file.sha256',
    'file.was_sold',
    'landing_page.slug_is_twin',
    // Cleared with the personal data of its order, which is an event.
    'order_event.note',
    // Set once, when the entry is made.
    'order_event.via',
    // Of the history of stock.
    'order_line.stock_placed',
    'order_line.stock_placed_at',
    'order_line.stock_taken',
    // Of the results of carriers. Set once, when the return is made.
    'order_return.parcel_id',
    'orders.claimed_by',
    'orders.claimed_until',
    'orders.delivery_statuses',
    // Follows customer_phone.
    'orders.phone_e164',
    'orders.refund_statuses',
    'product.has_stock',
    'product.slug_is_twin',
    'product.title_words',
    'product.words',
    'refund.refunded_at',
    'return_line.awaits_receipt',
    'variant.choice',
    'variant.stock_noted',
  ])
})

test('every captured kind is known to the API', async () => {
  const rows = await runSql<{ body: string }>(
    api.db,
    sqlText`select p.prosrc as body from pg_proc p where p.proname like 'capture\\_%' and p.proname <> 'capture_changes'`,
    [],
  )
  const kinds = new Set(
    rows.flatMap(({ body }) => [...body.matchAll(/r\.store_id, '(\w+)'/g)].map(([, kind]) => kind as string)),
  )
  expect([...kinds].filter((kind) => !eventKinds.names.includes(kind))).toEqual([])
  expect(kinds.size).toBeGreaterThan(6)
})

test('once its changes are numbered, a page of one kind is one statement, and who made them another', async () => {
  const cursor = await now()
  const customers: unknown[] = []
  for (const name of ['a', 'b'])
    customers.push(ok(await api.as().post('/customer', { email: `one-${name}@example.com` })).customer)
  const read = async () => {
    let events: Seen[] = []
    const sent = await statementsOf(async () => {
      events = body(await api.as().get(`/event?cursor=${cursor}&types=customer.*`)).events
    })
    expect(events.map(({ data }) => data)).toEqual(customers)
    return sent
  }
  await read()
  expect(await read()).toEqual([expect.anything(), expect.stringContaining('from app')])
})
