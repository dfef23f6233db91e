import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi } from '../../tests/support/api.ts'
import { addProduct } from '../../tests/support/products.ts'

const OPTIONS = [
  { name: 'Two', quantity: 2, price: 18 },
  { name: 'Three', quantity: 3, price: 25 },
]

const startShop = async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { price: 10, quantity: 10, sizes: ['S', 'L'] })
  const all = await api.as()
  const { bundle } = (await all.post('/bundle', { product_id: mug.id, name: 'Mugs', options: OPTIONS })).body.data
  return { api, all, mug, bundle }
}

test('a bundle is created, listed, changed and deleted, each with its permission', async () => {
  const { api, all, mug, bundle } = await startShop()
  expect(bundle).toMatchObject({ product_id: mug.id, name: 'Mugs', status: 'active', options: OPTIONS })
  await all.post('/bundle', { product_id: mug.id, name: 'Old', status: 'inactive', options: OPTIONS.slice(1) })

  const viewer = api.as('bundle:view')
  const list = await viewer.get('/bundle?status=active')
  expect(list.body.data.bundles).toEqual([bundle])
  expect(list.body.data.pagination.total).toBe(1)
  const names = (await viewer.get('/bundle?order_by=name')).body.data.bundles.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['Old', 'Mugs'])
  expect((await viewer.get(`/bundle?product_id=${randomUUID()}`)).body.data.bundles).toEqual([])

  const seen = await viewer.get(`/bundle/${bundle.id}`)
  const editor = await api.as('bundle:update')
  const [two] = bundle.options
  const options = [
    { name: 'Six', quantity: 6, price: 40.125 },
    { ...two, price: 17 },
  ]
  const changed = await editor
    .with({ 'if-match': seen.headers.get('etag') ?? '' })
    .put(`/bundle/${bundle.id}`, { options })
  expect(changed.body.data.bundle.options).toEqual([{ ...options[0], id: expect.any(String) }, options[1]])
  const stale = editor.with({ 'if-match': seen.headers.get('etag') ?? '' })
  expect(await stale.put(`/bundle/${bundle.id}`, { name: 'Late' })).toFailWith('version_mismatch')
  expect((await viewer.get(`/bundle/${bundle.id}`)).body.data.bundle).toEqual(changed.body.data.bundle)
  expect((await editor.put(`/bundle/${bundle.id}`, {})).body.data.bundle).toEqual(changed.body.data.bundle)

  expect(await editor.delete(`/bundle/${bundle.id}`)).toFailWith('forbidden')
  expect((await api.as('bundle:delete').delete(`/bundle/${bundle.id}`)).body).toEqual({ data: {} })
  expect(await viewer.get(`/bundle/${bundle.id}`)).toFailWith('not_found')
  expect(await editor.put(`/bundle/${bundle.id}`, { name: 'Gone' })).toFailWith('not_found')
})

test('a bundle that makes no sense is refused and nothing is written', async () => {
  const { api, all, mug, bundle } = await startShop()
  const other = await startShop()
  const body = { product_id: mug.id, name: 'Mugs', options: OPTIONS }
  for (const [wrong, field] of [
    [{ product_id: other.mug.id }, 'product_id'],
    [{ name: '' }, 'name'],
    [{ options: [] }, 'options'],
    [{ options: [OPTIONS[0], { ...OPTIONS[1], name: 'TWO' }] }, 'options.1.name'],
    [{ options: [{ ...OPTIONS[0], quantity: 0 }] }, 'options.0.quantity'],
    [{ options: [{ ...OPTIONS[0], price: -1 }] }, 'options.0.price'],
    [{ options: Array.from({ length: 21 }, (_, n) => ({ name: `${n}`, quantity: 1, price: 1 })) }, 'options'],
  ] as const)
    expect(await all.post('/bundle', { ...body, ...wrong })).toBeRefused(422, field)
  const [two] = bundle.options
  const [foreign] = other.bundle.options
  expect(await all.put(`/bundle/${bundle.id}`, { options: [foreign] })).toBeRefused(422, 'options.0.id')
  expect(await all.put(`/bundle/${bundle.id}`, { options: [two, { ...two, name: 'x' }] })).toBeRefused(
    422,
    'options.1.id',
  )
  expect(await all.put(`/bundle/${other.bundle.id}`, { name: 'Mine' })).toFailWith('not_found')
  expect((await all.get('/bundle')).body.data.bundles).toEqual([bundle])
  await api.db.deleteFrom('product').where('id', '=', mug.id).execute()
  expect((await all.get('/bundle')).body.data).toMatchObject({ bundles: [], pagination: { total: 0 } })
})
