import { expect, test } from 'vitest'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { stockOf } from '../../../tests/support/products.ts'
import { startShopWithOrders } from '../../../tests/support/shop-with-orders.ts'

test('deleting an order restocks its unshipped units and updates its customer’s totals', async () => {
  const { api, all, sell, mug, hat } = await startShopWithOrders()
  const customer_email = 'amel@shop.example'
  const first = await sell({ customer_email, customer_city: 'Sfax' })
  const second = await sell({ customer_email, customer_city: 'Sfax' })
  expect(await stockOf(api, hat.variant)).toBe(94)
  const customer = async () => (await all.get(`/customer/${first.customer_id}`)).body.data.customer
  expect(await customer()).toMatchObject({ order_count: 2, amount_spent: 254, latest_order: { id: second.id } })

  const remover = await api.as('order:delete')
  expect((await remover.delete(`/order/${second.id}`)).body).toEqual({ data: {} })
  expect(await remover.delete(`/order/${second.id}`)).toFailWith('not_found')
  expect(await all.get(`/order/${second.id}`)).toFailWith('not_found')
  expect(await all.put(`/order/delivery/${second.parcel}`, { status: 'shipped' })).toFailWith('not_found')
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([98, 97])
  expect(await customer()).toMatchObject({ order_count: 1, amount_spent: 127, latest_order: { id: first.id } })
  for (const query of [
    '',
    '?search=sfax',
    '?status=paid',
    '?delivery_status=unfulfilled',
    `?search=${customer_email}`,
  ]) {
    const { orders, pagination } = (await all.get(`/order${query}`)).body.data
    expect([orders.map(({ id }: { id: string }) => id), pagination.total], query).toEqual([[first.id], 1])
  }
  const csv = (await all.get('/order/export')).text
  expect([csv.includes(first.ref), csv.includes(second.ref)]).toEqual([true, false])
  await remover.delete(`/order/${first.id}`)
  expect(await customer()).toMatchObject({ order_count: 0, amount_spent: 0, latest_order: null })
})

test('units that were shipped, restocked or released before are not restocked again', async () => {
  const { api, all, sell, mug, hat } = await startShopWithOrders()
  const shipped = await sell()
  await all.put(`/order/delivery/${shipped.parcel}`, { status: 'shipped' })
  await all.post(`/order/${shipped.id}/return`, {
    variants: [{ order_variant_id: shipped.hats, quantity: 1, restock: true }],
  })
  await all.post(`/order/${shipped.id}/refund`, { amount: 5 })
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([98, 98])
  expect((await all.delete(`/order/${shipped.id}`)).status).toBe(200)
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([98, 98])

  const cancelled = await sell()
  await all.put(`/order/${cancelled.id}`, { is_cancelled: true })
  expect((await all.delete(`/order/${cancelled.id}`)).status).toBe(200)
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([98, 98])
  expect((await all.get('/order?refund_status=pending')).body.data.pagination.total).toBe(0)
})

test('deleting an order needs the permission, the right store and the current version', async () => {
  const { api, all, sell } = await startShopWithOrders()
  const other = await startShopWithOrders()
  const order = await sell()
  expect(await other.all.delete(`/order/${order.id}`)).toFailWith('not_found')
  expect(await api.as('order:update').delete(`/order/${order.id}`)).toFailWith('forbidden')
  const etag = (await all.get(`/order/${order.id}`)).headers.get('etag') as string
  await all.put(`/order/${order.id}`, { customer_city: 'Sfax' })
  expect(await all.delete(`/order/${order.id}`, { 'if-match': etag })).toFailWith('version_mismatch')
  const key = { 'idempotency-key': 'once' }
  const replies = [await all.delete(`/order/${order.id}`, key), await all.delete(`/order/${order.id}`, key)]
  expect(replies.map(({ status }) => status)).toEqual([200, 200])
})

test('concurrent deletions, updates and new orders keep stock and totals right', async () => {
  const { api, all, sell, hat, mug } = await startShopWithOrders()
  const customer_email = 'amel@shop.example'
  for (let round = 0; round < 4; round++) {
    const order = await sell({ customer_email })
    const unit = { variants: [{ order_variant_id: order.hats, quantity: 1, restock: true }] }
    const replies = await Promise.all([
      all.delete(`/order/${order.id}`),
      all.put(`/order/${order.id}`, { is_cancelled: true }),
      all.post(`/order/${order.id}/return`, unit),
      all.put(`/order/delivery/${order.parcel}`, { tracking_number: null }),
      all.delete(`/order/${order.id}`),
      sell({ customer_email }),
    ])
    const statuses = replies.flatMap((reply) => ('text' in reply ? [reply.status] : []))
    for (const status of statuses) expect([200, 201, 404, 422]).toContain(status)
  }
  const { orders } = (await all.get('/order')).body.data
  expect(orders).toHaveLength(4)
  expect([await stockOf(api, mug.variant), await stockOf(api, hat.variant)]).toEqual([92, 88])
  const [customer] = (await all.get('/customer')).body.data.customers
  expect(customer).toMatchObject({ order_count: 4, amount_spent: 4 * 127, latest_order: { id: orders[0].id } })
  await expectTextsToFitRows(api.db)
})
