import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'

const values = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({ order: n, value: `${name} ${n}` }))

const SIZES = 40
const COLOURS = 50

const grid = () => ({
  title: 'Everything',
  options: [
    { order: 1, name: 'Size', values: values(SIZES, 'Size') },
    { order: 2, name: 'Colour', values: values(COLOURS, 'Colour') },
  ],
  variants: Array.from({ length: SIZES * COLOURS }, (_, n) => ({
    price: n,
    quantity: n,
    sku: `SKU-${n}`,
    values: [
      { order: 1, value: `Size ${n % SIZES}` },
      { order: 2, value: `Colour ${Math.floor(n / SIZES)}` },
    ],
  })),
})

const rowVersions = async (api: TestApi, product: string) => {
  const { rows } = await sql<{ key: string; version: string }>`
    select id::text as key, xmin::text as version from variant where product_id = ${product}
    union all select variant_id || '/' || option_id, xmin::text from variant_value where product_id = ${product}
    union all select id::text, xmin::text from option_value where product_id = ${product}
    union all select id::text, xmin::text from product_option where product_id = ${product}`.execute(api.db)
  return new Map(rows.map(({ key, version }) => [key, version]))
}

test('a product of 2,000 variants is created, read and changed; changing one variant writes one row', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const created = await app.post('/product', grid())
  expect(created.status, created.text.slice(0, 500)).toBe(201)
  const { product } = created.body.data
  expect(product.variants).toHaveLength(2000)
  expect(product.variants[1999]).toMatchObject({ title: 'Size 39 / Colour 49', price: 1999, sku: 'SKU-1999' })

  const before = await rowVersions(api, product.id)
  const { id } = product.variants[1234]
  const updated = await app.post(`/product/${product.id}/update`, { variants: [{ id, price: 7 }] })
  expect(updated.body.data.product.variants[1234]).toMatchObject({ id, price: 7, quantity: 1234 })
  const after = await rowVersions(api, product.id)
  expect([...after].filter(([key, version]) => before.get(key) !== version).map(([key]) => key)).toEqual([id])

  const all = product.variants.map(({ id }: { id: string }) => ({ id, quantity_delta: 1 }))
  const raised = await app.post(`/product/${product.id}/update`, { variants: all })
  expect(raised.body.data.product.variants[1999].quantity).toBe(2000)
  const more = await app.post(`/product/${product.id}/update`, {
    options: [{ id: product.options[0].id, values: [{ value: 'Size 40' }] }],
    variants: [
      {
        values: [
          { order: 1, value: 'Size 40' },
          { order: 2, value: 'Colour 0' },
        ],
      },
    ],
  })
  expect(more).toBeRefused(422, 'variants')
})

test('a product has at most 100 options', async () => {
  const api = await startTestApi()
  const app = await api.as()
  const options = Array.from({ length: 100 }, (_, n) => ({ order: n, name: `Option ${n}`, values: values(2, 'Value') }))
  const variants = Array.from({ length: 50 }, (_, v) => ({
    values: options.map(({ order }) => ({ order, value: `Value ${order === v ? 1 : 0}` })),
  }))
  const created = await app.post('/product', { title: 'Wide', options, variants })
  expect(created.status, created.text.slice(0, 500)).toBe(201)
  expect(created.body.data.product.variants[49].values).toHaveLength(100)
  const extra = [{ order: 100, name: 'One more', values: values(1, 'Value') }]
  const reply = await app.post(`/product/${created.body.data.product.id}/update`, { options: extra })
  expect(Object.keys(reply.body.errors)).toContain('options')
  const many = await app.post('/product', { title: 'x', options: [...options, ...extra], variants })
  expect(many).toBeRefused(422, 'options')
})
