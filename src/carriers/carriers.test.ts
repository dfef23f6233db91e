import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { OperatorError } from '../errors.ts'
import { createCarrier, disableCarrier, listCarriers } from './manage-carriers.ts'

const TEMPLATE = 'https://track.example/{tracking_number}'

test('an app without any permission sees the active carriers of its store, by name, and no others', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const swift = await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift', trackingUrl: TEMPLATE })
  const aramex = await createCarrier(api.db, api.store.id, { name: 'أرامكس', code: 'aramex' })
  await createCarrier(api.db, api.store.id, { name: 'Gone', code: 'gone' })
  await disableCarrier(api.db, api.store.id, 'gone')
  await createCarrier(other.db, other.store.id, { name: 'Theirs', code: 'swift' })

  const app = await api.install([])
  const bound = api.anonymous.with({
    authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}`,
  })
  const reply = await bound.get('/shipping-carrier')
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({
    data: {
      carriers: [
        { id: swift.id, name: 'Swift', code: 'swift', status: 'active' },
        { id: aramex.id, name: 'أرامكس', code: 'aramex', status: 'active' },
      ],
    },
  })
})

test('a store without carriers answers with an empty list', async () => {
  const api = await startTestApi()
  expect((await api.as('product:view').get('/shipping-carrier')).body).toEqual({ data: { carriers: [] } })
})

test('the list is whole, however long, and paging parameters are named as ignored', async () => {
  const api = await startTestApi()
  const store_id = api.store.id
  const many = Array.from({ length: 250 }, (_, n) => ({ store_id, name: `Carrier ${n}`, code: `c${n}` }))
  await api.db.insertInto('shipping_carrier').values(many).execute()
  const reply = await api.as('order:view').get('/shipping-carrier?page=2&page_size=10')
  expect(reply.body.data.carriers).toHaveLength(250)
  expect(reply.body.data).not.toHaveProperty('pagination')
  expect(reply.headers.get('x-ignored-input')).toBe('page, page_size')
})

test('listing carriers with a full access token needs an installation', async () => {
  const api = await startTestApi()
  const app = await api.install([])
  const { id } = await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift' })
  const full = api.anonymous.with({ authorization: `Bearer ${await api.getToken(app)}` })
  expect(await full.get('/shipping-carrier')).toFailWith('install_required')
  const named = await full.get('/shipping-carrier', { 'x-app-install-id': app.install_id })
  expect(named.body.data.carriers.map((carrier: { id: string }) => carrier.id)).toEqual([id])
  expect(await api.anonymous.get('/shipping-carrier')).toFailWith('unauthenticated')
})

test('an unchanged list is 304', async () => {
  const api = await startTestApi()
  const caller = await api.as('order:view')
  const etag = (await caller.get('/shipping-carrier')).headers.get('etag') as string
  expect((await caller.get('/shipping-carrier', { 'if-none-match': etag })).status).toBe(304)
  await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift' })
  expect((await caller.get('/shipping-carrier', { 'if-none-match': etag })).status).toBe(200)
})

test('the operator creates, lists and disables carriers, and gets error messages', async () => {
  const { db, store } = await startTestApi()
  const made = await createCarrier(db, store.id, { name: 'Swift', code: 'swift', trackingUrl: TEMPLATE })
  expect(made).toEqual({ id: expect.any(String), name: 'Swift', code: 'swift', status: 'active' })
  expect(await disableCarrier(db, store.id, 'swift')).toEqual({ ...made, status: 'inactive' })
  expect(await disableCarrier(db, store.id, 'swift')).toEqual({ ...made, status: 'inactive' })
  expect(await listCarriers(db, store.id)).toEqual([{ ...made, status: 'inactive' }])

  const wrong = [
    createCarrier(db, store.id, { name: 'Again', code: 'swift' }),
    createCarrier(db, store.id, { name: ' ', code: 'blank' }),
    createCarrier(db, store.id, { name: 'Spaced', code: 'two words' }),
    createCarrier(db, store.id, { name: 'Script', code: 'x', trackingUrl: 'javascript:alert({tracking_number})' }),
    createCarrier(db, store.id, { name: 'Numberless', code: 'x', trackingUrl: 'https://track.example/' }),
    createCarrier(db, 'nowhere', { name: 'Swift', code: 'swift' }),
    disableCarrier(db, store.id, 'unknown'),
    listCarriers(db, '00000000-0000-0000-0000-000000000000'),
  ]
  for (const refused of await Promise.allSettled(wrong)) {
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(OperatorError) })
  }
  expect(await listCarriers(db, store.id)).toHaveLength(1)
})
