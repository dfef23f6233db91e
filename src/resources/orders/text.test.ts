import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { expectOrderTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { form, picture } from '../../../tests/support/uploads.ts'
import { missingTexts } from '../../core/reading/texts.ts'
import { transact } from '../../core/storage/database.ts'
import { setPrimaryHost } from '../stores/primary-domain.ts'

// biome-ignore lint/suspicious/noExplicitAny: the replies of the API; each test names what it expects.
type Shown = any

/** An order with everything that an order may show: a delivery under way, a return, a refund, a landing page. */
const startShopWithFullOrder = async () => {
  const api = await startTestApi()
  const { db, store } = api
  const all = await api.as()
  const options = [{ order: 0, name: 'Size', values: ['S', 'M'].map((value, order) => ({ order, value })) }]
  const variants = ['S', 'M'].map((value) => ({ price: 5, quantity: 50, values: [{ order: 0, value }] }))
  const { product } = (await all.post('/product', { title: 'Shirt', options, variants })).body.data
  const page = (await all.post('/landing-page', { title: 'Offer', product_id: product.id })).body.data.landing_page
  const ids = { carrier: randomUUID(), payment: randomUUID() }
  await sql`insert into shipping_carrier (store_id, id, name, code, tracking_url)
    values (${store.id}, ${ids.carrier}, 'Aramex', 'aramex', 'https://a.example/{tracking_number}')`.execute(db)
  await sql`insert into payment_method (store_id, id, name, payment_types)
    values (${store.id}, ${ids.payment}, 'Cash', '{cod,card}')`.execute(db)
  const body = {
    status: 'paid',
    customer_email: 'amina@example.com',
    country_id: 'TN',
    landing_page_id: page.id,
    payment_method_id: ids.payment,
    variants: product.variants.map(({ id }: { id: string }) => ({ variant_id: id, quantity: 2 })),
    meta_data: { 'sent \u0001 so': [1, { deep: null }] },
  }
  const { order } = (await all.post('/order', body)).body.data
  const delivery = order.deliveries[0].id
  await all.put(`/order/delivery/${delivery}`, {
    status: 'shipped',
    tracking_number: "A (1)'*/ü",
    shipping_carrier: ids.carrier,
  })
  const units = [{ order_variant_id: order.variants[1].id, quantity: 1 }]
  const returned = (await all.post(`/order/${order.id}/return`, { variants: units })).body.data.return
  const refund = (await all.post(`/order/${order.id}/refund`, { return_id: returned.id })).body.data.refund
  const read = async (): Promise<Shown> => (await all.get(`/order/${order.id}`)).body.data?.order
  return { api, all, product, page, ids, order, delivery, returned, refund, read }
}

test('an order is read from its kept text and shows everything that belongs to it', async () => {
  const { api, ids, product, page, delivery, returned, refund, read } = await startShopWithFullOrder()
  const before = missingTexts.count
  const order = await read()
  expect(missingTexts.count).toBe(before)
  await expectOrderTextsToFitRows(api.db, api.store.id)
  expect(order.deliveries).toHaveLength(1)
  expect(order.deliveries[0]).toMatchObject({
    id: delivery,
    tracking_link: 'https://a.example/A%20%281%29%27%2A%2F%C3%BC',
    shipping_carrier: { id: ids.carrier, name: 'Aramex', code: 'aramex', status: 'active' },
  })
  expect(order.payment_method).toMatchObject({ id: ids.payment, payment_types: ['cod', 'card'] })
  expect(order.landing_page?.id).toBe(page.id)
  expect(order.variants.map((line: Shown) => line.variant)).toMatchObject(
    product.variants.map(({ id }: Shown) => ({ id, quantity: 48 })),
  )
  expect(order.returns).toEqual([returned])
  expect(order.refunds).toEqual([refund])
  expect(order.refunds[0].return).toEqual(returned)
  expect(order.meta_data).toEqual({ 'sent \u0001 so': [1, { deep: null }] })
  expect(order.checkout_link).toBe(`https://${api.store.domain}/checkout/${order.ref}`)
})

test('rows of an order changed directly in SQL are shown at once, in every table', async () => {
  const { api, order, delivery, returned, refund, read } = await startShopWithFullOrder()
  const { id } = order
  const line = order.variants[0].id
  const changes: [string, (shown: Shown) => unknown, unknown][] = [
    [`update orders set shipping_name = 'Express' where id = '${id}'`, (o) => o.shipping_name, 'Express'],
    [`update orders set meta_data = '{"a": 1.50}' where id = '${id}'`, (o) => o.meta_data, { a: 1.5 }],
    [
      `update order_line set title = 'Blouse' where id = '${line}'`,
      (o) => o.deliveries[0].order_variants[0].title,
      'Blouse',
    ],
    [`update delivery set status = 'delivered' where id = '${delivery}'`, (o) => o.deliveries[0].status, 'delivered'],
    [
      `update delivery_line set quantity = 1 where order_line_id = '${line}'`,
      (o) => o.deliveries[0].order_variants[0].quantity,
      1,
    ],
    [`update order_return set reason = 'torn' where id = '${returned.id}'`, (o) => o.refunds[0].return.reason, 'torn'],
    [
      `update return_line set reason = 'small' where return_id = '${returned.id}'`,
      (o) => o.returns[0].return_variants[0].reason,
      'small',
    ],
    [`update refund set status = 'refunded' where id = '${refund.id}'`, (o) => o.refunds[0].status, 'refunded'],
    [
      `update refund_line set amount = 4 where refund_id = '${refund.id}'`,
      (o) => o.refunds[0].refund_variants[0].amount,
      4,
    ],
    [`update order_event set app_name = 'Till' where order_id = '${id}'`, (o) => o.history[0].app_name, 'Till'],
    [`delete from order_event where order_id = '${id}'`, (o) => o.history, []],
    [`delete from refund where id = '${refund.id}'`, (o) => o.refunds, []],
    [`insert into delivery (store_id, order_id) values ('${api.store.id}', '${id}')`, (o) => o.deliveries.length, 2],
    [`delete from orders where id = '${id}'`, (o) => o, undefined],
  ]
  for (const [change, shown, expected] of changes) {
    await sql.raw(change).execute(api.db)
    expect(shown((await read()) ?? undefined), change).toEqual(expected)
  }
})

test('changes to referenced resources are shown without rewriting the text of an order', async () => {
  const { api, all, ids, product, page, order, read } = await startShopWithFullOrder()
  const { db, store } = api
  const { rows: before } = await sql`select text from order_text where id = ${order.id}`.execute(db)
  const variant = product.variants[0].id
  const image = await all.post(
    '/file',
    form({ fileable_type: 'product', fileable_id: product.id, file: { name: 'a.png', bytes: await picture() } }),
  )
  const { file } = image.body.data
  const changes: [change: () => Promise<unknown>, shown: (o: Shown) => unknown, expected: unknown][] = [
    [async () => {}, (o) => o.variants[0].image_url, file.permanent_url],
    [
      async () => sql`update variant set quantity = 7 where id = ${variant}`.execute(db),
      (o) => o.variants[0].variant.quantity,
      7,
    ],
    [
      async () => all.post(`/product/${product.id}/update`, { variants: [{ id: variant, sku: 'S-1' }] }),
      (o) => o.deliveries[0].order_variants[0].variant.sku,
      'S-1',
    ],
    [
      async () =>
        sql`update shipping_carrier set tracking_url = 'https://b.example/?n={tracking_number}'
        where id = ${ids.carrier}`.execute(db),
      (o) => o.deliveries[0].tracking_link,
      'https://b.example/?n=A%20%281%29%27%2A%2F%C3%BC',
    ],
    [
      async () => transact(db, (db) => setPrimaryHost(db, store.id, `new-${store.domain}`)),
      (o) => o.thank_you_link,
      `https://new-${store.domain}/thank-you/${order.ref}`,
    ],
    [
      async () => sql`update payment_method set connected = true where id = ${ids.payment}`.execute(db),
      (o) => o.payment_method.connected,
      true,
    ],
    [async () => sql`delete from payment_method where id = ${ids.payment}`.execute(db), (o) => o.payment_method, null],
    [
      async () => sql`delete from shipping_carrier where id = ${ids.carrier}`.execute(db),
      (o) => [o.deliveries[0].shipping_carrier, o.deliveries[0].tracking_link],
      [null, null],
    ],
    [async () => all.delete(`/landing-page/${page.id}`), (o) => o.landing_page, null],
    [
      async () => sql`delete from variant where id = ${variant}`.execute(db),
      (o) => [o.variants[0].variant, o.variants[0].image_url],
      [null, file.permanent_url],
    ],
    [
      async () => sql`delete from product where id = ${product.id}`.execute(db),
      (o) => o.variants.map((line: Shown) => [line.variant, line.image_url]),
      [
        [null, null],
        [null, null],
      ],
    ],
  ]
  for (const [change, shown, expected] of changes) {
    await change()
    expect(shown(await read())).toEqual(expected)
  }
  expect((await sql`select text from order_text where id = ${order.id}`.execute(db)).rows).toEqual(before)
})

test('an order is shown even if its kept text, or that of a variant, is missing', async () => {
  const { api, order, product, read } = await startShopWithFullOrder()
  const shown = await read()
  for (const [table, id] of [
    ['variant_text', product.variants[0].id],
    ['order_text', order.id],
  ] as const) {
    await sql`delete from ${sql.table(table)} where id = ${id}`.execute(api.db)
    expect(await read()).toEqual(shown)
  }
})

test('a page of orders, one order and a customer with an order take one statement each', async ({ skip }) => {
  skip(isOnCitus, 'Citus keeps plans only of statements of one table')
  const { api, all, order } = await startShopWithFullOrder()
  await sql`update orders set landing_page_id = null where id = ${order.id}`.execute(api.db)
  await all.put(`/order/${order.id}`, { is_archived: true })
  const { id } = (await all.get('/customer')).body.data.customers[0]
  const count = async (path: string) => (await statementsOf(() => all.get(path))).length
  await all.get('/order?page_size=1')
  expect(await count('/order')).toBe(1)
  expect(await count(`/order/${order.id}`)).toBe(1)
  expect(await count(`/customer/${id}`)).toBe(1)
})

const FILTERS = [
  'ref=X',
  'status=paid',
  'delivery_status=shipped',
  'exclude_delivery_status=shipped',
  'return_status=unfulfilled',
  'exclude_return_status=unfulfilled',
  'refund_status=pending',
  'exclude_refund_status=pending,refunded',
  'is_cancelled=false',
  'is_archived=true',
  'from=2020-01-01',
  'to=2030-01-01',
  'updated_from=2020-01-01',
  'updated_to=2030-01-01',
  'search=amina',
]

test('the list has few distinct statements: page size, page, cursor and values are bound', async () => {
  const { all, product, order } = await startShopWithFullOrder()
  await all.get('/order')
  const filters = ['', ...FILTERS, `product_id=${product.id}`, `customer_id=${order.customer_id}`]
  const ask = (sizes: number[], some: string[]) =>
    statementsOf(async () => {
      for (const filter of some)
        for (const sort of ['total', 'quantity', 'date', 'status'])
          for (const direction of ['ASC', 'DESC'])
            for (const size of sizes) {
              const query = `/order?order_by=${sort}&order_direction=${direction}&page_size=${size}&${filter}`
              expect((await all.get(query)).status, query).toBe(200)
            }
    })
  const few = new Set(await ask([1], filters))
  const many = await ask([2, 17, 23, 200], ['', 'status=pending', 'search=salah'])
  expect(many.filter((text) => !few.has(text))).toEqual([])
  // One for each filter, sort and direction, and a few that look up references and load texts.
  // Citus counts in a statement of its own, and loads texts level by level.
  expect(few.size).toBeLessThan(filters.length * (isOnCitus ? 9 : 8) + (isOnCitus ? 16 : 8))
  for (const text of few) expect(text.length, text).toBeLessThan(6_500)
})
