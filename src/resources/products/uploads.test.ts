import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'

const ids = (files: { id: string }[]) => files.map(({ id }) => id)

const names = (files: { name: string }[]) => files.map(({ name }) => name)

const post = async (api: TestApi, path: string, metadata: object, files: Parameters<typeof form>[0] = {}) =>
  api.as().post(path, form({ metadata: JSON.stringify(metadata), ...files }))

const stored = async (api: TestApi) => ({
  files: (await api.db.selectFrom('file').select('id').where('store_id', '=', api.store.id).execute()).length,
  blobs: (await api.db.selectFrom('blob').select('sha256').where('store_id', '=', api.store.id).execute()).length,
  products: (await api.db.selectFrom('product').select('id').where('store_id', '=', api.store.id).execute()).length,
})

const video = (name: string) =>
  Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.from(name.padEnd(200))])

const SIZES = {
  options: [
    {
      order: 1,
      name: 'Size',
      values: [
        { order: 1, value: 'S' },
        { order: 2, value: 'M' },
      ],
    },
  ],
  variants: [{ values: [{ order: 1, value: 'S' }] }, { values: [{ order: 1, value: 'M' }] }],
}

test('uploaded images follow the listed ones, and a given list replaces what was there', async () => {
  const api = await startTestApi()
  const red = await upload(api, { file: { name: 'red.png', bytes: await picture('png', { colour: '#f00' }) } })
  const green = await upload(api, { file: { name: 'green.png', bytes: await picture('png', { colour: '#0f0' }) } })
  const created = await post(
    api,
    '/product',
    {
      title: 'Poster',
      images: [
        { id: red.id, order: 2 },
        { id: green.id, order: 1 },
      ],
    },
    {
      'images[]': [
        { name: 'blue.jpg', bytes: await picture('jpeg', { colour: '#00f' }) },
        { name: 'grey.webp', bytes: await picture('webp', { colour: '#888' }) },
      ],
    },
  )
  expect(created.status, created.text).toBe(201)
  const { product } = created.body.data
  expect(names(product.images)).toEqual(['green.png', 'red.png', 'blue.jpg', 'grey.webp'])
  expect(product.image).toEqual(product.images[0])

  const path = `/product/${product.id}/update`
  const added = await post(api, path, {}, { 'images[]': { name: 'gif.gif', bytes: await picture('gif') } })
  expect(names(added.body.data.product.images)).toEqual(['green.png', 'red.png', 'blue.jpg', 'grey.webp', 'gif.gif'])

  const replaced = await post(api, path, { images: [{ id: red.id.toUpperCase(), order: 5 }] })
  expect(ids(replaced.body.data.product.images)).toEqual([red.id])
  const none = await api.as().post(path, { images: [] })
  expect(none.body.data.product).toMatchObject({ image: null, images: [] })
  expect((await stored(api)).files).toBe(5)
})

test('the same file listed twice is refused at its second place', async () => {
  const api = await startTestApi()
  const { id } = await upload(api, { file: await picture() })
  const reply = await post(api, '/product', {
    title: 'x',
    images: [
      { id, order: 1 },
      { id, order: 2 },
      { id: randomUUID(), order: 3 },
    ],
  })
  expect(reply).toBeRefused(422, 'images.1', 'images.2')
})

test('files[N] is the file of the Nth variant, and the remaining files belong to the product', async () => {
  const api = await startTestApi()
  const created = await post(
    api,
    '/product',
    { title: 'Book', is_digital: true, ...SIZES },
    {
      'files[]': [
        { name: 'small.txt', bytes: Buffer.from('small') },
        { name: 'medium.txt', bytes: Buffer.from('medium') },
        { name: 'extra.txt', bytes: Buffer.from('extra') },
      ],
    },
  )
  expect(created.status, created.text).toBe(201)
  const { product } = created.body.data
  expect(names(product.variants.map(({ file }: { file: object }) => file))).toEqual(['small.txt', 'medium.txt'])
  const linked = await api.as().get(`/file?fileable_type=product&fileable_id=${product.id}`)
  expect(names(linked.body.data.files)).toEqual(['extra.txt'])

  const [first, second] = product.variants
  const path = `/product/${product.id}/update`
  const numbered = await post(
    api,
    path,
    { variants: [{ id: second.id }, { id: first.id }] },
    {
      'files[1]': { name: 'newer.txt', bytes: Buffer.from('newer') },
    },
  )
  const after = numbered.body.data.product.variants
  expect(after.find(({ id }: { id: string }) => id === first.id).file.name).toBe('newer.txt')
  expect(after.find(({ id }: { id: string }) => id === second.id).file.name).toBe('medium.txt')
  const cleared = await post(api, path, { variants: [{ id: first.id, file: null }] })
  expect(cleared.body.data.product.variants.find(({ id }: { id: string }) => id === first.id).file).toBeNull()
})

test('the first file of a simple product is what the buyer gets', async () => {
  const api = await startTestApi()
  const created = await post(
    api,
    '/product',
    { title: 'Song' },
    { 'files[]': { name: 'song.txt', bytes: Buffer.from('la') } },
  )
  const { product } = created.body.data
  expect(product.default.file.name).toBe('song.txt')
  const path = `/product/${product.id}/update`
  const newer = await post(
    api,
    path,
    { default: { price: 3 } },
    { files: { name: 'remix.txt', bytes: Buffer.from('lala') } },
  )
  expect(newer.body.data.product.default).toMatchObject({ price: 3, file: { name: 'remix.txt' } })
})

/** What a browser sends for an empty file input. */
const UNFILLED = { name: '', bytes: Buffer.alloc(0), type: 'application/octet-stream' }

test('an empty file input changes nothing', async () => {
  const api = await startTestApi()
  const song = { name: 'song.txt', bytes: Buffer.from('la') }
  const unfilled = { 'images[]': UNFILLED, 'files[]': UNFILLED }
  const created = await post(api, '/product', { title: 'Song' }, { ...unfilled, files: song })
  expect(created.status, created.text).toBe(201)
  const { product } = created.body.data
  const updated = await post(api, `/product/${product.id}/update`, { title: 'The song' }, unfilled)
  expect(updated.status, updated.text).toBe(200)
  expect(updated.body.data.product).toMatchObject({ images: [], default: { file: { id: product.default.file.id } } })
  const empty = { 'files[]': { name: 'song.txt', bytes: Buffer.alloc(0) } }
  expect(await post(api, `/product/${product.id}/update`, {}, empty)).toBeRefused(422, 'files.0')
  const after = await api.as().get(`/product/${product.id}`)
  expect(after.body.data.product.default.file).toMatchObject({ id: product.default.file.id, size: 2 })
  expect(await stored(api)).toEqual({ files: 1, blobs: 1, products: 1 })
})

test('an empty file input keeps its position, so that the other files go to their variants', async () => {
  const api = await startTestApi()
  const files = { 'files[]': [UNFILLED, { name: 'medium.txt', bytes: Buffer.from('medium') }] }
  const { product } = (await post(api, '/product', { title: 'Book', ...SIZES }, files)).body.data
  expect(product.variants.map(({ file }: { file: { name: string } | null }) => file?.name)).toEqual([
    undefined,
    'medium.txt',
  ])
})

test('variant images and ugc videos refer to files of the store', async () => {
  const api = await startTestApi()
  const image = await upload(api, { file: await picture() })
  const [a, b] = [await upload(api, { file: video('a') }), await upload(api, { file: video('b') })]
  const { options, variants } = SIZES
  const created = await post(api, '/product', {
    title: 'Shoe',
    options,
    variants: variants.map((variant) => ({ ...variant, image: image.id })),
    ugc_videos: [
      { id: a.id, order: 2 },
      { id: b.id, order: 1 },
    ],
  })
  const { product } = created.body.data
  expect(product.variants.map(({ image }: { image: { id: string } }) => image.id)).toEqual([image.id, image.id])
  expect(ids(product.ugc_videos)).toEqual([b.id, a.id])
  const app = await api.as()
  const changed = await app.post(`/product/${product.id}/update`, {
    ugc_videos: [{ id: a.id }],
    variants: [{ id: product.variants[0].id, image: null }],
  })
  expect(ids(changed.body.data.product.ugc_videos)).toEqual([a.id])
  expect(changed.body.data.product.variants[0].image).toBeNull()
  expect(changed.body.data.product.variants[1].image.id).toBe(image.id)
})

test('images accept only images, videos only videos', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const image = await upload(api, { file: await picture() })
  const clip = await upload(api, { file: video('a') })
  const text = await upload(api, { file: Buffer.from('words') })
  const { options, variants } = SIZES
  const wrong = {
    images: [{ id: image.id }, { id: clip.id }, { id: text.id }],
    ugc_videos: [{ id: image.id }, { id: clip.id }],
  }
  const created = await app.post('/product', {
    title: 'Shoe',
    options,
    variants: variants.map((variant) => ({ ...variant, image: text.id, file: text.id })),
    ...wrong,
  })
  expect(created).toBeRefused(422, 'images.1', 'images.2', 'ugc_videos.0', 'variants.0.image', 'variants.1.image')
  const { product } = (await app.post('/product', { title: 'Shoe', images: [{ id: image.id }] })).body.data
  const updated = await app.post(`/product/${product.id}/update`, wrong)
  expect(updated).toBeRefused(422, 'images.1', 'images.2', 'ugc_videos.0')
  expect(ids((await app.get(`/product/${product.id}`)).body.data.product.images)).toEqual([image.id])
})

test('a create or update that fails in any part leaves no row and no blob', async () => {
  const api = await startTestApi()
  const good = { name: 'a.png', bytes: await picture() }
  const pdf = { name: 'b.png', bytes: Buffer.from('%PDF-1.4 not a picture') }
  expect(await post(api, '/product', { title: 'x' }, { 'images[]': [good, pdf] })).toBeRefused(422, 'images.1')
  const huge = { name: 'c.png', bytes: Buffer.concat([await picture(), Buffer.alloc(5 * 1024 * 1024)]) }
  expect(await post(api, '/product', { title: 'x' }, { 'images[]': [good, huge] })).toBeRefused(422, 'images.1')
  const files = { 'images[]': good, 'files[]': { name: 'd.txt', bytes: Buffer.from('bytes') } }
  expect(await post(api, '/product', { title: 'x', category_id: randomUUID() }, files)).toBeRefused(422, 'category_id')
  expect(await post(api, '/product', { title: '' }, files)).toBeRefused(422, 'title')
  expect(await api.as().post('/product', form(files))).toBeRefused(422, 'metadata')
  expect(await api.as().post('/product', form({ metadata: '{', ...files }))).toFailWith('bad_request')
  expect(await post(api, `/product/${randomUUID()}/update`, { title: 'x' }, files)).toFailWith('not_found')
  expect(await stored(api)).toEqual({ files: 0, blobs: 0, products: 0 })

  const { product } = (await post(api, '/product', { title: 'x' })).body.data
  const path = `/product/${product.id}/update`
  expect(await post(api, path, { default: { quantity_delta: -1 } }, files)).toBeRefused(422, 'default.quantity_delta')
  expect(await stored(api)).toEqual({ files: 0, blobs: 0, products: 1 })
})

test('more images than a product may have are refused', async () => {
  const api = await startTestApi()
  const bytes = await picture()
  const { product } = (await post(api, '/product', { title: 'x' }, { 'images[]': Array(50).fill(bytes) })).body.data
  expect(product.images).toHaveLength(50)
  const path = `/product/${product.id}/update`
  await sql`
    with copies as (
      insert into file (store_id, sha256, name, size, mime_type, thumbnail)
      select f.store_id, f.sha256, f.name, f.size, f.mime_type, f.thumbnail
      from file f cross join generate_series(1, 200) where f.id = ${product.images[0].id} returning store_id, id
    )
    insert into file_link (store_id, file_id, role, position, product_id)
    select c.store_id, c.id, l.role, 100, l.product_id
    from copies c cross join file_link l where l.file_id = ${product.images[0].id}`.execute(api.db)
  const full = (await api.as().get(`/product/${product.id}`)).body.data.product
  expect(full.images).toHaveLength(250)
  expect(await post(api, path, {}, { 'images[]': bytes })).toBeRefused(422, 'images')
  const images = Array.from({ length: 251 }, () => ({ id: product.images[0].id }))
  expect(await api.as().post(path, { images })).toBeRefused(422, 'images')
})

test('a retry with the same Idempotency-Key creates one product and one file', async () => {
  const api = await startTestApi()
  const app = api.as().with({ 'idempotency-key': 'again' })
  const body = async () => form({ metadata: '{"title":"Once"}', 'images[]': { name: 'a.png', bytes: await picture() } })
  const first = await app.post('/product', await body())
  const second = await app.post('/product', await body())
  expect(first.status).toBe(201)
  expect(second.text).toBe(first.text)
  expect(second.headers.get('idempotency-replayed')).toBe('true')
  expect(await stored(api)).toEqual({ files: 1, blobs: 1, products: 1 })
})
