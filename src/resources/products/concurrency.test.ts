import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { stockOf } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'
import { untilOneWaits } from '../../../tests/support/waiting.ts'
import { transact } from '../../core/storage/database.ts'
import { createCategory } from '../categories/queries.ts'

const add = async (api: TestApi, body: object) => {
  const reply = await api.as().post('/product', body)
  expect(reply.status, reply.text).toBe(201)
  return reply.body.data.product
}

const together = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const byStatus = (replies: { status: number }[]) =>
  Object.fromEntries(
    [...new Set(replies.map(({ status }) => status))].map((status) => [
      status,
      replies.filter((reply) => reply.status === status).length,
    ]),
  )

const SIZES = {
  title: 'Shirt',
  options: [{ order: 1, name: 'Size', values: [{ value: 'S' }, { value: 'M' }] }],
  variants: [
    { quantity: 1, values: [{ order: 1, value: 'S' }] },
    { quantity: 1, values: [{ order: 1, value: 'M' }] },
  ],
}

test('concurrently created products with one title all get different slugs', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const replies = await together(12, () => app.post('/product', { title: 'Same' }))
  expect(byStatus(replies)).toEqual({ 201: 12 })
  expect(new Set(replies.map(({ body }) => body.data.product.slug)).size).toBe(12)
})

test('of products created concurrently with the same slug, one is created and the others are refused', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const replies = await together(8, () => app.post('/product', { title: 'Same', slug: 'same' }))
  expect(byStatus(replies)).toEqual({ 201: 1, 422: 7 })
  for (const reply of replies.filter(({ status }) => status === 422)) expect(reply).toBeRefused(422, 'slug')
  const products = await together(4, (n) => add(api, { title: `Other ${n}` }))
  const renames = await Promise.all(products.map(({ id }) => app.post(`/product/${id}/update`, { slug: 'wanted' })))
  expect(byStatus(renames)).toEqual({ 200: 1, 422: 3 })
})

test('of two updates with the same If-Match, one succeeds and the other gets 412', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const { id } = await add(api, { title: 'Mug' })
  const tag = (await app.get(`/product/${id}`)).headers.get('etag') as string
  const replies = await together(6, (n) =>
    app.post(`/product/${id}/update`, { title: `Mug ${n}` }, { 'if-match': tag }),
  )
  expect(byStatus(replies)).toEqual({ 200: 1, 412: 5 })
  const winner = replies.find(({ status }) => status === 200)
  const loser = replies.find(({ status }) => status === 412)
  expect(loser).toFailWith('version_mismatch')
  const now = await app.get(`/product/${id}`)
  expect(now.body.data.product.title).toBe(winner?.body.data.product.title)
  expect(now.headers.get('etag')).toBe(winner?.headers.get('etag'))
})

test('the ETag changes with everything that the product shows, and with nothing else', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const file = await upload(api, { file: { name: 'a.png', bytes: await picture() } })
  const category = await createCategory(api.db, api.store.id, { name: 'Mugs' })
  const created = await app.post('/product', { title: 'Mug', images: [{ id: file.id }], category_id: category.id })
  const { product } = created.body.data
  const path = `/product/${product.id}`
  const tagNow = async () => (await app.get(path)).headers.get('etag') as string
  const tag = await tagNow()
  expect(created.headers.get('etag')).toBe(tag)
  expect((await app.get(path, { 'if-none-match': tag })).status).toBe(304)
  const update = (body: object, expected: string) => app.post(`${path}/update`, body, { 'if-match': expected })
  expect((await update({}, tag)).status).toBe(200)
  expect((await update({}, `"other", ${tag}`)).status).toBe(200)
  expect((await update({}, '*')).status).toBe(200)
  expect(await update({}, '"nonsense"')).toFailWith('version_mismatch')

  const changes = [
    sql`update variant set quantity = quantity + 1 where id = ${product.default.id}`,
    sql`update category set name = 'Cups', name_key = 'cups' where id = ${category.id}`,
    sql`update file set alt = 'A mug' where id = ${file.id}`,
    sql`delete from file where id = ${file.id}`,
  ]
  for (const change of changes) {
    const before = await tagNow()
    await change.execute(api.db)
    expect(await update({ title: 'Late' }, before)).toFailWith('version_mismatch')
  }
})

test('new signatures of file URLs do not change the ETag', async () => {
  const address = { BASE_URL: 'https://api.example' }
  const api = await startTestApi(address)
  const app = await api.as()
  const file = await upload(api, { file: { name: 'a.png', bytes: await picture() } })
  const { id } = await add(api, { title: 'Mug', images: [{ id: file.id }] })
  const tag = (await app.get(`/product/${id}`)).headers.get('etag') as string
  // The same database behind a server whose file URLs expire later.
  const later = await startTestApi({ ...address, FILE_URL_SECONDS: '90000' })
  const installed = await api.install(['product:view', 'product:update'])
  const token = await later.getToken(installed, { install_id: installed.install_id })
  const there = later.anonymous.with({ authorization: `Bearer ${token}` })
  const read = await there.get(`/product/${id}`, { 'if-none-match': tag })
  expect(read.status).toBe(200)
  expect(read.headers.get('etag')).not.toBe(tag)
  const updated = await there.post(`/product/${id}/update`, { title: 'Cup' }, { 'if-match': tag })
  expect(updated.status, updated.text).toBe(200)
})

test('two orders that take the last units of two variants at once leave the product out of stock', async () => {
  const api = await startTestApi()
  const app = await api.as('product:view')
  for (let round = 0; round < 5; round++) {
    const shirt = await add(api, { ...SIZES, title: `Shirt ${round}` })
    await Promise.all(
      shirt.variants.map(({ id }: { id: string }) =>
        api.db.transaction().execute(async (db) => {
          await sql`update variant set quantity = quantity - 1 where store_id = ${api.store.id} and id = ${id}`.execute(
            db,
          )
          await new Promise((resolve) => setTimeout(resolve, 20))
        }),
      ),
    )
    const out = await app.get(`/product?out_of_stock=true&title=${encodeURIComponent(shirt.title)}`)
    expect(out.body.data.pagination.total).toBe(1)
  }
})

test('an order that does not use up the stock does not wait for an update of the product', async () => {
  const api = await startTestApi()
  const shirt = await add(api, { ...SIZES, variants: SIZES.variants.map((v) => ({ ...v, quantity: 5 })) })
  const [{ id }] = shirt.variants
  await api.db.transaction().execute(async (changing) => {
    await sql`select 1 from product where store_id = ${api.store.id} and id = ${shirt.id} for no key update`.execute(
      changing,
    )
    await api.db.transaction().execute(async (ordering) => {
      await sql`set local lock_timeout = '1s'`.execute(ordering)
      await sql`update variant set quantity = quantity - 1 where store_id = ${api.store.id} and id = ${id}`.execute(
        ordering,
      )
    })
  })
  const { quantity } = await api.db
    .selectFrom('variant')
    .select('quantity')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(quantity).toBe(4)
})

test('orders and updates of one product at once lose no unit and break nothing', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const shirt = await add(api, SIZES)
  const ids: string[] = shirt.variants.map(({ id }: { id: string }) => id)
  const order = (n: number) =>
    api.db
      .transaction()
      .execute(async (db) => {
        const these = sql`store_id = ${api.store.id} and id = any(${[...ids].sort()}::uuid[])`
        await sql`select 1 from variant where ${these} order by id for update`.execute(db)
        const step = n % 2 === 0 ? -1 : 1
        await sql`update variant set quantity = quantity + ${step} where ${these}`.execute(db)
      })
      .then(() => ({ status: 200 }))
  const replies = await together(40, (n) =>
    n < 20
      ? order(n)
      : app.post(`/product/${shirt.id}/update`, {
          ...(n % 3 === 0 && { title: `Shirt ${n}`, options: [{ id: shirt.options[0].id, name: `Size ${n}` }] }),
          variants: ids.toReversed().map((id) => ({ id, quantity_delta: 1 })),
        }),
  )
  expect(byStatus(replies)).toEqual({ 200: 40 })
  const after = (await app.get(`/product/${shirt.id}`)).body.data.product
  expect(after.variants.map(({ quantity }: { quantity: number }) => quantity)).toEqual([21, 21])
})

test('an order of a variant that is added while the options of its product change keeps its units', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const store = api.store.id
  const { id, options } = await add(api, { ...SIZES, variants: SIZES.variants.slice(0, 1) })
  const [{ id: option, values }] = options
  const category = (await createCategory(api.db, store as never, { name: 'Shirts' })).id
  const change = { category_id: category, options: [{ id: option, values: [{ id: values[1].id, value: 'Medium' }] }] }
  // The change has locked the variants and waits for the product, to which another one adds a variant. Then it has read the
  // variants, and waits for the category.
  const added = await transact(api.db, async (tx) => {
    await sql`select 1 from category where store_id = ${store} and id = ${category} for update`.execute(tx)
    const { variant, changed } = await transact(api.db, async (tx) => {
      await sql`select 1 from product where store_id = ${store} and id = ${id} for no key update`.execute(tx)
      const changed = all.post(`/product/${id}/update`, change)
      await untilOneWaits(api.db)
      const { rows } = await sql<{ id: string }>`
        insert into variant (store_id, product_id, title, quantity, position, choice)
        values (${store}, ${id}, 'M', 10, 1, 'm') returning id`.execute(tx)
      const variant = rows[0]?.id as string
      await sql`insert into variant_value (store_id, product_id, variant_id, option_id, value_id)
        values (${store}, ${id}, ${variant}, ${option}, ${values[1].id})`.execute(tx)
      return { variant, changed }
    })
    await untilOneWaits(api.db)
    const ordered = all.post('/order', { variants: [{ variant_id: variant, quantity: 4 }] })
    // It is placed, or waits for the change.
    await Promise.race([ordered, sleep(300)])
    return { variant, changed, ordered }
  })
  expect((await added.changed).status).toBe(200)
  expect((await added.ordered).status).toBe(201)
  expect(await stockOf(api, added.variant)).toBe(6)
})
