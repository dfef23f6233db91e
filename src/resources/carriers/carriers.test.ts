import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { createCarrier, MAX_CARRIERS } from './create-carrier.ts'

const TEMPLATE = 'https://track.example/{tracking_number}'

test('an app without any permission sees the active carriers of its store, by name, and no others', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const swift = await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift', tracking_url: TEMPLATE })
  const aramex = await createCarrier(api.db, api.store.id, { name: 'أرامكس', code: 'aramex' })
  await createCarrier(api.db, api.store.id, { name: 'Gone', code: 'gone', status: 'inactive' })
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
        { id: swift.id, name: 'Swift', code: 'swift', status: 'active', tracking_url: TEMPLATE },
        { id: aramex.id, name: 'أرامكس', code: 'aramex', status: 'active', tracking_url: null },
      ],
    },
  })
})

test('a store without carriers answers with an empty list', async () => {
  const api = await startTestApi()
  expect((await api.as('product:view').get('/shipping-carrier')).body).toEqual({ data: { carriers: [] } })
})

test('the list is never paged, and paging parameters are named as ignored', async () => {
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

test('inactive carriers are listed for apps with shipping:view', async () => {
  const api = await startTestApi()
  await createCarrier(api.db, api.store.id, { name: 'Swift', code: 'swift' })
  await createCarrier(api.db, api.store.id, { name: 'Gone', code: 'gone', status: 'inactive' })
  const codes = async (status: string) => {
    const { carriers } = (await api.as('shipping:view').get(`/shipping-carrier?status=${status}`)).body.data
    return carriers.map(({ code }: { code: string }) => code)
  }
  expect(await codes('all')).toEqual(['gone', 'swift'])
  expect(await codes('inactive')).toEqual(['gone'])
  expect(await codes('active')).toEqual(['swift'])
  const other = await api.as('shipping:update', 'order:view')
  for (const status of ['all', 'inactive']) {
    const reply = await other.get(`/shipping-carrier?status=${status}`)
    expect(reply).toFailWith('forbidden')
    expect(reply.body.message).toContain('shipping:view')
  }
  expect(await other.get('/shipping-carrier?status=gone')).toBeRefused(422, 'status')
  expect((await other.get('/shipping-carrier?status=active')).status).toBe(200)
})

test('a carrier is created, read and changed', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const made = await all.post('/shipping-carrier', { name: 'Swift', code: 'swift', tracking_url: TEMPLATE })
  expect(made.status).toBe(201)
  const { carrier } = made.body.data
  expect(carrier).toEqual({
    id: expect.any(String),
    name: 'Swift',
    code: 'swift',
    status: 'active',
    tracking_url: TEMPLATE,
  })
  const path = `/shipping-carrier/${carrier.id}`
  expect((await api.as('shipping:view').get(path)).body.data.carrier).toEqual(carrier)
  const changed = await api.as('shipping:update').put(path, { name: 'Swifter', tracking_url: null })
  expect(changed.body.data.carrier).toEqual({ ...carrier, name: 'Swifter', tracking_url: null })
  expect((await all.put(path, {})).body.data.carrier).toEqual(changed.body.data.carrier)
  expect(changed.headers.get('etag')).toBe((await all.get(path)).headers.get('etag'))

  await all.post('/shipping-carrier', { name: 'Other', code: 'other' })
  expect(await all.put(path, { code: 'other' })).toBeRefused(422, 'code')
  expect(await all.post('/shipping-carrier', { name: 'Again', code: 'other' })).toBeRefused(422, 'code')
  expect(await all.post('/shipping-carrier', {})).toBeRefused(422, 'name', 'code')
  for (const tracking_url of ['javascript:{tracking_number}', 'https://track.example/', '{tracking_number}', ''])
    expect(await all.put(path, { tracking_url })).toBeRefused(422, 'tracking_url')
  expect(await all.put(path, { name: ' ', code: 'two words', status: 'gone' })).toBeRefused(
    422,
    'name',
    'code',
    'status',
  )
  expect(await all.put('/shipping-carrier/00000000-0000-7000-8000-000000000000', {})).toFailWith('not_found')
  expect((await all.get(path)).body.data.carrier).toEqual(changed.body.data.carrier)
})

test('deleting a carrier that a delivery uses makes it inactive; an unused one is removed', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { id: used } = await createCarrier(api.db, api.store.id, { name: 'Used', code: 'used' })
  const { id: unused } = await createCarrier(api.db, api.store.id, { name: 'Unused', code: 'unused' })
  const mug = await addProduct(api)
  const { order } = (await all.post('/order', { variants: [{ variant_id: mug.variant, quantity: 1 }] })).body.data
  const delivery = `/order/delivery/${order.deliveries[0].id}`
  await all.put(delivery, { shipping_carrier: used, tracking_number: '7' })

  const remover = await api.as('shipping:delete')
  expect((await remover.delete(`/shipping-carrier/${unused}`)).body).toEqual({ data: { carrier: null } })
  expect(await remover.delete(`/shipping-carrier/${unused}`)).toFailWith('not_found')
  const kept = (await remover.delete(`/shipping-carrier/${used}`)).body.data.carrier
  expect(kept).toMatchObject({ id: used, status: 'inactive' })
  expect((await all.get(`/order/${order.id}`)).body.data.order.deliveries[0].shipping_carrier).toEqual(kept)
  expect(await all.put(delivery, { shipping_carrier: used, tracking_number: '8' })).toBeRefused(422, 'shipping_carrier')
})

test('a carrier deleted while deliveries choose it ends up inactive or unused, never missing', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const mug = await addProduct(api)
  for (let round = 0; round < 5; round++) {
    const { id } = await createCarrier(api.db, api.store.id, { name: 'Swift', code: `swift-${round}` })
    const { order } = (await all.post('/order', { variants: [{ variant_id: mug.variant, quantity: 1 }] })).body.data
    const [chosen, deleted] = await Promise.all([
      all.put(`/order/delivery/${order.deliveries[0].id}`, { shipping_carrier: id }),
      all.delete(`/shipping-carrier/${id}`),
    ])
    const { shipping_carrier } = (await all.get(`/order/${order.id}`)).body.data.order.deliveries[0]
    if (chosen.status === 200) expect(deleted.body.data.carrier).toEqual(shipping_carrier)
    else {
      expect(chosen).toBeRefused(422, 'shipping_carrier')
      expect(deleted.body.data.carrier).toBeNull()
      expect(shipping_carrier).toBeNull()
    }
  }
})

test('a store has at most a thousand carriers, also when they are added at once', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const many = Array.from({ length: MAX_CARRIERS - 1 }, (_, n) => ({
    store_id: api.store.id,
    name: `Carrier ${n}`,
    code: `c${n}`,
  }))
  await api.db.insertInto('shipping_carrier').values(many).execute()
  const replies = await Promise.all(
    ['x', 'y', 'z'].map((code) => all.post('/shipping-carrier', { name: 'Last', code })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, 422, 422])
})
