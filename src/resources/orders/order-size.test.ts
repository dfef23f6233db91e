import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'

/** A paid order with many lines of 1,000 mugs. */
const placeLarge = async (lines: number) => {
  const api = await startTestApi()
  const app = await api.as()
  const mug = (await app.post('/product', { title: 'Mug', stock_tracked: false, price: 10 })).body.data.product
  const variants = Array.from({ length: lines }, () => ({ variant_id: mug.default.id, quantity: 1_000 }))
  const { order } = (await app.post('/order', { status: 'paid', variants })).body.data
  const read = async () => (await app.get(`/order/${order.id}`)).body.data.order
  return { api, app, order, line: order.variants[0].id as string, read, store: api.store.id }
}

test('an order has 100 deliveries, 100 returns and 100 refunds at most', async () => {
  const { api, app, order, line, read, store } = await placeLarge(1)
  const post = (part: string, body: object) => app.post(`/order/${order.id}/${part}`, body)
  const units = { variants: [{ order_variant_id: line, quantity: 1 }] }
  await sql`insert into delivery (store_id, order_id) select ${store}, ${order.id} from generate_series(1, 98)`.execute(
    api.db,
  )
  await sql`insert into order_return (store_id, order_id) select ${store}, ${order.id}
    from generate_series(1, 99)`.execute(api.db)
  await sql`insert into refund (store_id, order_id, amount) select ${store}, ${order.id}, 1
    from generate_series(1, 99)`.execute(api.db)
  expect((await post('delivery', units)).status).toBe(201)
  expect((await post('return', units)).status).toBe(201)
  expect((await post('refund', { amount: 1 })).status).toBe(201)
  expect(await post('delivery', units)).toBeRefused(422, 'deliveries')
  expect(await post('return', units)).toBeRefused(422, 'returns')
  expect(await post('refund', { amount: 1 })).toBeRefused(422, 'refunds')
  const after = await read()
  expect([after.deliveries.length, after.returns.length, after.refunds.length]).toEqual([100, 100, 100])
  expect((await app.put(`/order/${order.id}`, { is_archived: true })).status).toBe(200)
})

test('the lines and reasons of an order are limited', async () => {
  const { api, app, order, line, read, store } = await placeLarge(100)
  const takeBack = (reason: string | null) =>
    app.post(`/order/${order.id}/return`, { reason, variants: [{ order_variant_id: line, quantity: 1 }] })
  await sql`insert into order_return (store_id, order_id, reason)
    values (${store}, ${order.id}, ${'x'.repeat(65_000)})`.execute(api.db)
  expect(await takeBack('x'.repeat(1_000))).toBeRefused(422, 'reason')
  expect((await takeBack('x'.repeat(100))).status).toBe(201)
  await sql`
    with sent as (
      insert into delivery (store_id, order_id) select ${store}, ${order.id} from generate_series(1, 49) returning id
    )
    insert into delivery_line (store_id, order_id, delivery_id, order_line_id, quantity)
    select ${store}, ${order.id}, sent.id, l.id, 1 from sent, order_line l
    where l.store_id = ${store} and l.order_id = ${order.id}`.execute(api.db)
  expect(await takeBack(null)).toBeRefused(422, 'variants')
  expect((await read()).returns).toHaveLength(2)
})

test('the history of an order keeps its newest 500 entries', async () => {
  const { api, app, order, read, store } = await placeLarge(1)
  await sql`insert into order_event (store_id, order_id, app_name, subject, subject_id, to_state, created_at)
    select ${store}, ${order.id}, 'Old', 'is_archived', ${order.id}, 'true', now() - interval '1 day' + n * interval '1 second'
    from generate_series(1, 600) n`.execute(api.db)
  expect((await app.put(`/order/${order.id}`, { is_archived: true })).status).toBe(200)
  const { history, deliveries } = await read()
  expect(history).toHaveLength(500)
  expect(history.at(-1)).toMatchObject({ subject: 'is_archived', from: 'false', to: 'true', app_name: 'Test app' })
  expect((await app.put(`/order/delivery/${deliveries[0].id}`, { status: 'shipped' })).status).toBe(200)
  const later = (await read()).history
  expect(later).toHaveLength(500)
  expect(later.at(-1)).toMatchObject({ subject: 'delivery', to: 'shipped' })
})
