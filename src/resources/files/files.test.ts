import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { form, picture, upload } from '../../../tests/support/uploads.ts'
import { whileLocked } from '../../../tests/support/waiting.ts'
import type { Db } from '../../core/storage/database.ts'

const addReview = async ({ db, store }: TestApi, product: string) => {
  const values = { store_id: store.id, product_id: product, content: 'Good', rating: 5, reviewer_name: 'Ada' }
  return (await db.insertInto('review').values(values).returning('id').executeTakeFirstOrThrow()).id
}

const addLandingPage = async ({ db, store }: TestApi, product: string) => {
  const values = { store_id: store.id, product_id: product, title: 'Sale', slug: randomUUID() }
  return (await db.insertInto('landing_page').values(values).returning('id').executeTakeFirstOrThrow()).id
}

const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1'), Buffer.alloc(200, 7)])

const linksOf = ({ db, store }: TestApi, file: string) =>
  db
    .selectFrom('file_link')
    .select(['role', 'position', 'product_id', 'variant_id', 'landing_page_id', 'review_id'])
    .where('store_id', '=', store.id)
    .where('file_id', '=', file)
    .orderBy('role')
    .execute()

const countOf = async ({ db, store }: TestApi, table: 'file' | 'blob' | 'blob_claim' | 'file_link') =>
  (await db.selectFrom(table).select('store_id').where('store_id', '=', store.id).execute()).length

test('an uploaded picture is a file with URLs, and downloads byte for byte', async () => {
  const api = await startTestApi()
  const bytes = await picture()
  const file = await upload(api, { file: { name: 'mug.txt', type: 'text/plain', bytes }, alt: 'A blue mug' })
  expect(file).toMatchObject({ name: 'mug.txt', size: bytes.length, alt: 'A blue mug', mime_type: 'image/png' })
  const fetched = await api.as('file:browse').get(`/file/${file.id}`)
  expect(fetched.body.data.file).toEqual(file)
  const response = await fetch(file.url)
  expect(response.status).toBe(200)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes)
  expect(await countOf(api, 'blob_claim')).toBe(0)
})

test('a new alternative text appears wherever the file is shown', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const file = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: product.id })
  const app = api.as('file:upload', 'file:browse', 'product:view')
  const before = await app.get(`/product/${product.id}`)
  const read = await app.get(`/file/${file.id}`)
  const ifMatch = { 'if-match': read.headers.get('etag') as string }
  const reply = await app.with(ifMatch).put(`/file/${file.id}`, { alt: 'A blue mug' })
  expect(reply.status, reply.text).toBe(200)
  const { updated_at } = reply.body.data.file
  expect(reply.body.data.file).toEqual({ ...file, ...read.body.data.file, alt: 'A blue mug', updated_at })
  expect(updated_at > read.body.data.file.updated_at).toBe(true)
  const after = await app.get(`/product/${product.id}`)
  expect(after.body.data.product.images[0].alt).toBe('A blue mug')
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))

  expect((await app.with(ifMatch).put(`/file/${file.id}`, { alt: 'Later' })).status).toBe(412)
  expect(await app.put(`/file/${file.id}`, { alt: 'x'.repeat(1001) })).toBeRefused(422, 'alt')
  expect((await app.put(`/file/${randomUUID()}`, { alt: 'Nothing' })).status).toBe(404)
  expect((await api.as('file:browse').put(`/file/${file.id}`, { alt: 'No' })).status).toBe(403)
  expect((await app.get(`/file/${file.id}`)).body.data.file.alt).toBe('A blue mug')
})

test('an alternative text replaces one that was being written at the same time', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: await picture(), alt: 'Mug' })
  const other = sql`update file set alt = 'Hat' where store_id = ${api.store.id} and id = ${file.id}`
  const app = api.as('file:upload', 'file:browse')
  const reply = await whileLocked(api.db, other, () => app.put(`/file/${file.id}`, { alt: 'Mug' }))
  expect(reply.body.data.file.alt).toBe('Mug')
  expect((await app.get(`/file/${file.id}`)).body.data.file.alt).toBe('Mug')
})

test('a file can be uploaded without linking it', async () => {
  const api = await startTestApi()
  const file = await upload(api, { file: Buffer.from('hello') })
  expect(file).toMatchObject({ name: 'file.bin', alt: '', mime_type: 'text/plain', thumbnail: null })
  expect(await linksOf(api, file.id)).toEqual([])
})

test('a product gets its uploads in order, each in the role that fits its type', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const at = { fileable_type: 'product', fileable_id: product.id }
  const first = await upload(api, { file: await picture(), ...at })
  const second = await upload(api, { file: await picture('jpeg'), ...at })
  const manual = await upload(api, { file: Buffer.from('%PDF-1.7\n%âãÏÓ\n'), ...at })
  expect(await linksOf(api, first.id)).toMatchObject([{ role: 'product_images', position: 0 }])
  expect(await linksOf(api, second.id)).toMatchObject([{ role: 'product_images', position: 1 }])
  expect(await linksOf(api, manual.id)).toMatchObject([{ role: 'digital_product', position: 0 }])
  const placed = await upload(api, { file: video, ...at, order: '7' })
  expect(await linksOf(api, placed.id)).toMatchObject([{ role: 'ugc_video', position: 7 }])
})

test('files can be added after the highest order', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const at = { fileable_type: 'product', fileable_id: product.id }
  const last = await upload(api, { file: await picture(), ...at, order: '2147483647' })
  const later = [
    await upload(api, { file: await picture(), ...at }),
    await upload(api, { file: await picture(), ...at }),
  ]
  const { images } = (await api.as().get(`/product/${product.id}`)).body.data.product
  expect(images.map(({ id }: { id: string }) => id)).toEqual([last.id, ...later.map(({ id }) => id)])
})

test('each kind of resource accepts files in its own roles', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const owners = {
    variant: [product.variant, 'variant_image'],
    review: [await addReview(api, product.id), 'review_images'],
    landing_page: [await addLandingPage(api, product.id), 'landing_page_images'],
  } as const
  for (const [fileable_type, [fileable_id, role]] of Object.entries(owners)) {
    const usual = await upload(api, { file: await picture(), fileable_type, fileable_id })
    expect(await linksOf(api, usual.id)).toMatchObject([{ role, [`${fileable_type}_id`]: fileable_id }])
    const reply = await api
      .as('file:upload')
      .post('/file', form({ file: await picture(), fileable_type, fileable_id, role: 'product_images' }))
    expect(reply).toBeRefused(422, 'role')
  }
})

test('picture roles accept only pictures, video roles only videos', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const owners = {
    product: product.id,
    variant: product.variant,
    review: await addReview(api, product.id),
    landing_page: await addLandingPage(api, product.id),
  }
  const caller = await api.as('file:upload')
  const document = Buffer.from('%PDF-1.7\n%âãÏÓ\n')
  const wrongTypes: [keyof typeof owners, Buffer, string | undefined][] = [
    ['product', document, 'product_images'],
    ['product', video, 'product_images'],
    ['product', await picture(), 'ugc_video'],
    ['variant', document, 'variant_image'],
    ['review', document, 'review_images'],
    ['review', video, undefined],
    ['landing_page', document, undefined],
  ]
  for (const [fileable_type, file, role] of wrongTypes) {
    const fields = { file, fileable_type, fileable_id: owners[fileable_type], ...(role && { role }) }
    expect(await caller.post('/file', form(fields)), `${fileable_type} ${role}`).toBeRefused(422, 'file')
  }
  expect(await countOf(api, 'file')).toBe(0)
  expect(await countOf(api, 'blob_claim')).toBe(0)
})

test('a second picture of a variant replaces the first', async () => {
  const api = await startTestApi()
  const { variant } = await addProduct(api)
  const at = { fileable_type: 'variant', fileable_id: variant }
  const first = await upload(api, { file: await picture(), ...at })
  const second = await upload(api, { file: await picture('webp'), ...at })
  expect(await linksOf(api, first.id)).toEqual([])
  expect(await linksOf(api, second.id)).toHaveLength(1)
})

test('an upload that cannot be linked as asked is refused and leaves neither row nor bytes', async () => {
  const api = await startTestApi()
  const otherStore = await startTestApi()
  const theirs = await addProduct(otherStore)
  const caller = await api.as('file:upload')
  const file = await picture()
  const id = randomUUID()
  expect(await caller.post('/file', form({ file, fileable_type: 'product' }))).toBeRefused(422, 'fileable_id')
  expect(await caller.post('/file', form({ file, fileable_id: id }))).toBeRefused(422, 'fileable_type')
  const unknown = await caller.post('/file', form({ file, fileable_type: 'product', fileable_id: id }))
  expect(unknown).toBeRefused(422, 'fileable_id')
  const foreign = await caller.post('/file', form({ file, fileable_type: 'product', fileable_id: theirs.id }))
  expect(foreign.text).toBe(unknown.text)
  const wrong = { file, fileable_type: 'order', fileable_id: 'x', role: 'cover', order: '1.5', alt: 'a'.repeat(1001) }
  expect(await caller.post('/file', form(wrong))).toBeRefused(
    422,
    'fileable_type',
    'fileable_id',
    'role',
    'order',
    'alt',
  )
  expect(await countOf(api, 'file')).toBe(0)
  expect(await countOf(api, 'blob')).toBe(0)
  expect(await countOf(api, 'blob_claim')).toBe(0)
})

test('a role without a resource and unknown fields are named, not silently dropped', async () => {
  const api = await startTestApi()
  const caller = await api.as('file:upload')
  const reply = await caller.post('/file', form({ file: await picture(), role: 'ugc_video', colour: 'red' }))
  expect(reply.status).toBe(201)
  expect(reply.headers.get('x-ignored-input')).toBe('colour, role')
})

test('files are listed newest first, in pages, by kind, by owner and by time', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const png = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: product.id })
  const gif = await upload(api, { file: await picture('gif'), fileable_type: 'variant', fileable_id: product.variant })
  const text = await upload(api, { file: Buffer.from('plain words') })
  const caller = await api.as('file:browse')
  const list = async (query: string) => {
    const reply = await caller.get(`/file?${query}`)
    expect(reply.status, reply.text).toBe(200)
    return reply.body.data.files.map(({ id }: { id: string }) => id)
  }
  expect(await list('')).toEqual([text.id, gif.id, png.id])
  expect(await list('order_by=created_at&order_direction=ASC')).toEqual([png.id, gif.id, text.id])
  expect(await list('page_size=1&page=2')).toEqual([gif.id])
  expect(await list('mime_type=image/*')).toEqual([gif.id, png.id])
  expect(await list('mime_type=IMAGE/PNG,text/plain')).toEqual([text.id, png.id])
  expect(await list('mime_type[]=image/png&mime_type[]=audio/*')).toEqual([png.id])
  expect(await list('mime_type=*/*')).toHaveLength(3)
  expect(await list('mime_type=image/png,IMAGE/PNG')).toEqual([png.id])
  expect(await list('fileable_type=product')).toEqual([png.id])
  expect(await list(`fileable_type=variant&fileable_id=${product.variant}`)).toEqual([gif.id])
  expect(await list(`fileable_id=${product.variant}`)).toEqual([gif.id])
  expect(await list(`fileable_type=product&fileable_id=${product.variant}`)).toEqual([])
  expect(await list('fileable_type=review')).toEqual([])
  const today = new Date().toISOString().slice(0, 10)
  expect(await list(`from=${today}&to=${today}`)).toHaveLength(3)
  expect(await list('to=2001-01-01')).toEqual([])
  expect(await list(`from=${encodeURIComponent(gif.created_at)}`)).toEqual([text.id, gif.id])
  const pagesOf = async (query: string) => (await caller.get(`/file?${query}&page_size=1`)).body.data.pagination
  expect(await pagesOf('mime_type=image/*')).toMatchObject({ total: 2, per_page: 1, current_page: 1, last_page: 2 })
  expect(await pagesOf('mime_type=image/*,image/png,image/png')).toMatchObject({ total: 2 })
  expect(await pagesOf('mime_type=image/png,image/png')).toMatchObject({ total: 1 })
  expect(await pagesOf('mime_type=*/*')).toMatchObject({ total: 3 })
})

test.each([
  ['fileable_type=order', 'fileable_type'],
  ['fileable_id=7', 'fileable_id'],
  ['mime_type=pictures', 'mime_type'],
  ['mime_type=image/p*g', 'mime_type'],
  ['mime_type=*/png', 'mime_type'],
  ['mime_type=i*/*', 'mime_type'],
  ['mime_type=image/**', 'mime_type'],
  [`mime_type=${Array.from({ length: 11 }, (_, n) => `a/b${n}`)}`, 'mime_type'],
  ['from=yesterday', 'from'],
  ['to=2024-02-30', 'to'],
  ['order_by=size', 'order_by'],
])('the list refuses %s', async (query, field) => {
  const api = await startTestApi()
  expect(await api.as('file:browse').get(`/file?${query}`)).toBeRefused(422, field)
})

test('deleting a file removes it from everything it was linked to, and its bytes', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const review = await addReview(api, product.id)
  const page = await addLandingPage(api, product.id)
  const file = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: product.id })
  const row = { store_id: api.store.id, file_id: file.id }
  await api.db
    .insertInto('file_link')
    .values([
      { ...row, role: 'ugc_video', product_id: product.id },
      { ...row, role: 'variant_image', variant_id: product.variant },
      { ...row, role: 'digital_product', variant_id: product.variant },
      { ...row, role: 'review_images', review_id: review },
      { ...row, role: 'landing_page_images', landing_page_id: page },
    ])
    .execute()
  const reply = await api.as('file:delete').post(`/file/${file.id}`)
  expect(reply.status).toBe(200)
  expect(reply.body).toEqual({ data: {} })
  expect(await countOf(api, 'file_link')).toBe(0)
  expect(await countOf(api, 'blob')).toBe(0)
  expect(await countOf(api, 'blob_claim')).toBe(0)
  expect(await api.as('file:browse').get(`/file/${file.id}`)).toFailWith('not_found')
  expect((await fetch(file.url)).status).toBe(404)
  expect((await fetch(file.thumbnail)).status).toBe(404)
  expect(await api.as('file:delete').post(`/file/${file.id}`)).toFailWith('not_found')
})

test('identical content is stored once, until the last file with it is deleted', async () => {
  const api = await startTestApi()
  const bytes = await picture()
  const files = await Promise.all([1, 2, 3].map(() => upload(api, { file: bytes })))
  expect(new Set(files.map(({ id }) => id)).size).toBe(3)
  expect(await countOf(api, 'blob')).toBe(1)
  const caller = await api.as('file:delete')
  const [last, ...others] = files
  await Promise.all(others.map(({ id }) => caller.post(`/file/${id}`)))
  expect((await fetch(last.url)).status).toBe(200)
  await caller.post(`/file/${last.id}`)
  expect(await countOf(api, 'blob')).toBe(0)
})

test('uploading and deleting the same content at once never leaves a file without its bytes', async () => {
  const api = await startTestApi()
  const bytes = Buffer.from('the same words over and over')
  const caller = await api.as('file:delete')
  let previous = await upload(api, { file: bytes })
  for (let round = 0; round < 15; round++) {
    const [deleted, next] = await Promise.all([caller.post(`/file/${previous.id}`), upload(api, { file: bytes })])
    expect(deleted.status).toBe(200)
    const response = await fetch(next.url)
    expect(await response.text()).toBe(bytes.toString())
    previous = next
  }
  expect(await countOf(api, 'blob')).toBe(1)
  expect(await countOf(api, 'blob_claim')).toBe(0)
})

test('unlinking removes the association only', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const file = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: product.id })
  const path = `/file/${file.id}/link/product/${product.id}`
  const caller = await api.as('file:delete')
  const reply = await caller.delete(path)
  expect(reply.status).toBe(200)
  expect(reply.body.data.file).toMatchObject({ id: file.id, name: file.name })
  expect(await linksOf(api, file.id)).toEqual([])
  expect((await fetch(file.url)).status).toBe(200)
  expect(await caller.delete(path)).toFailWith('not_found')
  expect(await caller.delete(`/file/${randomUUID()}/link/product/${product.id}`)).toFailWith('not_found')
  expect(await caller.delete(`/file/${file.id}/link/order/${product.id}`)).toFailWith('not_found')
})

test('a file lists what uses it, and unused files can be found', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mug = await addProduct(api, { title: 'Mug' })
  const page = await addLandingPage(api, mug.id)
  const review = await addReview(api, mug.id)
  const used = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: mug.id, alt: 'Mug' })
  const spare = await upload(api, { file: await picture('jpeg') })
  await sql`insert into file_link (store_id, file_id, role, landing_page_id)
    values (${api.store.id}, ${used.id}, 'landing_page_images', ${page})`.execute(api.db)
  await sql`insert into file_link (store_id, file_id, role, review_id)
    values (${api.store.id}, ${used.id}, 'review_images', ${review})`.execute(api.db)
  const browser = await api.as('file:browse')
  const links = { product_id: mug.id }
  expect((await browser.get(`/file/${used.id}/link`)).body.data.links).toEqual([
    { ...links, fileable_type: 'product', fileable_id: mug.id, role: 'product_images', title: 'Mug' },
    { ...links, fileable_type: 'landing_page', fileable_id: page, role: 'landing_page_images', title: 'Sale' },
    { ...links, fileable_type: 'review', fileable_id: review, role: 'review_images', title: 'Mug' },
  ])
  expect((await browser.get(`/file/${spare.id}/link`)).body.data.links).toEqual([])
  for (const [linked, file] of [
    [false, spare],
    [true, used],
  ] as const) {
    const { files, pagination } = (await browser.get(`/file?linked=${linked}`)).body.data
    expect(files.map(({ id }: { id: string }) => id)).toEqual([file.id])
    expect(pagination.total).toBe(1)
  }

  expect(await api.as('file:upload').get(`/file/${used.id}/link`)).toFailWith('forbidden')
  expect(await other.as('file:browse').get(`/file/${used.id}/link`)).toFailWith('not_found')
})

test('a file whose address stands in a text is in use, until the text is changed', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const mug = await addProduct(api, { title: 'Mug' })
  const [file, spare] = [
    await upload(api, { file: await picture() }),
    await upload(api, { file: await picture('jpeg') }),
  ]
  const app = api.as(
    'file:browse',
    'product:update',
    'landing_page:create',
    'landing_page:update',
    'policy:create',
    'policy:delete',
  )
  const idsOf = async (linked: boolean) => {
    const { files, pagination } = (await app.get(`/file?linked=${linked}`)).body.data
    expect(pagination.total).toBe(files.length)
    return files.map(({ id }: { id: string }) => id).sort()
  }
  const uses = async ({ id } = file) => (await app.get(`/file/${id}/link`)).body.data.links
  const both = [file.id, spare.id].sort()
  expect(await idsOf(false)).toEqual(both)

  const description = `Fired twice.\n\n![The mug](${file.permanent_url}) <img src="${file.permanent_url}/thumbnail"> 1/2`
  const written = await app.post(`/product/${mug.id}/update`, { description })
  expect(written.status, written.text).toBe(200)
  const inProduct = { fileable_type: 'product', fileable_id: mug.id, role: 'in_text', title: 'Mug', product_id: mug.id }
  expect(await uses()).toEqual([inProduct])
  expect([await idsOf(true), await idsOf(false)]).toEqual([[file.id], [spare.id]])

  const page = {
    title: 'Sale',
    product_id: mug.id,
    screenshot_url: file.permanent_url,
    meta_description: `See ${file.url}`,
  }
  const { landing_page } = (await app.post('/landing-page', page)).body.data
  const terms = {
    type: 'terms',
    title: 'Terms',
    content: `<a href="${spare.permanent_url}">PDF</a> or ${file.permanent_url}`,
  }
  const { policy } = (await app.post('/policy', terms)).body.data
  const inPage = { ...inProduct, fileable_type: 'landing_page', fileable_id: landing_page.id, title: 'Sale' }
  const inTerms = { fileable_type: 'policy', fileable_id: policy.id, role: 'in_text', title: 'Terms', product_id: null }
  expect(await uses()).toEqual([inPage, inTerms, inProduct])
  expect(await uses(spare)).toEqual([inTerms])
  expect([await idsOf(true), await idsOf(false)]).toEqual([both, []])

  await app.post(`/product/${mug.id}/update`, { description: 'Fired twice.' })
  await app.put(`/landing-page/${landing_page.id}`, { screenshot_url: null, meta_description: null })
  await app.delete(`/policy/${policy.id}`)
  expect([await uses(), await uses(spare)]).toEqual([[], []])
  expect(await idsOf(false)).toEqual(both)

  // What another store writes about it is no use.
  const stranger = await other
    .as('product:create')
    .post('/product', { title: 'Copy', description, default: { price: 5 } })
  expect(stranger.status, stranger.text).toBe(201)
  expect(await uses()).toEqual([])
})

test('a file linked to two resources concurrently is listed under both', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const product = await addProduct(api)
  const file = await upload(api, { file: await picture() })
  const link = (db: Db, owner: 'product_id' | 'variant_id', role: string, id: string) =>
    sql`insert into file_link (store_id, file_id, role, ${sql.ref(owner)})
      values (${api.store.id}, ${file.id}, ${role}, ${id})`.execute(db)
  const first = await api.db.startTransaction().execute()
  await link(first, 'product_id', 'product_images', product.id)
  const second = link(api.db, 'variant_id', 'variant_image', product.variant)
  await sleep(100)
  await first.commit().execute()
  await second
  for (const kind of ['product', 'variant']) {
    const { files, pagination } = (await caller.get(`/file?fileable_type=${kind}`)).body.data
    expect({ ids: files.map(({ id }: { id: string }) => id), total: pagination.total }).toEqual({
      ids: [file.id],
      total: 1,
    })
  }
  await sql`delete from product where store_id = ${api.store.id} and id = ${product.id}`.execute(api.db)
  for (const kind of ['product', 'variant'])
    expect((await caller.get(`/file?fileable_type=${kind}`)).body.data.pagination.total).toBe(0)
})

test('another store’s file behaves like one that does not exist', async () => {
  const api = await startTestApi()
  const otherStore = await startTestApi()
  const product = await addProduct(api)
  const file = await upload(api, { file: await picture(), fileable_type: 'product', fileable_id: product.id })
  const caller = await otherStore.as()
  const none = randomUUID()
  for (const id of [file.id, none]) {
    expect((await caller.get(`/file/${id}`)).text).toBe((await caller.get(`/file/${none}`)).text)
    expect((await caller.post(`/file/${id}`)).text).toBe((await caller.post(`/file/${none}`)).text)
    expect(await caller.delete(`/file/${id}/link/product/${product.id}`)).toFailWith('not_found')
  }
  expect((await caller.get('/file')).body.data.files).toEqual([])
  expect(await linksOf(api, file.id)).toHaveLength(1)
  expect((await fetch(file.permanent_url.replace(api.store.id, otherStore.store.id))).status).toBe(404)
})

test('each endpoint asks for its permission', async () => {
  const api = await startTestApi()
  const id = randomUUID()
  const browser = await api.as('file:browse')
  const other = await api.as('product:view')
  expect(await other.get('/file')).toFailWith('forbidden')
  expect(await other.get(`/file/${id}`)).toFailWith('forbidden')
  expect(await browser.post('/file', form({ file: await picture() }))).toFailWith('forbidden')
  expect(await browser.post(`/file/${id}`)).toFailWith('forbidden')
  expect(await browser.delete(`/file/${id}/link/product/${id}`)).toFailWith('forbidden')
  expect(await api.anonymous.get('/file')).toFailWith('unauthenticated')
})

test('an upload retried with its Idempotency-Key is one file, and another file with that key is refused', async () => {
  const api = await startTestApi()
  const caller = api.as('file:upload').with({ 'idempotency-key': randomUUID() })
  const bytes = await picture()
  const first = await caller.post('/file', form({ file: bytes }))
  const again = await caller.post('/file', form({ file: bytes }))
  expect(again.text).toBe(first.text)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await caller.post('/file', form({ file: await picture('gif') }))).toFailWith('idempotency_conflict')
  expect(await countOf(api, 'file')).toBe(1)
  expect(await countOf(api, 'blob')).toBe(1)
  await expect.poll(() => countOf(api, 'blob_claim')).toBe(0)
})

test('linking a file while it is deleted leaves no link to nothing', async () => {
  const api = await startTestApi()
  const product = await addProduct(api)
  const caller = await api.as('file:delete', 'file:upload')
  for (let round = 0; round < 5; round++) {
    const file = await upload(api, { file: Buffer.from(`file ${round}`) })
    const link = api.db
      .insertInto('file_link')
      .values({ store_id: api.store.id, file_id: file.id, role: 'digital_product', product_id: product.id })
      .execute()
    const [linked, deleted] = await Promise.allSettled([link, caller.post(`/file/${file.id}`)])
    expect(deleted).toMatchObject({ status: 'fulfilled', value: { status: 200 } })
    expect(['fulfilled', 'rejected']).toContain(linked.status)
    expect(await linksOf(api, file.id)).toEqual([])
  }
})
