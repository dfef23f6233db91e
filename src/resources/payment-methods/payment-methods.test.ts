import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { createPaymentMethod } from './queries.ts'

test('payment methods are listed, and changed by apps with the permission', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  await createPaymentMethod(other.db, other.store.id, { name: 'Theirs' })
  const cash = await createPaymentMethod(api.db, api.store.id, { name: 'Cash', payment_types: ['cod'] })
  const card = await createPaymentMethod(api.db, api.store.id, { name: 'Card', status: 'inactive', connected: true })
  const viewer = await api.as('payment_method:view')
  const listed = await viewer.get('/payment-method?order_by=name&order_direction=ASC')
  expect(listed.body.data).toMatchObject({ payment_methods: [card, cash], pagination: { total: 2 } })
  expect((await viewer.get('/payment-method?status=active')).body.data.payment_methods).toEqual([cash])
  expect((await viewer.get(`/payment-method/${card.id}`)).body.data.payment_method).toEqual(card)

  const { order } = (await api.as().post('/order', { payment_method_id: cash.id })).body.data
  const editor = await api.as('payment_method:update')
  const path = `/payment-method/${cash.id}`
  const changed = await editor.put(path, { name: ' COD ', status: 'inactive', payment_types: ['cod', 'cash', 'cod'] })
  expect(changed.body.data.payment_method).toEqual({
    ...cash,
    name: 'COD',
    status: 'inactive',
    payment_types: ['cod', 'cash'],
  })
  expect((await api.as().get(`/order/${order.id}`)).body.data.order.payment_method).toEqual(
    changed.body.data.payment_method,
  )
  const ignored = await editor.put(path, { connected: true })
  expect(ignored.body.data.payment_method.connected).toBe(false)
  expect(ignored.headers.get('x-ignored-input')).toBe('connected')
  expect(await editor.put(path, { name: ' ', status: 'gone' })).toBeRefused(422, 'name', 'status')
  expect(await editor.put(path, { payment_types: ['Card!'] })).toBeRefused(422, 'payment_types.0')
  expect(await editor.put(path, { payment_types: Array.from({ length: 21 }, (_, n) => `t${n}`) })).toBeRefused(
    422,
    'payment_types',
  )
  expect(await other.as().put(path, { name: 'Mine' })).toFailWith('not_found')
  expect(await viewer.put(path, { name: 'Mine' })).toFailWith('forbidden')
})
