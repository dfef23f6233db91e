import { randomUUID } from 'node:crypto'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'

const productId = async (api: TestApi, title = 'Mug') => (await addProduct(api, { title, price: 9.5 })).id

const newReview = { content: 'Holds coffee.', rating: 5, reviewer_name: 'Amel' }

const addReview = async (api: TestApi, review: object = {}) => {
  const product_id = 'product_id' in review ? review.product_id : await productId(api)
  const reply = await api.as().post('/review', { ...newReview, product_id, ...review })
  expect(reply.status).toBe(201)
  return reply.body.data.review
}

const picture = (format: 'png' | 'jpeg' | 'webp' | 'gif' = 'png', shade = 120) =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: { r: shade, g: 20, b: 90 } } })
    .toFormat(format)
    .toBuffer()

const form = (metadata: unknown, images: [Uint8Array, string][] = [], field = 'images[]') => {
  const body = new FormData()
  if (metadata !== undefined) body.set('metadata', typeof metadata === 'string' ? metadata : JSON.stringify(metadata))
  for (const [bytes, name] of images) body.append(field, new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
  return body
}

const upload = async (api: TestApi, bytes: Uint8Array, name = 'picture.png') => {
  const body = new FormData()
  body.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), name)
  const reply = await api.as().post('/file', body)
  expect(reply.status).toBe(201)
  return reply.body.data.file
}

const left = async (api: TestApi) => {
  const count = async (table: 'review' | 'file' | 'blob' | 'file_link') =>
    Number(
      (
        await api.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll().as('n'))
          .where('store_id', '=', api.store.id)
          .executeTakeFirstOrThrow()
      ).n,
    )
  return {
    reviews: await count('review'),
    files: await count('file'),
    blobs: await count('blob'),
    links: await count('file_link'),
  }
}
const NOTHING = { reviews: 0, files: 0, blobs: 0, links: 0 }

const list = async (api: TestApi, query = '') => {
  const reply = await api.as('review:view').get(`/review?${query}`)
  expect(reply.status).toBe(200)
  return reply.body.data.reviews.map(({ id }: { id: string }) => id)
}

test('a review is pending by default, and shows its product in full', async () => {
  const api = await startTestApi()
  const product_id = await productId(api)
  const reply = await api.as('review:create').post('/review', { ...newReview, product_id })
  expect(reply.status).toBe(201)
  expect(reply.body.data.review).toEqual({
    id: expect.any(String),
    ...newReview,
    status: 'pending',
    reviewer_email: null,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    images: [],
    product: expect.objectContaining({ id: product_id, title: 'Mug' }),
  })
  const read = await api.as('review:view').get(`/review/${reply.body.data.review.id}`)
  expect(read.body).toEqual(reply.body)
})

test.each(['pending', 'hidden', 'published'])('a review can be created as %s', async (status) => {
  const api = await startTestApi()
  expect((await addReview(api, { status, reviewer_email: 'amel@example.com' })).status).toBe(status)
  expect(await list(api, `status=${status}`)).toHaveLength(1)
})

test('a review has the pictures of image_ids, then the uploaded ones', async () => {
  const api = await startTestApi()
  const known = await upload(api, await picture('png', 1))
  const metadata = { ...newReview, product_id: await productId(api), image_ids: [known.id] }
  const images = [
    [await picture('jpeg'), 'front.jpg'],
    [await picture('webp'), 'back.webp'],
    [await picture('gif'), 'spin.gif'],
  ] as [Uint8Array, string][]
  const reply = await api.as('review:create', 'review:view').post('/review', form(metadata, images))
  expect(reply.status).toBe(201)
  const { review } = reply.body.data
  expect(review.images.map(({ name, mime_type }: Record<string, string>) => [name, mime_type])).toEqual([
    ['picture.png', 'image/png'],
    ['front.jpg', 'image/jpeg'],
    ['back.webp', 'image/webp'],
    ['spin.gif', 'image/gif'],
  ])
  expect(review.images[0].id).toBe(known.id)
  expect(await left(api)).toEqual({ reviews: 1, files: 4, blobs: 4, links: 4 })
  for (const { url } of review.images) expect((await fetch(url)).status).toBe(200)
})

test('an image of a review must be an image', async () => {
  const api = await startTestApi()
  const [image, text] = [await upload(api, await picture()), await upload(api, Buffer.from('words'))]
  const body = { ...newReview, product_id: await productId(api), image_ids: [image.id, text.id] }
  expect(await api.as('review:create').post('/review', body)).toBeRefused(422, 'image_ids.1')
  expect((await left(api)).reviews).toBe(0)
})

test('the same picture listed twice is linked once', async () => {
  const api = await startTestApi()
  const { id } = await upload(api, await picture())
  const review = await addReview(api, { image_ids: [id, id.toUpperCase()] })
  expect(review.images).toHaveLength(1)
})

test('all errors of a review are reported at once', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  expect(await caller.post('/review', {})).toBeRefused(422, 'product_id', 'content', 'rating', 'reviewer_name')
  const wrong = { product_id: 'x', content: 1, rating: 6, reviewer_name: '', reviewer_email: 'x', status: 'new' }
  expect(await caller.post('/review', { ...wrong, image_ids: ['y'] })).toBeRefused(
    422,
    ...Object.keys(wrong),
    'image_ids.0',
  )
  for (const rating of [0, 4.5, 'five', null])
    expect(await caller.post('/review', { ...newReview, product_id: randomUUID(), rating })).toBeRefused(422, 'rating')
  expect(await left(api)).toEqual(NOTHING)
})

test('a form without readable metadata is refused and leaves no picture', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const images = [[await picture(), 'a.png']] as [Uint8Array, string][]
  expect(await caller.post('/review', form(undefined, images))).toBeRefused(422, 'metadata')
  expect(await caller.post('/review', form('{', images))).toFailWith('bad_request')
  expect(await caller.post('/review', form({ ...newReview }, images))).toBeRefused(422, 'product_id')
  expect(await caller.send('POST', '/review', 'x', { 'content-type': 'text/plain' })).toFailWith(
    'unsupported_media_type',
  )
  expect(await left(api)).toEqual(NOTHING)
})

test("another store's product and pictures do not exist, and a refused review leaves nothing behind", async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const images = [[await picture(), 'a.png']] as [Uint8Array, string][]
  const file = await upload(other, await picture())
  const metadata = { ...newReview, product_id: await productId(other), image_ids: [file.id, randomUUID()] }
  const caller = await api.as()
  const refused = await caller.post('/review', form(metadata, images))
  expect(refused).toBeRefused(422, 'product_id', 'image_ids.0', 'image_ids.1')
  const absent = { ...metadata, product_id: randomUUID(), image_ids: [randomUUID(), randomUUID()] }
  expect((await caller.post('/review', form(absent, images))).text).toBe(refused.text)
  expect(await left(api)).toEqual(NOTHING)
  expect((await left(other)).files).toBe(1)
})

test('a picture over 5 MB or of another type is refused by its index', async () => {
  const api = await startTestApi()
  const metadata = { ...newReview, product_id: await productId(api) }
  const png = await picture()
  const heavy = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)])
  const images = [
    [png, 'fine.png'],
    [heavy, 'heavy.png'],
    [Buffer.from('%PDF-1.7\n'), 'not.png'],
  ] as [Uint8Array, string][]
  const reply = await api.as().post('/review', form(metadata, images))
  expect(reply).toBeRefused(422, 'images.1', 'images.2')
  expect(await left(api)).toEqual(NOTHING)
})

test('a creation retried with its Idempotency-Key happens once, pictures included', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const key = { 'idempotency-key': randomUUID() }
  const metadata = { ...newReview, product_id: await productId(api) }
  const body = async () => form(metadata, [[await picture(), 'a.png']])
  const first = await caller.post('/review', await body(), key)
  const again = await caller.post('/review', await body(), key)
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await left(api)).toEqual({ reviews: 1, files: 1, blobs: 1, links: 1 })
  const another = await caller.post('/review', form(metadata, [[await picture('png', 7), 'a.png']]), key)
  expect(another).toFailWith('idempotency_conflict')
  expect(await left(api)).toEqual({ reviews: 1, files: 1, blobs: 1, links: 1 })
})

test('reviews are filtered by product, status and minimum rating', async () => {
  const api = await startTestApi()
  const bad = await addReview(api, { rating: 1, status: 'hidden' })
  const fair = await addReview(api, { rating: 3, status: 'published' })
  const good = await addReview(api, { rating: 5, status: 'published', product_id: fair.product.id })
  expect(await list(api)).toEqual([good.id, fair.id, bad.id])
  expect(await list(api, 'rating=3')).toEqual([good.id, fair.id])
  expect(await list(api, 'rating=5')).toEqual([good.id])
  expect(await list(api, 'rating=1')).toHaveLength(3)
  expect(await list(api, `product_id=${fair.product.id}`)).toEqual([good.id, fair.id])
  expect(await list(api, `product_id=${fair.product.id}&rating=4&status=published`)).toEqual([good.id])
  expect(await list(api, 'status=pending')).toEqual([])
})

test.each([
  ['rating=0', 'rating'],
  ['rating=6', 'rating'],
  ['rating=2.5', 'rating'],
  ['rating=good', 'rating'],
  ['status=new', 'status'],
  ['product_id=x', 'product_id'],
  ['order_by=content', 'order_by'],
])('%s is refused', async (query, field) => {
  const api = await startTestApi()
  expect(await api.as().get(`/review?${query}`)).toBeRefused(422, field)
})

test.each(['product_id', 'rating', 'created_at'])(
  'reviews sort by %s both ways, page by page and by cursor',
  async (sort) => {
    const api = await startTestApi()
    const products = [await productId(api), await productId(api), await productId(api)]
    await api.db
      .insertInto('review')
      .values(
        Array.from({ length: 23 }, (_, i) => ({
          store_id: api.store.id,
          product_id: products[i % 3] as string,
          content: 'x',
          rating: 1 + (i % 5),
          reviewer_name: 'y',
          created_at: new Date(Date.UTC(2026, 0, 1 + (i % 4))),
        })),
      )
      .execute()
    const caller = await api.as()
    for (const direction of ['ASC', 'DESC']) {
      const base = `/review?order_by=${sort}&order_direction=${direction}&page_size=5`
      const pages = []
      for (let page = 1; page <= 5; page++) pages.push(...(await caller.get(`${base}&page=${page}`)).body.data.reviews)
      const keys = pages.map((review) => `${sort === 'product_id' ? review.product.id : review[sort]} ${review.id}`)
      expect(new Set(keys).size).toBe(23)
      expect(keys).toEqual(direction === 'ASC' ? keys.toSorted() : keys.toSorted().reverse())
      const followed = []
      for (let cursor = ''; ; ) {
        const { data } = (await caller.get(`${base}${cursor}`)).body
        followed.push(...data.reviews)
        if (!data.pagination.next_cursor) break
        cursor = `&cursor=${data.pagination.next_cursor}`
      }
      expect(followed).toEqual(pages)
    }
  },
)

test('a change touches only the given fields', async () => {
  const api = await startTestApi()
  const review = await addReview(api, { reviewer_email: 'amel@example.com' })
  const caller = await api.as('review:update')
  expect((await caller.put(`/review/${review.id}`, {})).body.data.review).toEqual(review)
  const reply = await caller.put(`/review/${review.id}`, { status: 'published', content: 'Holds tea.' })
  expect(reply.status).toBe(200)
  const { updated_at } = reply.body.data.review
  expect(updated_at > review.updated_at).toBe(true)
  expect(reply.body.data.review).toEqual({ ...review, status: 'published', content: 'Holds tea.', updated_at })
  const rest = { rating: 4, reviewer_name: 'A. B.', reviewer_email: null }
  expect((await caller.put(`/review/${review.id}`, rest)).body.data.review).toMatchObject(rest)
  const wrong = { status: 'new', content: '', rating: 9, reviewer_name: null, reviewer_email: 'x' }
  expect(await caller.put(`/review/${review.id}`, wrong)).toBeRefused(422, ...Object.keys(wrong))
  const moved = await caller.put(`/review/${review.id}`, { product_id: randomUUID() })
  expect(moved.headers.get('x-ignored-input')).toBe('product_id')
  expect(moved.body.data.review.product).toEqual(review.product)
})

test('a deleted review is gone with its links; its pictures stay', async () => {
  const api = await startTestApi()
  const file = await upload(api, await picture())
  const review = await addReview(api, { image_ids: [file.id] })
  const caller = await api.as('review:delete', 'review:view')
  const reply = await caller.delete(`/review/${review.id}`)
  expect([reply.status, reply.text]).toEqual([200, '{"data":{}}'])
  expect(await caller.get(`/review/${review.id}`)).toFailWith('not_found')
  expect(await caller.delete(`/review/${review.id}`)).toFailWith('not_found')
  expect(await left(api)).toEqual({ reviews: 0, files: 1, blobs: 1, links: 0 })
})

test("another store's review does not exist, to the byte", async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const theirs = await addReview(other)
  const caller = await api.as()
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { status: 'hidden' }],
    ['PUT', { status: 'new' }],
    ['DELETE', undefined],
  ] as const) {
    const replies = await Promise.all(
      [theirs.id, randomUUID(), 'nonsense'].map((id) => caller.send(method, `/review/${id}`, body)),
    )
    for (const reply of replies) {
      expect(reply).toFailWith('not_found')
      expect(reply.text).toBe(replies[0]?.text)
    }
  }
  expect(await list(api)).toEqual([])
  expect(await list(api, `product_id=${theirs.product.id}`)).toEqual([])
  expect((await other.as().get(`/review/${theirs.id}`)).body.data.review).toEqual(theirs)
})

test('each call needs its own permission', async () => {
  const api = await startTestApi()
  const { id } = await addReview(api)
  const calls = [
    ['review:view', 'GET', '/review'],
    ['review:view', 'GET', `/review/${id}`],
    ['review:create', 'POST', '/review'],
    ['review:update', 'PUT', `/review/${id}`],
    ['review:delete', 'DELETE', `/review/${id}`],
  ] as const
  for (const [needed, method, path] of calls) {
    const others = [...new Set(calls.map(([permission]) => permission))].filter((permission) => permission !== needed)
    expect(await api.as(...others).send(method, path)).toFailWith('forbidden')
  }
})
