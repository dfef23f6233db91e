import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { finishedJob, ndjson, startBulk } from '../../../tests/support/bulk.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'
import { form, picture } from '../../../tests/support/uploads.ts'

const DRY = { prefer: 'dry-run' }

test('a dry run checks against the stored data, and leaves its Idempotency-Key free', async () => {
  const api = await startTestApi()
  const app = api.as('customer:create', 'customer:view')
  const body = { email: 'amel@example.com', name: 'Amel', country_id: 'TN' }
  const headers = { 'idempotency-key': 'one' }
  const tried = await app.post('/customer?dry_run=true', body, headers)
  expect(tried.status).toBe(201)
  expect(tried.headers.get('x-ignored-input')).toBeNull()
  expect(tried.headers.get('etag')).toBeNull()
  const done = await app.post('/customer', body, headers)
  expect(done.headers.get('preference-applied')).toBeNull()
  const moment = { id: '', created_at: '', updated_at: '' }
  expect({ ...tried.body.data.customer, ...moment }).toEqual({ ...done.body.data.customer, ...moment })
  expect((await app.get(`/customer/${tried.body.data.customer.id}`)).status).toBe(404)

  const again = await app.post('/customer', body, { prefer: 'respond-async, Dry-Run; x=1' })
  expect(again).toBeRefused(422, 'email')
  expect(again.headers.get('preference-applied')).toBe('dry-run')
  expect(await app.post('/customer?dry_run=maybe', { email: 'b@example.com' })).toBeRefused(422, 'dry_run')
  const other = await app.post('/customer?dry_run=false', { email: 'c@example.com' }, { prefer: 'dry-runs' })
  expect((await app.get(`/customer/${other.body.data.customer.id}`)).status).toBe(200)
})

test('a dry run of an order takes no stock, and one of an upload stores no file', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api, { quantity: 3 })
  const app = api.as('order:create', 'file:upload')
  const lines = (quantity: number) => ({ variants: [{ variant_id: variant, quantity }] })
  const order = await app.post('/order', lines(3), DRY)
  expect(order.body.data.order).toMatchObject({ quantity: 3, total: 30 })
  expect(await app.post('/order', lines(4), DRY)).toBeRefused(422, 'variants.0.quantity')
  expect(await stockOf(api, variant)).toBe(3)

  const upload = { name: 'dry.png', bytes: await picture() }
  expect((await app.post('/file', form({ file: upload }), DRY)).body.data.file.name).toBe('dry.png')
  // The bytes are deleted after the reply is sent.
  await eventually(async () => {
    for (const table of ['file', 'blob', 'blob_claim'] as const)
      expect(await api.db.selectFrom(table).selectAll().where('store_id', '=', api.store.id).execute()).toEqual([])
  })
  const kept = await readdir(api.config.DATA_DIR, { recursive: true, withFileTypes: true })
  expect(kept.filter((entry) => entry.isFile() && entry.parentPath.includes(api.store.id))).toEqual([])
})

test('a dry run of a bulk job keeps the job and its key, and changes nothing else', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const start = () =>
    startBulk(app, 'resource=customer', ndjson([{ email: 'amel@example.com' }]), { ...DRY, 'idempotency-key': 'one' })
  const [first, again] = [await start(), await start()]
  expect(first.headers.get('preference-applied')).toBe('dry-run')
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.text).toBe(first.text)
  expect((await finishedJob(app, first.body.data.job.id)).counts).toMatchObject({ created: 1 })
  expect((await app.get('/customer')).body.data.customers).toEqual([])
})
