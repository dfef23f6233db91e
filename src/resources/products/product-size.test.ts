import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'

const values = (count: number, from = 0) => Array.from({ length: count }, (_, n) => ({ value: `Value ${from + n}` }))

test('a product has 2,000 option values at most, over all its updates', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const created = await app.post('/product', {
    title: 'Rope',
    options: [
      { order: 1, name: 'Length', values: values(1_200) },
      { order: 2, name: 'Colour', values: values(700) },
    ],
    variants: [{ values: [{ value: 'Value 0' }, { value: 'Value 1' }] }],
  })
  expect(created.status, created.text.slice(0, 300)).toBe(201)
  const { id, options } = created.body.data.product
  const add = (count: number, from: number) =>
    app.post(`/product/${id}/update`, { options: [{ id: options[1].id, values: values(count, from) }] })
  expect((await add(100, 700)).status).toBe(200)
  const more = await add(1, 800)
  expect(more).toBeRefused(422, 'options')
  expect(more.body.errors.options).toEqual(['must not have more than 2000 values in total'])
  const { options: kept } = (await app.get(`/product/${id}`)).body.data.product
  expect(kept.map(({ values }: { values: unknown[] }) => values.length)).toEqual([1_200, 800])
  const removed = await app.post(`/product/${id}/update`, {
    options: [{ id: options[1].id, values: [{ value: 'Value 5', _delete: true }, { value: 'Other' }] }],
  })
  expect(removed.status, removed.text.slice(0, 300)).toBe(200)
})

test('a product has 20,000 variants times options at most, over all its updates', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const options = Array.from({ length: 100 }, (_, n) => ({ order: n, name: `Option ${n}`, values: values(2) }))
  const variant = (number: number) => ({
    values: options.map(({ order }) => ({ order, value: `Value ${(number >> (order % 16)) & 1}` })),
  })
  const created = await app.post('/product', { title: 'Wide', options, variants: [variant(0), variant(1)] })
  expect(created.status, created.text.slice(0, 300)).toBe(201)
  const { id } = created.body.data.product
  const variants = Array.from({ length: 199 }, (_, n) => variant(n + 2))
  expect(await app.post(`/product/${id}/update`, { variants })).toBeRefused(422, 'variants')
  expect(
    await app.post('/product', { title: 'Wide', options, variants: [...variants, variant(0), variant(1)] }),
  ).toBeRefused(422, 'variants')
  expect((await app.get(`/product/${id}`)).body.data.product.variants).toHaveLength(2)
})

test('all text of a product may have 1 MB, over all its updates', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const properties = Array.from({ length: 230 }, (_, n) => ({ name: `Property ${n}`, value: 'x'.repeat(4_096) }))
  const created = await app.post('/product', { title: 'Long', properties })
  expect(created.status, created.text.slice(0, 300)).toBe(201)
  const { id } = created.body.data.product
  const change = (body: object) => app.post(`/product/${id}/update`, body)
  const described = await change({ description: 'ば'.repeat(60_000) })
  expect(described).toBeRefused(422, 'description')
  expect(described.body.errors.description).toEqual(['makes all text of the product more than 1024 kB'])
  expect((await app.get(`/product/${id}`)).body.data.product.description).toBeNull()
  expect((await change({ description: 'ば'.repeat(20_000), default: { quantity: 3 } })).status).toBe(200)
  expect(await change({ properties: [...properties, ...properties.slice(0, 20)] })).toBeRefused(422, 'properties')
  expect(await app.post('/product', { title: 'Long', description: 'ば'.repeat(60_000), properties })).toBeRefused(
    422,
    'properties',
  )

  const names = Array.from({ length: 20 }, (_, n) => ({ order: n, name: `Option ${n}`, values: values(2) }))
  for (const { values } of names) values.push({ value: 'ば'.repeat(255) })
  const variants = Array.from({ length: 60 }, (_, n) => ({
    values: names.map(({ order }) => ({
      order,
      value: order < 6 ? `Value ${(n >> order) & 1}` : ('ば'.repeat(255) as string),
    })),
  }))
  const repeated = await app.post('/product', { title: 'Repeated', options: names, variants })
  expect(repeated).toBeRefused(422, 'variants')
  expect((await app.get('/product')).body.data.pagination.total).toBe(1)
})

test('a resource has at most 250 files per role, also if they are added one by one', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const { id } = (await app.post('/product', { title: 'Seen' })).body.data.product
  const link = { fileable_type: 'product', fileable_id: id }
  await upload(api, { file: { name: 'a.png', bytes: await picture() }, ...link })
  await sql`
    with copies as (
      insert into file (store_id, id, sha256, name, alt, size, mime_type)
      select store_id, new_id(), sha256, name, alt, size, mime_type from file, generate_series(1, 249)
      where store_id = ${api.store.id} returning id
    )
    insert into file_link (store_id, file_id, role, product_id)
    select ${api.store.id}, id, 'product_images', ${id} from copies`.execute(api.db)
  const file = { name: 'b.png', bytes: await picture('png', { colour: '#ff0000' }) }
  expect(await app.post('/file', form({ file, ...link }))).toBeRefused(422, 'fileable_id')
  expect(await app.post('/file', form({ file, ...link, order: '3' }))).toBeRefused(422, 'fileable_id')
  expect((await app.get(`/product/${id}`)).body.data.product.images).toHaveLength(250)
})

test('options with far too many values are refused by their total, before they are merged', async () => {
  const api = await startTestApi()
  const values = Array.from({ length: 2_000 }, (_, n) => ({ value: `v${n}` }))
  const options = Array.from({ length: 48 }, (_, n) => ({ name: `o${n}`, values }))
  const reply = await api.as().post('/product', { title: 'Mug', options, variants: [{ values: [] }] })
  expect(reply).toBeRefused(422, 'options')
  expect(reply.body.errors.options).toEqual(['must not have more than 2000 values in total'])
  const few = Array.from({ length: 100 }, (_, n) => ({ name: `o${n}`, values: [{ value: 'v' }] }))
  const variants = Array.from({ length: 1_000 }, () => ({ price: 1 }))
  expect(await api.as().post('/product', { title: 'Mug', options: few, variants })).toBeRefused(422, 'variants')
})
