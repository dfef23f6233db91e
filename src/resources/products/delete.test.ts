import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { expectTextsToFitRows } from '../../../tests/support/kept-texts.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'

test('deleting a product deletes its reviews and landing pages; orders keep their lines', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const image = await upload(api, { file: await picture() })
  const { product } = (
    await all.post('/product', {
      title: 'Shirt',
      images: [{ id: image.id }],
      options: [{ order: 1, name: 'Size', values: [{ value: 'S' }, { value: 'L' }] }],
      variants: ['S', 'L'].map((value) => ({ price: 10, quantity: 5, sku: value, values: [{ order: 1, value }] })),
    })
  ).body.data
  const hat = await addProduct(api, { title: 'Hat' })
  const { landing_page } = (await all.post('/landing-page', { title: 'Shirts', product_id: product.id })).body.data
  const { review } = (
    await all.post('/review', { product_id: product.id, content: 'Fine', rating: 5, reviewer_name: 'Sami' })
  ).body.data
  const { order } = (
    await all.post('/order', {
      landing_page_id: landing_page.id,
      customer_email: 'amel@shop.example',
      variants: [
        { variant_id: product.variants[0].id, quantity: 2 },
        { variant_id: hat.variant, quantity: 1 },
      ],
    })
  ).body.data
  expect((await fetch(image.permanent_url)).status).toBe(200)

  const remover = await api.as('product:delete')
  expect((await remover.delete(`/product/${product.id}`)).body).toEqual({ data: {} })
  expect(await remover.delete(`/product/${product.id}`)).toFailWith('not_found')
  for (const path of [`/product/${product.id}`, `/review/${review.id}`, `/landing-page/${landing_page.id}`])
    expect(await all.get(path)).toFailWith('not_found')
  const read = (await all.get(`/order/${order.id}`)).body.data.order
  expect(read).toMatchObject({ total: order.total, quantity: 3, landing_page: null })
  const [shirts, hats] = read.variants
  expect(shirts).toEqual({ ...order.variants[0], variant: null, image_url: null })
  expect(hats.variant.id).toBe(hat.variant)
  expect((await all.get(`/order?product_id=${product.id}`)).body.data.orders).toEqual([])
  for (const [path, total] of [
    ['/product', 1],
    ['/product?sku=S', 0],
    ['/product?search=shirt', 0],
    ['/review', 0],
    ['/landing-page', 0],
    ['/order', 1],
  ] as const)
    expect((await all.get(path)).body.data.pagination.total, path).toBe(total)
  // Nothing public shows the picture any more; it stays a file of the store.
  expect((await fetch(image.permanent_url)).status).not.toBe(200)
  expect((await all.get(`/file/${image.id}`)).status).toBe(200)
  // Cancelling and deleting an order whose product is gone restocks nothing.
  expect((await all.put(`/order/${order.id}`, { is_cancelled: true })).status).toBe(200)
  expect((await all.put(`/order/${order.id}`, { is_cancelled: false })).status).toBe(200)
  await expectTextsToFitRows(api.db)
})

test('deleting another store’s product is 404, and the permission is needed', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mug = await addProduct(api)
  expect(await other.as('product:delete').delete(`/product/${mug.id}`)).toFailWith('not_found')
  expect(await api.as('product:update').delete(`/product/${mug.id}`)).toFailWith('forbidden')
  expect(await api.as().delete(`/product/${mug.id}`, { 'if-match': '"old"' })).toFailWith('version_mismatch')
  expect((await api.as().get(`/product/${mug.id}`)).status).toBe(200)
})

test('orders, reviews and pages created while their product is deleted succeed before or are refused', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const page = await addProduct(api, { title: 'Other' })
  for (let round = 0; round < 6; round++) {
    const mug = await addProduct(api, { sizes: ['S', 'M', 'L'] })
    const { landing_page } = (await all.post('/landing-page', { title: 'Mugs', product_id: mug.id })).body.data
    const place = (index: number) =>
      all.post('/order', {
        customer_email: `c${index}@shop.example`,
        ...(index % 2 && { landing_page_id: landing_page.id }),
        variants: [
          { variant_id: mug.variants[index % 3], quantity: 1 },
          { variant_id: mug.variants[(index + 1) % 3], quantity: 1 },
        ],
      })
    const [gone, ...others] = await Promise.all([
      all.delete(`/product/${mug.id}`),
      ...[0, 1, 2, 3].map(place),
      all.post('/review', { product_id: mug.id, content: 'Fine', rating: 5, reviewer_name: 'Sami' }),
      all.post('/landing-page', { title: 'More mugs', product_id: mug.id }),
      all.post(`/product/${mug.id}/update`, { title: 'Cup' }),
      all.delete(`/product/${mug.id}`),
    ])
    const replies = [gone, ...others]
    for (const { status, text } of replies) expect([200, 201, 404, 422], text).toContain(status)
    expect([gone.status, replies.at(-1)?.status].sort()).toEqual([200, 404])
    for (const { status, body } of others.slice(0, 4)) {
      if (status !== 201) continue
      const { order } = (await all.get(`/order/${body.data.order.id}`)).body.data
      expect(order.variants.map(({ variant }: { variant: unknown }) => variant)).toEqual([null, null])
      expect(order.landing_page).toBeNull()
    }
  }
  expect((await all.get('/review')).body.data).toMatchObject({ reviews: [], pagination: { total: 0 } })
  expect((await all.get('/landing-page')).body.data).toMatchObject({ landingPages: [], pagination: { total: 0 } })
  const { products, pagination } = (await all.get('/product')).body.data
  expect([products.length, products[0].id, pagination.total]).toEqual([1, page.id, 1])
  await expectTextsToFitRows(api.db)
})
