import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { ndjson, runBulk, startBulk } from '../../../tests/support/bulk.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'
import { mergeRowCounts } from '../../core/reading/row-counts.ts'

const GB = 1024 ** 3

/** Pretends that the store has already uploaded this much. */
const fill = (api: TestApi, bytes: number) =>
  api.db
    .insertInto('blob')
    .values({ store_id: api.store.id, sha256: randomBytes(32), size: bytes, mime_type: 'x/y' })
    .execute()

const kept = async (api: TestApi) => {
  const rows = await api.db.selectFrom('blob').select('size').where('store_id', '=', api.store.id).execute()
  return rows.reduce((sum, { size }) => sum + size, 0)
}

test('a store can upload up to its quota, and other stores are not affected', async () => {
  const api = await startTestApi({ STORE_QUOTA_GB: '1' })
  const other = await startTestApi({ STORE_QUOTA_GB: '1' })
  const caller = await api.as()
  await fill(api, GB - 10)
  const exact = await upload(api, { file: Buffer.from('ten bytes!') })
  const refused = await caller.post('/file', form({ file: Buffer.from('x') }))
  expect(refused).toBeRefused(422, 'file')
  expect(refused.body.errors.file).toEqual([
    'exceeds the storage quota: the files and bulk inputs of this store may take 1 GB in total',
  ])
  // Identical content counts once.
  const twin = await upload(api, { file: Buffer.from('ten bytes!') })
  await mergeRowCounts(api.db)
  expect(await caller.post('/file', form({ file: Buffer.from('x') }))).toBeRefused(422, 'file')
  await upload(other, { file: Buffer.from('x') })

  const metadata = JSON.stringify({ title: 'Mug' })
  const image = { name: 'a.png', bytes: await picture() }
  expect(await caller.post('/product', form({ metadata, 'images[]': image }))).toBeRefused(422, 'images.0')
  expect((await caller.post('/product', form({ metadata }))).status).toBe(201)
  expect(await kept(api)).toBe(GB)
  const claims = await api.db.selectFrom('blob_claim').select('id').where('store_id', '=', api.store.id).execute()
  expect(claims).toEqual([])

  for (const { id } of [exact, twin]) expect((await caller.post(`/file/${id}`)).status).toBe(200)
  await upload(api, { file: Buffer.from('room again') })
})

test('concurrent uploads do not exceed the quota together', async () => {
  const api = await startTestApi({ STORE_QUOTA_GB: '1' })
  const caller = await api.as('file:upload')
  await fill(api, GB - 35)
  const replies = await Promise.all(
    Array.from({ length: 12 }, (_, n) => caller.post('/file', form({ file: Buffer.from(`file no ${n}`.padEnd(10)) }))),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(3).fill(201), ...Array(9).fill(422)])
  expect(await kept(api)).toBe(GB - 5)
})

test('without a quota nothing is counted against a store', async () => {
  const api = await startTestApi()
  await fill(api, 5000 * GB)
  await upload(api, { file: Buffer.from('x') })
})

test('the inputs of bulk jobs count, and are refused beyond the quota', async () => {
  const api = await startTestApi({ STORE_QUOTA_GB: '1' })
  const caller = await api.as()
  const line = ndjson([{ title: 'Mug' }])
  await fill(api, GB - line.length)
  const refused = await startBulk(caller, 'resource=product', ndjson([{ title: 'Mugs' }]))
  expect(refused).toBeRefused(422, 'body')
  expect((await caller.get('/bulk')).body.data.jobs).toEqual([])
  const { job } = await runBulk(caller, 'resource=product', [{ title: 'Mug' }])
  expect(job.counts.created).toBe(1)

  // As if the input had not been removed yet.
  const keepInput = (has_input: boolean) =>
    api.db.updateTable('bulk_job').set({ has_input }).where('id', '=', job.id).execute()
  await eventually(async () => {
    const { has_input } = await api.db
      .selectFrom('bulk_job')
      .select('has_input')
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow()
    expect(has_input).toBe(false)
  })
  await keepInput(true)
  expect(await caller.post('/file', form({ file: Buffer.from('x') }))).toBeRefused(422, 'file')
  await keepInput(false)
  await upload(api, { file: Buffer.from('x') })
})
