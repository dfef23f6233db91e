import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'

const addFile = async (api: TestApi, name: string, more: object = {}) => {
  // Another colour for each: files of the same content share it.
  const colour = `#${randomUUID().slice(0, 6)}`
  return upload(api, { file: { name, bytes: await picture('png', { colour }) }, ...more })
}

const exists = async (api: TestApi, id: string) => (await api.as('file:browse').get(`/file/${id}`)).status === 200

const results = (reply: { body: { data: { files: { result: string }[] } } }) =>
  reply.body.data.files.map(({ result }) => result)

const counts = async ({ db, store }: TestApi) => {
  const count = async (table: 'file' | 'blob' | 'blob_claim') =>
    (await db.selectFrom(table).select('store_id').where('store_id', '=', store.id).execute()).length
  return [await count('file'), await count('blob'), await count('blob_claim')]
}

test('many unused files are deleted at once with their bytes, and what is used is kept and says by what', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const theirs = await addFile(other, 'theirs.png')
  const product = await addProduct(api, { title: 'Blue mug' })
  const spare = [await addFile(api, 'a.png'), await addFile(api, 'b.png')]
  const shown = await addFile(api, 'shown.png', { fileable_type: 'product', fileable_id: product.id })
  const written = await addFile(api, 'written.png')
  const logo = await addFile(api, 'logo.png')
  const app = api.as('file:browse', 'file:delete', 'setting:view', 'setting:update', 'product:update')
  expect((await app.put('/setting', { logo_id: logo.id })).status).toBe(200)
  const description = `<img src="${written.permanent_url}">`
  expect((await app.post(`/product/${product.id}/update`, { description })).status).toBe(200)
  const unknown = randomUUID()
  const file_ids = [spare[0], shown, { id: unknown }, written, spare[1], logo, theirs].map(({ id }) => id)

  const tried = await app.post('/file/unused?dry_run=true', { file_ids })
  expect(tried.status, tried.text).toBe(200)
  expect(await counts(api)).toEqual([5, 5, 0])
  const reply = await app.post('/file/unused', { file_ids })
  expect(reply.status, reply.text).toBe(200)
  expect(reply.body).toEqual(tried.body)
  const mug = { fileable_type: 'product', fileable_id: product.id, title: 'Blue mug', product_id: product.id }
  const { name } = (await app.get('/setting')).body.data.setting
  const store = { fileable_type: 'store', fileable_id: api.store.id, role: 'logo', title: name, product_id: null }
  expect(reply.body.data.files).toEqual([
    { id: spare[0].id, result: 'deleted', links: [] },
    { id: shown.id, result: 'in_use', links: [{ ...mug, role: 'product_images' }] },
    { id: unknown, result: 'not_found', links: [] },
    { id: written.id, result: 'in_use', links: [{ ...mug, role: 'in_text' }] },
    { id: spare[1].id, result: 'deleted', links: [] },
    { id: logo.id, result: 'in_use', links: [store] },
    { id: theirs.id, result: 'not_found', links: [] },
  ])
  expect(await counts(api)).toEqual([3, 3, 0])
  expect(await counts(other)).toEqual([1, 1, 0])
  for (const file of spare) {
    expect(await exists(api, file.id)).toBe(false)
    expect((await fetch(file.url)).status).toBe(404)
  }
  expect((await fetch(shown.url)).status).toBe(200)
})

test('a lost answer is given again, and a second request finds nothing to delete', async () => {
  const api = await startTestApi()
  const files = [await addFile(api, 'a.png'), await addFile(api, 'b.png')]
  const sent = { file_ids: files.map(({ id }) => id) }
  const app = api.as('file:delete', 'file:browse')
  const key = { 'idempotency-key': randomUUID() }
  const [first, again] = await Promise.all([app.with(key).post('/file/unused', sent), app.post('/file/unused', sent)])
  expect([results(first), results(again)].toSorted()).toEqual([
    ['deleted', 'deleted'],
    ['not_found', 'not_found'],
  ])
  const replayed = await app.with(key).post('/file/unused', sent)
  expect(replayed.body).toEqual(first.body)
  expect(replayed.headers.get('idempotency-replayed')).toBe('true')
  expect(await counts(api)).toEqual([0, 0, 0])
  const { events } = (await app.get('/event?page_size=100')).body.data
  const deleted = events.filter(({ type }: { type: string }) => type === 'file.deleted')
  expect(deleted.map((event: { resource: { id: string } }) => event.resource.id).toSorted()).toEqual(
    sent.file_ids.toSorted(),
  )
})

test('a file that is being linked is waited for, and kept', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const file = await addFile(api, 'late.png')
  const values = sql`(store_id, file_id, role, product_id)
    values (${api.store.id}, ${file.id}, 'product_images', ${product.id})`
  const reply = await whileLocked(api.db, sql`insert into file_link ${values}`, () =>
    api.as('file:delete', 'file:browse').post('/file/unused', { file_ids: [file.id] }),
  )
  expect(reply.body.data.files).toMatchObject([{ result: 'in_use', links: [{ fileable_id: product.id }] }])
  expect(await exists(api, file.id)).toBe(true)
})

test('it needs file:delete, shows what uses a file only with file:browse, and takes 1 to 200 ids', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const used = await addFile(api, 'used.png', { fileable_type: 'product', fileable_id: product.id })
  const spare = await addFile(api, 'spare.png')
  const file_ids = [used.id, spare.id]
  const may = await api.as('file:delete')
  expect((await api.as('file:browse', 'file:upload').post('/file/unused', { file_ids })).status).toBe(403)
  expect(await may.post('/file/unused', {})).toBeRefused(422, 'file_ids')
  expect(await may.post('/file/unused', { file_ids: [] })).toBeRefused(422, 'file_ids')
  expect(await may.post('/file/unused', { file_ids: ['x'] })).toBeRefused(422, 'file_ids.0')
  const tooMany = Array.from({ length: 201 }, () => randomUUID())
  expect(await may.post('/file/unused', { file_ids: tooMany })).toBeRefused(422, 'file_ids')
  expect(await exists(api, spare.id)).toBe(true)
  const reply = await may.post('/file/unused', { file_ids: [...file_ids, spare.id] })
  expect(reply.body.data.files).toEqual([
    { id: used.id, result: 'in_use', links: [] },
    { id: spare.id, result: 'deleted', links: [] },
    { id: spare.id, result: 'deleted', links: [] },
  ])
})

test('what uses a file is named five times at most, and the file of five hundred pages is not deleted', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const file = await addFile(api, 'shared.png')
  await sql`with page as (
      insert into landing_page (store_id, product_id, title, slug)
      select ${api.store.id}::uuid, ${product.id}::uuid, 'Page ' || n, 'page-' || n from generate_series(1, 500) n returning id)
    insert into file_link (store_id, file_id, role, landing_page_id)
    select ${api.store.id}::uuid, ${file.id}::uuid, 'landing_page_images', id from page`.execute(api.db)
  const app = api.as('file:delete', 'file:browse')
  const [line] = (await app.post('/file/unused', { file_ids: [file.id] })).body.data.files
  expect(line.result).toBe('in_use')
  expect(line.links).toHaveLength(5)
  expect((await app.get(`/file/${file.id}/link`)).body.data.links).toHaveLength(200)
})
