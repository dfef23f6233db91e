import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'
import { allWhileLocked } from '../../../tests/support/waiting.ts'

const DESK = {
  bad_below: 50,
  careful_below: 75,
  confirm: false,
  confirm_payment_methods: [],
  max_quantity: 10,
  min_address: 10,
  min_parcels: 3,
  restock_on_receipt: false,
  share_phone_counts: false,
}

test('the settings of a store are read and changed, field by field', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const viewer = await api.as('setting:view')
  const editor = await api.as('setting:update')
  const read = await viewer.get('/setting')
  expect(read.body.data.setting).toEqual({
    name: 'Test store',
    currency: 'TND',
    time_zone: 'UTC',
    language: 'en',
    contact_email: null,
    contact_phone: null,
    contact_address: null,
    logo_id: null,
    country_id: 'TN',
    can_share_phone_counts: false,
    order_desk: DESK,
  })
  const changes = {
    name: 'Dar Yasmine',
    time_zone: 'africa/tunis',
    language: 'fr-TN',
    contact_email: 'hello@shop.example',
    contact_phone: '+216 71 000 000',
    contact_address: '1 rue de la Kasbah',
  }
  const changed = await editor.put('/setting', changes)
  expect(changed.status).toBe(200)
  expect(changed.body.data.setting).toEqual({
    ...changes,
    time_zone: 'Africa/Tunis',
    currency: 'TND',
    logo_id: null,
    country_id: 'TN',
    can_share_phone_counts: false,
    order_desk: DESK,
  })
  expect((await viewer.get('/setting')).body).toEqual(changed.body)
  expect((await editor.put('/setting', {})).body).toEqual(changed.body)
  expect((await editor.put('/setting', { contact_phone: null })).body.data.setting.contact_phone).toBeNull()
  expect((await other.as('setting:view').get('/setting')).body.data.setting.name).toBe('Test store')
  expect(await viewer.put('/setting', {})).toFailWith('forbidden')
  expect(await editor.get('/setting')).toFailWith('forbidden')
})

test('settings honour If-Match', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const etag = (await all.get('/setting')).headers.get('etag') as string
  const replies = await Promise.all(['A', 'B', 'C'].map((name) => all.put('/setting', { name }, { 'if-match': etag })))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412])
  const now = await all.get('/setting')
  expect(replies.find(({ status }) => status === 200)?.headers.get('etag')).toBe(now.headers.get('etag'))
})

test('invalid settings are refused and change nothing', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const before = (await all.get('/setting')).text
  for (const time_zone of ['Mars/Olympus', '+01:00', '', 'FOO3', "UTC'; drop table store", 'x'.repeat(65), 7, null])
    expect(await all.put('/setting', { name: 'X', time_zone })).toBeRefused(422, 'time_zone')
  for (const currency of ['tnd', 'XXY', 'EURO', '', null])
    expect(await all.put('/setting', { currency })).toBeRefused(422, 'currency')
  expect(
    await all.put('/setting', { name: ' ', language: 'french!', contact_email: 'nobody', contact_address: 5 }),
  ).toBeRefused(422, 'name', 'language', 'contact_email', 'contact_address')
  expect((await all.get('/setting')).text).toBe(before)
  for (const time_zone of ['Asia/Kolkata', 'Etc/GMT+1', 'America/Argentina/Buenos_Aires', 'UTC'])
    expect((await all.put('/setting', { time_zone })).body.data.setting.time_zone).toBe(time_zone)
})

test('the currency can be changed until the first order, and new orders have it', async () => {
  const api = await startTestApi()
  const all = await api.as()
  expect((await all.put('/setting', { currency: 'EUR' })).body.data.setting.currency).toBe('EUR')
  expect((await all.post('/order', {})).body.data.order.currency).toBe('EUR')
  const refused = await all.put('/setting', { currency: 'USD' })
  expect(refused).toBeRefused(422, 'currency')
  expect(refused.body.errors.currency[0]).toContain('has orders')
  expect((await all.put('/setting', { currency: 'EUR', name: 'Same' })).status).toBe(200)
})

test('a change of currency waits for an order that is being placed', async () => {
  const api = await startTestApi()
  const all = await api.as()
  await api.db.transaction().execute(async (placing) => {
    await placing.insertInto('orders').values({ store_id: api.store.id, ref: 'FIRST', currency: 'TND' }).execute()
    const changing = all.put('/setting', { currency: 'EUR' })
    expect(await Promise.race([changing.then(() => 'done'), new Promise((done) => setTimeout(done, 200))])).not.toBe(
      'done',
    )
    void changing.then((reply) => expect(reply).toBeRefused(422, 'currency'))
  })
  expect((await all.get('/setting')).body.data.setting.currency).toBe('TND')
})

test('an order that is placed while the currency changes has the currency of the store', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api)
  const app = api.as('order:create', 'order:view', 'setting:view', 'setting:update')
  const hold = sql`update variant set quantity = 50 where store_id = ${api.store.id} and id = ${variant}`
  const [placed, changed] = await allWhileLocked(api.db, hold, [
    () => app.post('/order', { variants: [{ variant_id: variant, quantity: 1 }] }),
    () => app.put('/setting', { currency: 'EUR' }),
  ])
  expect(placed?.status, placed?.text).toBe(201)
  expect([200, 422]).toContain(changed?.status)
  expect((await app.get('/setting')).body.data.setting.currency).toBe(placed?.body.data.order.currency)
})

test('the logo is a used file of the store, and none once its file is deleted', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const app = api.as('setting:view', 'setting:update', 'file:browse', 'file:delete')
  const filesThat = async (linked: boolean) => {
    const { files, pagination } = (await app.get(`/file?linked=${linked}`)).body.data
    expect(pagination.total).toBe(files.length)
    return files.map(({ id }: { id: string }) => id)
  }
  const usesOf = async (id: string) => (await app.get(`/file/${id}/link`)).body.data.links
  const addFile = async (of: typeof api, file: Uint8Array): Promise<string> => (await upload(of, { file })).id
  const png = await picture('png')
  const logo = await addFile(api, png)
  const set = (logo_id: unknown) => app.put('/setting', { logo_id })
  // Lists that are asked for again are remembered.
  for (let n = 0; n < 3; n++) expect([await filesThat(true), await filesThat(false)]).toEqual([[], [logo]])
  expect(await usesOf(logo)).toEqual([])
  expect((await set(logo)).body.data.setting.logo_id).toBe(logo)
  for (let n = 0; n < 3; n++) expect([await filesThat(true), await filesThat(false)]).toEqual([[logo], []])
  const { name } = (await app.get('/setting')).body.data.setting
  const use = { fileable_type: 'store', fileable_id: api.store.id, role: 'logo', title: name, product_id: null }
  expect(await usesOf(logo)).toEqual([use])
  expect(await app.delete(`/file/${logo}/link/store/${api.store.id}`)).toFailWith('not_found')
  expect((await set(null)).body.data.setting.logo_id).toBeNull()
  expect([await filesThat(true), await filesThat(false)]).toEqual([[], [logo]])
  expect((await set(logo)).status).toBe(200)
  for (const wrong of [await addFile(other, png), await addFile(api, Buffer.from('A note')), randomUUID(), 'logo', 5])
    expect(await set(wrong)).toBeRefused(422, 'logo_id')
  expect((await app.put('/setting', { name: 'Renamed' })).body.data.setting.logo_id).toBe(logo)
  expect((await other.as('setting:view').get('/setting')).body.data.setting.logo_id).toBeNull()
  expect((await app.post(`/file/${logo}`)).status).toBeLessThan(300)
  expect((await app.get('/setting')).body.data.setting.logo_id).toBeNull()
  expect((await set(null)).status).toBe(200)
})
