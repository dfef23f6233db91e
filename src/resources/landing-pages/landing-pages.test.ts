import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'

const productId = async (api: TestApi, title = 'Mug') => (await addProduct(api, { title, price: 9.5 })).id

const addDomain = async (api: TestApi, host = `${randomUUID()}.example`) =>
  (
    await api.db
      .insertInto('domain')
      .values({ store_id: api.store.id, host })
      .returning(['id', 'host'])
      .executeTakeFirstOrThrow()
  ).id

const addPage = async (api: TestApi, page: object = {}) => {
  const product_id = 'product_id' in page ? page.product_id : await productId(api)
  const reply = await api.as().post('/landing-page', { title: 'Summer mugs', product_id, ...page })
  expect(reply.status).toBe(201)
  return reply.body.data.landing_page
}

const list = async (api: TestApi, query = '') => {
  const reply = await api.as('landing_page:view').get(`/landing-page?${query}`)
  expect(reply.status).toBe(200)
  return reply.body.data.landingPages.map(({ id }: { id: string }) => id)
}

test('a landing page needs a title and a product, which it shows in full', async () => {
  const api = await startTestApi()
  const product_id = await productId(api)
  const reply = await api.as('landing_page:create').post('/landing-page', { title: 'Été: -50 %', product_id })
  expect(reply.status).toBe(201)
  const { landing_page } = reply.body.data
  expect(landing_page).toEqual({
    id: expect.any(String),
    title: 'Été: -50 %',
    slug: 'ete-50',
    meta_description: null,
    product_id,
    domain_id: null,
    created_at: expect.any(String),
    updated_at: landing_page.created_at,
    product: expect.objectContaining({ id: product_id, title: 'Mug', images: [], variants: [] }),
    url: `https://${api.store.domain}/ete-50`,
    screenshot_url: null,
    lang: null,
    cod_type: 'checkout',
    published_at: null,
  })
  const read = await api.as('landing_page:view').get(`/landing-page/${landing_page.id}`)
  expect(read.body.data.landing_page).toEqual(landing_page)
})

test('a landing page lives on its own domain', async () => {
  const api = await startTestApi()
  const domain_id = await addDomain(api, 'mugs-of-tunis.example')
  const given = {
    title: 'Mugs',
    slug: 'Best_Mugs-2026',
    domain_id,
    meta_description: 'All of them',
    screenshot_url: 'https://example.com/shot.png',
    lang: 'fr-TN',
    cod_type: 'popup',
  }
  const page = await addPage(api, given)
  expect(page).toMatchObject({ ...given, url: 'https://mugs-of-tunis.example/Best_Mugs-2026' })
  await api.db.deleteFrom('domain').where('id', '=', domain_id).execute()
  const read = await api.as().get(`/landing-page/${page.id}`)
  expect(read.body.data.landing_page).toMatchObject({
    domain_id: null,
    url: `https://${api.store.domain}/Best_Mugs-2026`,
  })
})

test.each(['checkout', 'popup', 'embedded'])('a landing page can be of type %s', async (cod_type) => {
  const api = await startTestApi()
  expect((await addPage(api, { cod_type })).cod_type).toBe(cod_type)
})

test('all errors of a new landing page are reported at once, and nothing is written', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const caller = await api.as()
  expect(await caller.post('/landing-page', {})).toBeRefused(422, 'title', 'product_id')
  expect(await caller.post('/landing-page', { title: '', product_id: 'x', cod_type: 'none', lang: '!' })).toBeRefused(
    422,
    'title',
    'product_id',
    'cod_type',
    'lang',
  )
  for (const slug of ['', 'a b', 'a/b', '..?', 'x'.repeat(121)])
    expect(
      await caller.post('/landing-page', { title: 'T', product_id: await productId(api), slug }),
      slug,
    ).toBeRefused(422, 'slug')
  const strange = { screenshot_url: 'javascript:alert(1)', domain_id: 5, meta_description: [] }
  expect(await caller.post('/landing-page', { title: 'T', product_id: randomUUID(), ...strange })).toBeRefused(
    422,
    'screenshot_url',
    'domain_id',
    'meta_description',
  )
  const { slug } = await addPage(api)
  const foreign = { title: 'T', slug, product_id: await productId(other), domain_id: await addDomain(other) }
  const absent = { title: 'T', slug, product_id: randomUUID(), domain_id: randomUUID() }
  const reply = await caller.post('/landing-page', foreign)
  expect(reply).toBeRefused(422, 'product_id', 'domain_id', 'slug')
  expect((await caller.post('/landing-page', absent)).text).toBe(reply.text)
  expect(await list(api)).toHaveLength(1)
})

test('pages with one title get different slugs, also under concurrency', async () => {
  const api = await startTestApi()
  const product_id = await productId(api)
  const pages = await Promise.all(Array.from({ length: 12 }, () => addPage(api, { title: 'Offer', product_id })))
  const slugs = pages.map(({ slug }) => slug)
  expect(new Set(slugs).size).toBe(12)
  expect(slugs).toContain('offer')
  for (const slug of slugs) expect(slug).toMatch(/^offer(-[0-9a-f]+)?$/)
})

test('generated slugs are numbered in any script, and a title without letters gets one too', async () => {
  const api = await startTestApi()
  const product_id = await productId(api)
  const slugs = []
  for (const title of ['Offer', 'Offer', 'offer!', 'Offer 9', 'Offer', 'عرض خاص', '!!!'])
    slugs.push((await addPage(api, { title, product_id })).slug)
  expect(slugs).toEqual(['offer', 'offer-2', 'offer-3', 'offer-9', 'offer-10', 'عرض-خاص', 'page'])
})

test('the address of a page is well-formed in any script', async () => {
  const api = await startTestApi()
  const page = await addPage(api, { title: 'عرض' })
  expect(page.slug).toBe('عرض')
  expect(page.url).toBe(`https://${api.store.domain}/${encodeURIComponent('عرض')}`)
})

test('of concurrent pages with the same slug, one is created', async () => {
  const api = await startTestApi()
  const product_id = await productId(api)
  const caller = await api.as()
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => caller.post('/landing-page', { title: 'T', slug: 'wanted', product_id })),
  )
  expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  for (const reply of replies.filter(({ status }) => status !== 201)) expect(reply).toBeRefused(422, 'slug')
})

test('a creation retried with its Idempotency-Key happens once', async () => {
  const api = await startTestApi()
  const caller = await api.as()
  const key = { 'idempotency-key': randomUUID() }
  const body = { title: 'Once', product_id: await productId(api) }
  const first = await caller.post('/landing-page', body, key)
  const again = await caller.post('/landing-page', body, key)
  expect([again.status, again.text]).toEqual([201, first.text])
  expect(await list(api)).toHaveLength(1)
})

test('a change touches only the given fields and moves updated_at', async () => {
  const api = await startTestApi()
  const page = await addPage(api, { domain_id: await addDomain(api), lang: 'ar' })
  const caller = await api.as('landing_page:update')
  const same = await caller.put(`/landing-page/${page.id}`, {})
  expect(same.body.data.landing_page).toEqual(page)
  const reply = await caller.put(`/landing-page/${page.id}`, { title: 'New', domain_id: null, cod_type: 'embedded' })
  expect(reply.status).toBe(200)
  const { updated_at, ...changed } = reply.body.data.landing_page
  const { updated_at: before, ...was } = page
  expect(changed).toEqual({
    ...was,
    title: 'New',
    domain_id: null,
    cod_type: 'embedded',
    url: `https://${api.store.domain}/${page.slug}`,
  })
  expect(updated_at > before).toBe(true)
})

test('an update follows the same rules as a creation', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const [page, second] = [await addPage(api), await addPage(api)]
  const caller = await api.as()
  const path = `/landing-page/${page.id}`
  expect(await caller.put(path, { title: null, cod_type: 'x' })).toBeRefused(422, 'title', 'cod_type')
  const foreign = { product_id: await productId(other), domain_id: await addDomain(other), slug: second.slug }
  expect(await caller.put(path, foreign)).toBeRefused(422, 'product_id', 'domain_id', 'slug')
  expect((await caller.put(path, { slug: page.slug })).status).toBe(200)
  const replies = await Promise.all(
    [page, second].map(({ id }) => caller.put(`/landing-page/${id}`, { slug: 'the-one' })),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 422])
})

test('publishing again keeps the first published_at', async () => {
  const api = await startTestApi()
  const page = await addPage(api)
  const caller = await api.as('landing_page:publish')
  const published = await caller.post(`/landing-page/${page.id}/publish`)
  expect(published.status).toBe(200)
  expect(published.body.data.landing_page.published_at).toMatch(/^\d{4}-.*Z$/)
  const again = await caller.post(`/landing-page/${page.id}/publish`, {})
  expect(again.body.data.landing_page).toEqual(published.body.data.landing_page)
})

test('a page that is unpublished is a draft again, and unpublishing a draft changes nothing', async () => {
  const api = await startTestApi()
  const page = await addPage(api)
  const caller = api.as('landing_page:publish')
  const draft = await caller.post(`/landing-page/${page.id}/unpublish`)
  expect(draft.body.data.landing_page).toEqual(page)
  await caller.post(`/landing-page/${page.id}/publish`)
  const reply = await caller.post(`/landing-page/${page.id}/unpublish`)
  expect(reply.body.data.landing_page).toEqual({ ...page, updated_at: expect.any(String) })
})

test('a deleted landing page is gone; its product and its files stay', async () => {
  const api = await startTestApi()
  const page = await addPage(api)
  const caller = await api.as('landing_page:delete', 'landing_page:view')
  const reply = await caller.delete(`/landing-page/${page.id}`)
  expect([reply.status, reply.text]).toEqual([200, '{"data":{}}'])
  expect(await caller.get(`/landing-page/${page.id}`)).toFailWith('not_found')
  expect(await caller.delete(`/landing-page/${page.id}`)).toFailWith('not_found')
  const products = await api.db.selectFrom('product').select('id').where('store_id', '=', api.store.id).execute()
  expect(products).toEqual([{ id: page.product_id }])
})

test('an order placed through a deleted landing page stays, without it', async () => {
  const api = await startTestApi()
  const page = await addPage(api)
  const caller = await api.as()
  const ordered = await caller.post('/order', { landing_page_id: page.id })
  expect(ordered.body.data.order.landing_page).toEqual(page)
  await caller.delete(`/landing-page/${page.id}`)
  const read = await caller.get(`/order/${ordered.body.data.order.id}`)
  expect(read.body.data.order.landing_page).toBeNull()
})

test("another store's landing page does not exist, to the byte", async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const theirs = await addPage(other)
  const caller = await api.as()
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['PUT', '', { title: 'Mine' }],
    ['PUT', '', { title: 7 }],
    ['POST', '/publish', undefined],
    ['POST', '/unpublish', undefined],
    ['DELETE', '', undefined],
  ] as const) {
    const replies = await Promise.all(
      [theirs.id, randomUUID(), 'nonsense'].map((id) => caller.send(method, `/landing-page/${id}${path}`, body)),
    )
    for (const reply of replies) {
      expect(reply).toFailWith('not_found')
      expect(reply.text).toBe(replies[0]?.text)
    }
  }
  expect(await list(api)).toEqual([])
  expect((await other.as().get(`/landing-page/${theirs.id}`)).body.data.landing_page).toEqual(theirs)
})

test('each call needs its own permission', async () => {
  const api = await startTestApi()
  const { id } = await addPage(api)
  const calls = [
    ['landing_page:view', 'GET', '/landing-page'],
    ['landing_page:view', 'GET', `/landing-page/${id}`],
    ['landing_page:create', 'POST', '/landing-page'],
    ['landing_page:update', 'PUT', `/landing-page/${id}`],
    ['landing_page:publish', 'POST', `/landing-page/${id}/publish`],
    ['landing_page:publish', 'POST', `/landing-page/${id}/unpublish`],
    ['landing_page:delete', 'DELETE', `/landing-page/${id}`],
  ] as const
  for (const [needed, method, path] of calls) {
    const others = [...new Set(calls.map(([permission]) => permission))].filter((permission) => permission !== needed)
    expect(await api.as(...others).send(method, path)).toFailWith('forbidden')
  }
})

test('pages are filtered by one or several products, by domain and by type', async () => {
  const api = await startTestApi()
  const domain_id = await addDomain(api)
  const a = await addPage(api, { cod_type: 'popup' })
  const b = await addPage(api, { domain_id })
  const c = await addPage(api, { cod_type: 'popup', domain_id })
  const newestFirst = [c.id, b.id, a.id]
  expect(await list(api)).toEqual(newestFirst)
  expect(await list(api, `product_id=${a.product_id}`)).toEqual([a.id])
  for (const several of [
    `product_id=${a.product_id},${b.product_id}`,
    `product_id=${a.product_id}&product_id=${b.product_id}`,
    `product_id[]=${a.product_id}&product_id[]=${b.product_id}`,
  ])
    expect(await list(api, several)).toEqual([b.id, a.id])
  expect(await list(api, `domain_id=${domain_id}`)).toEqual([c.id, b.id])
  expect(await list(api, 'cod_type=popup')).toEqual([c.id, a.id])
  expect(await list(api, `cod_type=popup&domain_id=${domain_id}&product_id=${c.product_id}`)).toEqual([c.id])
  expect(await list(api, `product_id=${randomUUID()}`)).toEqual([])
})

test.each([
  ['product_id=x', 'product_id'],
  ['domain_id=x', 'domain_id'],
  ['cod_type=none', 'cod_type'],
  ['order_by=title', 'order_by'],
  ['page_size=0', 'page_size'],
])('%s is refused', async (query, field) => {
  const api = await startTestApi()
  expect(await api.as().get(`/landing-page?${query}`)).toBeRefused(422, field)
})

test.each(['created_at', 'updated_at'])('pages sort by %s both ways, page by page and by cursor', async (sort) => {
  const api = await startTestApi()
  const product_id = await productId(api)
  await api.db
    .insertInto('landing_page')
    .values(
      Array.from({ length: 23 }, (_, i) => ({
        store_id: api.store.id,
        title: `Page ${i}`,
        slug: `page-${i}`,
        product_id,
        created_at: new Date(Date.UTC(2026, 0, 1 + (i % 4))),
        updated_at: new Date(Date.UTC(2026, 1, 1 + ((i * 3) % 7))),
      })),
    )
    .execute()
  const caller = await api.as()
  for (const direction of ['ASC', 'DESC']) {
    const base = `/landing-page?order_by=${sort}&order_direction=${direction}&page_size=5`
    const pages = []
    for (let page = 1; page <= 5; page++)
      pages.push(...(await caller.get(`${base}&page=${page}`)).body.data.landingPages)
    const keys = pages.map((page) => `${page[sort]} ${page.id}`)
    expect(new Set(keys).size).toBe(23)
    expect(keys).toEqual(direction === 'ASC' ? keys.toSorted() : keys.toSorted().reverse())
    const followed = []
    for (let cursor = ''; ; ) {
      const { data } = (await caller.get(`${base}${cursor}`)).body
      followed.push(...data.landingPages)
      if (!data.pagination.next_cursor) break
      cursor = `&cursor=${data.pagination.next_cursor}`
    }
    expect(followed).toEqual(pages)
  }
})
