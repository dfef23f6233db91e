import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct, stockOf } from '../../../tests/support/products.ts'

const OPTIONS = [
  { name: 'Two', quantity: 2, price: 18 },
  { name: 'Three', quantity: 3, price: 25 },
]

const startShopWithBundle = async () => {
  const api = await startTestApi()
  const mug = await addProduct(api, { price: 10, quantity: 10, sizes: ['S', 'L'] })
  const all = await api.as()
  const { bundle } = (await all.post('/bundle', { product_id: mug.id, name: 'Mugs', options: OPTIONS })).body.data
  return { api, all, mug, bundle }
}

test('a bundle is created, listed, changed and deleted, each with its permission', async () => {
  const { api, all, mug, bundle } = await startShopWithBundle()
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

test('an invalid bundle is refused and nothing is written', async () => {
  const { api, all, mug, bundle } = await startShopWithBundle()
  const other = await startShopWithBundle()
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

test('an order of a bundle costs its price to the last thousandth, and takes its units from stock', async () => {
  const { api, all, mug, bundle } = await startShopWithBundle()
  const [two, three] = bundle.options
  const [small, large] = mug.variants as [string, string]
  const line = { variant_id: small, bundle_option_id: three.id }
  const { order } = (await all.post('/order', { status: 'paid', variants: [line], shipping_rate: 7 })).body.data
  expect(order).toMatchObject({
    ...{ bundle_name: 'Mugs', bundle_option_name: 'Three', bundle_price: 25 },
    ...{ subtotal: 25, total: 32, quantity: 3 },
  })
  const parts = order.variants.map(({ quantity, price }: { quantity: number; price: number }) => ({ quantity, price }))
  expect(parts).toEqual([
    { quantity: 2, price: 8.333 },
    { quantity: 1, price: 8.334 },
  ])
  expect(await stockOf(api, small)).toBe(7)

  const mixed = [
    { variant_id: small, quantity: 1, bundle_option_id: two.id },
    { variant_id: large, quantity: 3 },
    { variant_id: large, quantity: 1, bundle_option_id: two.id },
  ]
  const second = (await all.post('/order', { variants: mixed })).body.data.order
  expect(second).toMatchObject({ bundle_option_name: 'Two', bundle_price: 18, subtotal: 48, quantity: 5 })
  expect([await stockOf(api, small), await stockOf(api, large)]).toEqual([6, 6])

  await all.put(`/bundle/${bundle.id}`, { name: 'Cups', options: [{ ...two, price: 1 }] })
  expect((await all.get(`/order/${order.id}`)).body.data.order).toMatchObject({ bundle_name: 'Mugs', bundle_price: 25 })
  await all.delete(`/bundle/${bundle.id}`)
  expect((await all.get(`/order/${second.id}`)).body.data.order).toMatchObject({
    bundle_name: 'Mugs',
    bundle_price: 18,
  })
  expect((await all.put(`/order/${order.id}`, { is_cancelled: true })).status).toBe(200)
  expect(await stockOf(api, small)).toBe(9)
})

test('an order whose lines do not fit the bundle is refused and takes nothing', async () => {
  const { api, all, mug, bundle } = await startShopWithBundle()
  const other = await startShopWithBundle()
  const hat = await addProduct(api, { title: 'Hat' })
  const [two, three] = bundle.options
  const [small, large] = mug.variants as [string, string]
  const ofTwo = { variant_id: small, bundle_option_id: two.id }
  for (const [variants, field] of [
    [[{ variant_id: small }], 'variants.0.quantity'],
    [[{ ...ofTwo, quantity: 3 }], 'variants.0.quantity'],
    [
      [ofTwo, { ...ofTwo, variant_id: large }],
      ['variants.0.quantity', 'variants.1.quantity'],
    ],
    [[{ ...ofTwo, price: 3 }], 'variants.0.price'],
    [[{ ...ofTwo, variant_id: hat.variant }], 'variants.0.variant_id'],
    [[{ ...ofTwo, bundle_option_id: other.bundle.options[0].id }], 'variants.0.bundle_option_id'],
    [[ofTwo, { ...ofTwo, bundle_option_id: three.id }], 'variants.1.bundle_option_id'],
    [
      [
        { variant_id: small, quantity: 8 },
        { ...ofTwo, bundle_option_id: three.id },
      ],
      'variants.1.quantity',
    ],
  ] as const)
    expect(await all.post('/order', { variants })).toBeRefused(422, ...[field].flat())
  await all.put(`/bundle/${bundle.id}`, { status: 'inactive' })
  expect(await all.post('/order', { variants: [ofTwo] })).toBeRefused(422, 'variants.0.bundle_option_id')
  expect(await stockOf(api, small)).toBe(10)
  expect((await all.get('/order')).body.data.pagination.total).toBe(0)
})
