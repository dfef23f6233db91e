import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addProduct } from '../../../tests/support/products.ts'
import { picture, upload } from '../../../tests/support/uploads.ts'

const KINDS = [
  ['/product', 'products', 'product', 'description'],
  ['/customer', 'customers', 'customer', 'address'],
  ['/review', 'reviews', 'review', 'content'],
  ['/landing-page', 'landingPages', 'landing_page', 'meta_description'],
  ['/file', 'files', 'file', 'alt'],
] as const

const HOUR = 3_600_000

test('lists are filtered and sorted by modification time, with exact totals', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const other = await startTestApi()
  await addProduct(other)
  for (let n = 0; n < 6; n++) {
    const { id: product_id } = (await all.post('/product', { title: `Product ${n}` })).body.data.product
    await all.post('/customer', { email: `c${n}@shop.example`, name: `C${n}`, city: n % 2 ? 'Sfax' : null })
    await all.post('/review', { product_id, content: 'Fine', rating: 5, reviewer_name: 'Sami' })
    await all.post('/landing-page', { title: `Page ${n}`, product_id })
    await upload(api, { file: await picture('png', { width: 10 + n }) })
  }
  const start = Date.parse('2026-03-01T22:00:00Z')
  for (const [path, key, table, column] of KINDS) {
    // Over three days, in a different order from their creation.
    const ids = (
      await sql<{ id: string }>`select id from ${sql.table(table)} where store_id = ${api.store.id}
      order by id desc`.execute(api.db)
    ).rows
    for (const [place, { id }] of ids.entries())
      await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${`Changed ${place}`},
        updated_at = ${new Date(start + place * 7 * HOUR)}
        where store_id = ${api.store.id} and id = ${id}`.execute(api.db)
    const list = async (query: string) => {
      const reply = await all.get(`${path}?page_size=200&${query}`)
      expect(reply.status, reply.text).toBe(200)
      const { pagination, [key]: rows } = reply.body.data
      expect(pagination.total, `${path} ${query}`).toBe(rows.length)
      return rows.map(({ id }: { id: string }) => id) as string[]
    }
    const sorted = await list('order_by=updated_at&order_direction=ASC')
    expect(sorted).toEqual([...sorted].sort().reverse())
    expect(await list('order_by=updated_at')).toEqual([...sorted].reverse())
    const at = (place: number) => new Date(start + place * 7 * HOUR).toISOString()
    for (const [from, to] of [
      [1, 4],
      [0, 5],
      [2, 2],
      [4, 1],
    ] as const) {
      const bounds = `updated_from=${at(from)}&updated_to=${at(to)}`
      expect(await list(`${bounds}&order_by=updated_at&order_direction=ASC`)).toEqual(sorted.slice(from, to + 1))
      expect((await list(bounds)).sort()).toEqual(sorted.slice(from, Math.max(from, to + 1)).sort())
    }
    expect(await list('updated_from=2026-03-02&updated_to=2026-03-02')).toHaveLength(3)
    expect(await list('updated_from=2026-03-03')).toHaveLength(2)
    const next = (await all.get(`${path}?page_size=4&order_by=updated_at&order_direction=ASC`)).body.data.pagination
    const rest = await all.get(`${path}?order_by=updated_at&order_direction=ASC&cursor=${next.next_cursor}`)
    expect(rest.body.data[key].map(({ id }: { id: string }) => id)).toEqual(sorted.slice(4))
    expect(await all.get(`${path}?updated_from=yesterday`)).toBeRefused(422, 'updated_from')
  }
  for (const order_by of ['name', 'phone', 'city', 'email', 'amount_spent', 'subscription_status'])
    for (const search of ['', '&search=shop', '&country=TN']) {
      const { customers, pagination } = (
        await all.get(`/customer?updated_from=2026-03-02&updated_to=2026-03-02&order_by=${order_by}${search}`)
      ).body.data
      expect([customers.length, pagination.total]).toEqual(search.includes('country') ? [0, 0] : [3, 3])
    }
  for (const order_by of ['title', 'category', 'created_at', 'updated_at'])
    for (const filter of ['', '&status=active', '&search=product', '&title=Product+3', '&is_digital=true']) {
      const { products, pagination } = (
        await all.get(`/product?updated_from=2026-03-02&updated_to=2026-03-02&order_by=${order_by}${filter}`)
      ).body.data
      const found = filter.includes('digital') ? 0 : filter.includes('title') ? 1 : 3
      expect([products.length, pagination.total], `${order_by} ${filter}`).toEqual([found, found])
    }
  const { products } = (await all.get('/product?search=product&updated_from=2026-03-03')).body.data
  expect(products).toHaveLength(2)
})

test('products and reviews have updated_at', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const { product } = (await all.post('/product', { title: 'Mug' })).body.data
  expect(product.updated_at).toBe(product.created_at)
  const read = async () => (await all.get(`/product/${product.id}`)).body.data.product.updated_at as string
  const seen = [product.updated_at as string]
  const moved = async () => {
    seen.push(await read())
    expect(seen.at(-1)?.localeCompare(seen.at(-2) as string)).toBe(1)
  }
  expect((await all.post(`/product/${product.id}/update`, { title: 'Cup' })).body.data.product.updated_at).not.toBe(
    product.updated_at,
  )
  await moved()
  const file = await picture()
  const image = await upload(api, { file, fileable_type: 'product', fileable_id: product.id })
  await moved()
  await all.delete(`/file/${image.id}/link/product/${product.id}`)
  await moved()
  // Sending the current values changes nothing, and stock belongs to the variant.
  await all.post(`/product/${product.id}/update`, { title: 'Cup', default: { quantity: 5 } })
  await all.post('/order', { variants: [{ variant_id: product.default.id, quantity: 1 }] })
  expect(await read()).toBe(seen.at(-1))

  const { review } = (
    await all.post('/review', { product_id: product.id, content: 'Fine', rating: 5, reviewer_name: 'Sami' })
  ).body.data
  expect(review.updated_at).toBe(review.created_at)
  const changed = (await all.put(`/review/${review.id}`, { status: 'published' })).body.data.review
  expect(changed.updated_at > review.updated_at).toBe(true)
})
