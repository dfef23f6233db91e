import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'
import type { Permission } from '../permissions/catalogue.ts'

interface FileBody {
  id: string
  url: string
  permanent_url: string
  thumbnail: string
}

const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.alloc(200, 7)])

const tokenWith = async (api: TestApi, ...permissions: Permission[]) => {
  const app = await api.install(permissions)
  return { authorization: `Bearer ${await api.getToken(app, { install_id: app.install_id })}` }
}

/** What an anonymous caller gets at the permanent URL and at the thumbnail. */
const asAnonymous = async ({ permanent_url }: FileBody) => {
  const seen = new Set<number>()
  const { headers } = await fetch(permanent_url, { method: 'HEAD' })
  const etag = headers.get('etag') ?? '*'
  for (const url of [permanent_url, `${permanent_url}/thumbnail`]) {
    const ask = async (init: RequestInit) => (await fetch(url, init)).status
    seen.add(await ask({})).add(await ask({ method: 'HEAD' }))
    const part = await ask({ headers: { range: 'bytes=0-3' } })
    seen.add(part === 206 ? 200 : part)
    const known = await ask({ headers: { 'if-none-match': etag === '*' ? '*' : `${etag}, "x"` } })
    seen.add(known === 304 ? 200 : known)
  }
  return [...seen]
}

const PUBLIC = [200]
const PRIVATE = [401]

const linkFile = async (api: TestApi, file: string, role: string, owner: Record<string, string>) => {
  await api.db
    .insertInto('file_link')
    .values({ store_id: api.store.id, file_id: file, role, ...owner })
    .execute()
}

const addReview = async ({ db, store }: TestApi, product_id: string) => {
  const values = { store_id: store.id, product_id, content: 'Good', rating: 5, reviewer_name: 'Ada' }
  return (await db.insertInto('review').values(values).returning('id').executeTakeFirstOrThrow()).id
}

test('a picture is private until a product shows it, and private again when none does', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { product } = (await all.post('/product', { title: 'Mug', status: 'inactive' })).body.data
  const file = await upload(api, { file: await picture() })
  expect(await asAnonymous(file)).toEqual(PRIVATE)
  expect((await fetch(file.url)).status).toBe(200)
  expect((await fetch(file.thumbnail)).status).toBe(200)

  const shown = await all.post(`/product/${product.id}/update`, { images: [{ id: file.id }] })
  const { image } = shown.body.data.product
  expect(image.thumbnail).toBe(`${file.permanent_url}/thumbnail`)
  expect(await asAnonymous(file)).toEqual(PUBLIC)
  for (const url of [file.permanent_url, image.thumbnail]) {
    const response = await fetch(url)
    expect(response.headers.get('cache-control')).toBe('public, max-age=3600, must-revalidate')
    const etag = response.headers.get('etag') as string
    expect((await fetch(url, { headers: { 'if-none-match': etag } })).status).toBe(304)
  }
  const etag = (await fetch(file.permanent_url)).headers.get('etag') as string

  await all.delete(`/file/${file.id}/link/product/${product.id}`)
  expect(await asAnonymous(file)).toEqual(PRIVATE)
  // A cached copy must not be revalidated with 304.
  expect((await fetch(file.permanent_url, { headers: { 'if-none-match': etag } })).status).toBe(401)
  expect((await all.get(`/file/${file.id}`)).body.data.file.thumbnail).toMatch(/signature=/)
})

test('images of variants and landing pages and videos of products are public', async () => {
  const api = await startTestApi()
  const { id, variant } = await addProduct(api)
  const page = { store_id: api.store.id, product_id: id, title: 'Sale', slug: randomUUID() }
  const { id: landing } = await api.db.insertInto('landing_page').values(page).returning('id').executeTakeFirstOrThrow()
  const owners = [
    { fileable_type: 'product', fileable_id: id },
    { fileable_type: 'variant', fileable_id: variant },
    { fileable_type: 'landing_page', fileable_id: landing },
  ]
  for (const [n, owner] of owners.entries()) {
    const file = await upload(api, { file: await picture('png', { colour: `#00000${n}` }), ...owner })
    expect(await asAnonymous(file)).toEqual(PUBLIC)
    const path = `/file/${file.id}/link/${owner.fileable_type}/${owner.fileable_id}`
    expect((await api.as('file:delete').delete(path)).status).toBe(200)
    expect(await asAnonymous(file)).toEqual(PRIVATE)
  }
  const clip = await upload(api, { file: video, fileable_type: 'product', fileable_id: id })
  expect((await fetch(clip.permanent_url)).status).toBe(200)
  await sql`delete from product where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
  expect((await fetch(clip.permanent_url)).status).toBe(401)
})

test('a sold file stays private, whatever else shows it and however it is unlinked', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const file = await upload(api, { file: await picture() })
  const created = await all.post('/product', { title: 'Poster', images: [{ id: file.id }], default: { file: file.id } })
  const { product } = created.body.data
  expect(await asAnonymous(file)).toEqual(PRIVATE)
  const path = `/product/${product.id}/update`
  expect((await all.post(path, { default: { file: null } })).body.data.product.default.file).toBeNull()
  expect(await asAnonymous(file)).toEqual(PRIVATE)

  const uploaded = await upload(api, {
    file: await picture('gif'),
    fileable_type: 'variant',
    fileable_id: product.default.id,
    role: 'digital_product',
  })
  await all.delete(`/file/${uploaded.id}/link/variant/${product.default.id}`)
  await all.post(path, { images: [{ id: uploaded.id }] })
  expect(await asAnonymous(uploaded)).toEqual(PRIVATE)

  const replaced = await upload(api, { file: await picture('webp') })
  await all.post(path, { images: [{ id: replaced.id }], default: { file: replaced.id } })
  const newer = { 'files[]': { name: 'newer.txt', bytes: Buffer.from('newer') } }
  expect((await all.post(path, form({ metadata: '{}', ...newer }))).status).toBe(200)
  expect(await asAnonymous(replaced)).toEqual(PRIVATE)
})

test('pictures of a review are public while it is published', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { id: product_id } = await addProduct(api)
  const metadata = { product_id, content: 'Good', rating: 5, reviewer_name: 'Ada' }
  const body = form({ metadata: JSON.stringify(metadata), 'images[]': await picture() })
  const { review } = (await all.post('/review', body)).body.data
  const [image] = review.images
  expect(await asAnonymous(image)).toEqual(PRIVATE)
  for (const status of ['published', 'hidden', 'published', 'pending', 'published'] as const) {
    await all.put(`/review/${review.id}`, { status })
    expect(await asAnonymous(image), status).toEqual(status === 'published' ? PUBLIC : PRIVATE)
  }
  await all.delete(`/review/${review.id}`)
  expect(await asAnonymous(image)).toEqual(PRIVATE)
  const publishedReview = { ...metadata, status: 'published', image_ids: [image.id] }
  const { review: published } = (await all.post('/review', publishedReview)).body.data
  expect(await asAnonymous(image)).toEqual(PUBLIC)
  expect(published.images[0].thumbnail).toBe(`${image.permanent_url}/thumbnail`)
})

test('a picture linked while its review changes status is as visible as the review in the end', async () => {
  const api = await startTestApi()
  const { id: product } = await addProduct(api)
  for (const [before, after] of [
    ['pending', 'published'],
    ['published', 'hidden'],
  ] as const) {
    for (const first of ['link', 'status'] as const) {
      const review = await addReview(api, product)
      await api.db.updateTable('review').set({ status: before }).where('id', '=', review).execute()
      const file = await upload(api, { file: await picture() })
      const change = (db: TestApi['db']) =>
        sql`update review set status = ${after} where store_id = ${api.store.id} and id = ${review}`.execute(db)
      const link = (db: TestApi['db']) => linkFile({ ...api, db }, file.id, 'review_images', { review_id: review })
      const [one, other] = first === 'link' ? [link, change] : [change, link]
      const transaction = await api.db.startTransaction().execute()
      await one(transaction)
      const waiting = other(api.db)
      await sleep(50)
      await transaction.commit().execute()
      await waiting
      expect(await asAnonymous(file)).toEqual(after === 'published' ? PUBLIC : PRIVATE)
    }
  }
})

test('private files and thumbnails need a token of the store with file:browse', async () => {
  const api = await startTestApi()
  const otherStore = await startTestApi()
  const file = await upload(api, { file: await picture() })
  for (const url of [file.permanent_url, `${file.permanent_url}/thumbnail`]) {
    const get = async (headers: Record<string, string>) => fetch(url, { headers })
    expect((await get(await tokenWith(api, 'product:view', 'file:upload'))).status).toBe(403)
    expect((await get(await tokenWith(otherStore, 'file:browse'))).status).toBe(404)
    const response = await get(await tokenWith(api, 'file:browse'))
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(response.headers.get('vary')).toContain('Authorization')
  }
  const query = (url: string) => url.slice(url.indexOf('?'))
  expect((await fetch(`${file.permanent_url}/thumbnail${query(file.url)}`)).status).toBe(403)
  expect((await fetch(`${file.permanent_url}${query(file.thumbnail)}`)).status).toBe(403)
  expect((await fetch(`${file.thumbnail}0`)).status).toBe(403)
})

/** A store that sells a picture to which a landing page, a review and an order refer. */
const sellPicture = async (api: TestApi) => {
  const all = await api.as()
  const shown = await upload(api, { file: await picture('jpeg') })
  const sold = await upload(api, { file: await picture() })
  const { product } = (
    await all.post('/product', {
      title: 'Poster',
      is_digital: true,
      images: [{ id: shown.id }],
      default: { file: sold.id, quantity: 5 },
    })
  ).body.data
  const { order } = (
    await all.post('/order', {
      customer_email: 'ada@example.com',
      variants: [{ variant_id: product.default.id, quantity: 1 }],
    })
  ).body.data
  const review = { product_id: product.id, content: 'Good', rating: 5, reviewer_name: 'Ada' }
  return {
    product,
    order,
    review: (await all.post('/review', review)).body.data.review,
    page: (await all.post('/landing-page', { title: 'Sale', product_id: product.id })).body.data.landing_page,
    shown,
    sold,
  }
}

test('nested anywhere, the URLs of a sold file are shown only to callers with file:browse', async () => {
  const api = await startTestApi()
  const { product, order, review, page, shown, sold } = await sellPicture(api)
  // biome-ignore lint/suspicious/noExplicitAny: each answer has a shape of its own.
  const paths: [Permission, string, (data: Record<string, any>) => { file: FileBody; image?: FileBody }][] = [
    ['product:view', `/product/${product.id}`, ({ product }) => ({ ...product.default, image: product.image })],
    ['product:view', '/product', ({ products }) => ({ ...products[0].default, image: products[0].image })],
    ['product:view', '/product?search=poster', ({ products }) => products[0].default],
    ['review:view', `/review/${review.id}`, ({ review }) => review.product.default],
    ['review:view', '/review', ({ reviews }) => reviews[0].product.default],
    ['landing_page:view', `/landing-page/${page.id}`, ({ landing_page }) => landing_page.product.default],
    ['landing_page:view', '/landing-page', ({ landingPages }) => landingPages[0].product.default],
    ['order:view', `/order/${order.id}`, ({ order }) => order.variants[0].variant],
    ['order:view', '/order', ({ orders }) => orders[0].variants[0].variant],
    ['customer:view', `/customer/${order.customer_id}`, ({ customer }) => customer.latest_order.variants[0].variant],
    ['customer:view', '/customer', ({ customers }) => customers[0].latest_order.variants[0].variant],
  ]
  for (const [permission, path, look] of paths) {
    const without = await api.as(permission).get(path)
    const { file, image } = look(without.body.data)
    expect(file, path).toMatchObject({ id: sold.id, url: '', thumbnail: null, permanent_url: sold.permanent_url })
    expect(without.text).not.toMatch(new RegExp(`${sold.id}[^"]*signature`))
    if (image) expect(image).toMatchObject({ id: shown.id, url: expect.stringContaining('signature=') })
    const allowed = await api.as(permission, 'file:browse').get(path)
    const { file: full } = look(allowed.body.data)
    expect((await fetch(full.url)).status, path).toBe(200)
    expect((await fetch(full.thumbnail)).status).toBe(200)
    // The two callers must not share an ETag.
    const tag = without.headers.get('etag') as string
    expect(allowed.headers.get('etag')).not.toBe(tag)
    expect((await api.as(permission, 'file:browse').get(path, { 'if-none-match': tag })).status).toBe(200)
  }
})

test('the reply to an upload or an update hides them too', async () => {
  const api = await startTestApi()
  const { product, review } = await sellPicture(api)
  const sold = { fileable_type: 'variant', fileable_id: product.default.id, role: 'digital_product' }
  expect(await upload(api, { file: await picture('webp'), ...sold })).toMatchObject({ url: '', thumbnail: null })
  const updated = await api.as('product:update').post(`/product/${product.id}/update`, { title: 'Print' })
  expect(updated.body.data.product.default.file).toMatchObject({ url: '', thumbnail: null })
  const changed = await api.as('review:update').put(`/review/${review.id}`, { rating: 4 })
  expect(changed.body.data.review.product.default.file).toMatchObject({ url: '', thumbnail: null })
})

test('a product has the same version for callers that see more or less of it', async () => {
  const api = await startTestApi()
  const { product } = await sellPicture(api)
  const tag = (await api.as('product:view').get(`/product/${product.id}`)).headers.get('etag') as string
  const path = `/product/${product.id}/update`
  const updated = await api.as('product:update', 'file:browse').post(path, { title: 'Print' }, { 'if-match': tag })
  expect(updated.status).toBe(200)
  expect(await api.as('product:update').post(path, { title: 'Other' }, { 'if-match': tag })).toFailWith(
    'version_mismatch',
  )
})

test('a reply stored for a retry hides what the caller may no longer see', async () => {
  const api = await startTestApi()
  const { product, sold } = await sellPicture(api)
  const app = await api.install(['product:update', 'file:browse'])
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const caller = api.anonymous.with({ authorization, 'idempotency-key': randomUUID() })
  const send = () => caller.post(`/product/${product.id}/update`, { title: 'Print' })
  const first = await send()
  expect(first.body.data.product.default.file.url).toContain('signature=')
  expect((await send()).text).toBe(first.text)
  await api.db
    .updateTable('installation')
    .set({ permissions: ['product:update'] })
    .where('id', '=', app.install_id)
    .execute()
  await expect.poll(async () => (await api.anonymous.with({ authorization }).get(`/file/${sold.id}`)).status).toBe(403)
  const again = await send()
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body.data.product.default.file).toMatchObject({ id: sold.id, url: '', thumbnail: null })
  expect(again.body.data.product.image).toEqual(first.body.data.product.image)
})
