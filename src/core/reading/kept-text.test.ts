import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { isOnCitus } from '../../../tests/support/citus.ts'
import { cloneDemo } from '../../../tests/support/demo-store.ts'
import { expectTextsToFitRows, VIEWER } from '../../../tests/support/kept-texts.ts'
import { RENDERED_IN_SQL } from '../../../tests/support/rendered-in-sql.ts'
import { statementsOf } from '../../../tests/support/statements.ts'
import { form, picture } from '../../../tests/support/uploads.ts'
import { kinds } from '../../app.ts'
import { type Db, openDatabase } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import type { StoreId } from '../storage/store-id.ts'
import { buildMissingTexts, checkTexts } from './build-texts.ts'
import { createReader } from './reader.ts'
import { missingTexts, rowKind } from './texts.ts'

const idsIn = async (db: Db, table: string) => {
  const { rows } = await sql<{ store_id: StoreId; id: string }>`
    select store_id, id from ${sql.table(table)} order by id`.execute(db)
  return { store: rows[0]?.store_id as StoreId, ids: rows.map(({ id }) => id) }
}

test('every kept text of the demo store equals what PostgreSQL renders from the same rows, to the byte', async ({
  skip,
}) => {
  const { connection } = await cloneDemo()
  const { db, close } = openDatabase(connection, { pool: 3, prepare: false, name: 'test', untimed: true })
  onTestFinished(close)
  await expectTextsToFitRows(db)
  skip(isOnCitus, 'Citus refuses the nested subqueries that render them in SQL')
  for (const [kind, render] of Object.entries(RENDERED_IN_SQL)) {
    const { store, ids } = await idsIn(db, kind)
    expect(ids.length, kind).toBeGreaterThan(20)
    for (const viewer of [VIEWER, { ...VIEWER, showsSold: false }]) {
      const sqlTexts = await render(db, store, ids, viewer)
      const texts = await createReader(kinds, store, viewer).many(db, kind, ids)
      expect(texts, kind).toEqual(ids.map((id) => sqlTexts.get(id)))
    }
  }
})

/** Three products, one with options, pictures and properties. */
const shop = async () => {
  const api = await startTestApi()
  // Other tests of this file leave missing or wrong texts behind.
  await checkTexts(api.db, kinds, VIEWER, { all: true, repair: true })
  const caller = await api.as()
  const options = [{ order: 0, name: 'Size', values: ['S', 'M'].map((value, order) => ({ order, value })) }]
  const variants = ['S', 'M'].map((value) => ({ price: 5, values: [{ order: 0, value }] }))
  const body = { title: 'Shirt', options, variants, properties: [{ name: 'Fabric', value: 'linen' }] }
  const { product } = (await caller.post('/product', body)).body.data
  for (const title of ['Mug', 'Plate']) await caller.post('/product', { title })
  const read = async () => (await caller.get(`/product/${product.id}`)).body.data.product
  /** The third reply may be made of remembered texts. */
  const readRepeatedly = async () => {
    const [first, second, third] = [await read(), await read(), await read()]
    expect([second, third]).toEqual([first, first])
    return third
  }
  return { ...api, caller, product, read, readRepeatedly }
}

test('a missing text is rendered from the rows and counted until it is rebuilt', async () => {
  const { db, product, read } = await shop()
  await sql`delete from product_text where id = ${product.id}`.execute(db)
  const before = missingTexts.count
  expect(await read()).toEqual(product)
  expect(missingTexts.count).toBe(before + 1)
  const said: string[] = []
  await buildMissingTexts(db, kinds, (line) => said.push(line))
  await sql`delete from variant_text where id = ${product.variants[0].id}`.execute(db)
  await buildMissingTexts(db, kinds, (line) => said.push(line))
  expect(said).toEqual(['Texts of product: 1 written.', 'Texts of variant: 1 written.'])
  await expectTextsToFitRows(db)
  expect(await read()).toEqual(product)
  expect(missingTexts.count).toBe(before + 1)
})

test('rows changed directly in SQL are shown at once, in every table', async () => {
  const { db, product, readRepeatedly: read } = await shop()
  const variant = product.variants[1].id
  const changes: [string, (shown: Awaited<ReturnType<typeof read>>) => unknown, unknown][] = [
    [`update product set title = 'Blouse' where id = '${product.id}'`, (p) => p.title, 'Blouse'],
    [`update variant set price = 7.5 where id = '${variant}'`, (p) => p.variants[1].price, 7.5],
    [`update variant set quantity = 9 where id = '${variant}'`, (p) => p.variants[1].quantity, 9],
    [
      `update option_value set value = 'XL' where value = 'M' and product_id = '${product.id}'`,
      (p) => p.variants[1].values[0].value,
      'XL',
    ],
    [`update product_option set name = 'Cut' where product_id = '${product.id}'`, (p) => p.options[0].name, 'Cut'],
    [
      `update product_property set value = 'wool' where product_id = '${product.id}'`,
      (p) => p.properties[0].value,
      'wool',
    ],
    [`delete from product_property where product_id = '${product.id}'`, (p) => p.properties, []],
    [`delete from variant where id = '${variant}'`, (p) => p.variants.length, 1],
  ]
  for (const [change, shown, expected] of changes) {
    await sql.raw(change).execute(db)
    expect(shown(await read()), change).toEqual(expected)
  }
})

test('the check finds and repairs a text that differs from its rows, in a sample and in a full run', async () => {
  const { db, product, read } = await shop()
  await sql`analyze product, variant`.execute(db)
  await sql`update product_text set text = replace(text, 'Shirt', 'Skirt') where id = ${product.id}`.execute(db)
  expect((await read()).title).toBe('Skirt')
  const wrong = { kind: 'product', missing: 0, wrong: 1 }
  for (const all of [false, true])
    expect(await checkTexts(db, kinds, VIEWER, { all, repair: false })).toContainEqual(expect.objectContaining(wrong))
  await checkTexts(db, kinds, VIEWER, { all: true, repair: true })
  await expectTextsToFitRows(db)
  expect((await read()).title).toBe('Shirt')
})

test('changed and deleted files and categories are shown without rewriting any text', async () => {
  const { db, caller, product, readRepeatedly: read, store } = await shop()
  const file = { name: 'a.png', bytes: await picture() }
  const ids: string[] = []
  for (const kind of ['product', 'product', 'variant']) {
    const fileable_id = kind === 'product' ? product.id : product.variants[0].id
    const reply = await caller.post('/file', form({ fileable_type: kind, fileable_id, file }))
    expect(reply.status, reply.text).toBe(201)
    ids.push(reply.body.data.file.id)
  }
  const shown = async () => {
    const { image, images, variants } = await read()
    return [image?.id, images.map(({ id }: { id: string }) => id), variants[0].image?.id]
  }
  expect(await shown()).toEqual([ids[0], [ids[0], ids[1]], ids[2]])
  await expectTextsToFitRows(db)
  await caller.post(`/file/${ids[0]}`)
  await caller.post(`/file/${ids[2]}`)
  expect(await shown()).toEqual([ids[1], [ids[1]], undefined])
  await expectTextsToFitRows(db)
  await caller.delete(`/file/${ids[1]}/link/product/${product.id}`)
  expect(await shown()).toEqual([undefined, [], undefined])
  await expectTextsToFitRows(db)
  await sql`insert into category (store_id, name, name_key) values (${store.id}, 'Tops', 'tops')`.execute(db)
  const [{ id }] = (await caller.get('/category')).body.data.categories
  await caller.post(`/product/${product.id}/update`, { category_id: id })
  await sql`update category set name = 'Shirts' where id = ${id}`.execute(db)
  expect((await read()).category).toEqual({ id, name: 'Shirts' })
  await sql`delete from category where id = ${id}`.execute(db)
  expect((await read()).category).toBeNull()
  await expectTextsToFitRows(db)
})

const LISTS = {
  product: ['title', 'category', 'created_at'],
  order: ['total', 'quantity', 'date', 'status'],
  customer: ['amount_spent', 'order_count', 'name', 'email', 'phone', 'address', 'city', 'postal_code', 'created_at'],
  category: ['name', 'created_at'],
}

test('page size, page and cursor are bound, so that they need no plan of their own', async () => {
  const { caller } = await shop()
  for (let n = 0; n < 3; n++) await caller.post('/customer', { email: `c${n}@shop.example` })
  const ask = async (sizes: number[]) => {
    const sent = await statementsOf(async () => {
      for (const [list, sorts] of Object.entries(LISTS))
        for (const sort of sorts)
          for (const direction of ['ASC', 'DESC'])
            for (const size of sizes) {
              const query = `/${list}?order_by=${sort}&order_direction=${direction}&page_size=${size}`
              const { next_cursor } = (await caller.get(query)).body.data.pagination
              await caller.get(`${query}&page=2`)
              if (next_cursor) await caller.get(`${query}&cursor=${next_cursor}`)
            }
    })
    return new Set(sent)
  }
  const few = await ask([1])
  const many = await ask([2, 21, 200])
  expect([...many].filter((text) => !few.has(text))).toEqual([])
  const sorts = Object.values(LISTS).flat().length
  expect(few.size).toBeLessThan(sorts * 2 * 3 + 12)
  for (const text of few) expect(text.length, text).toBeLessThan(8_000)
})

test('rendering a large page does not block other requests', async ({ skip }) => {
  skip(isOnCitus, 'the table of the test is on the coordinator only')
  const { db, store } = await startTestApi()
  const ids = Array.from({ length: 3_000 }, () => randomUUID())
  await sql`create table numerous as select ${store.id}::uuid as store_id, id from unnest(${ids}::uuid[]) id`.execute(
    db,
  )
  let turns = 0
  const seen = new Set<number>()
  const count = () => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const kind = rowKind<undefined>({
    table: 'numerous' as 'file',
    columns: sqlText`id`,
    texts: ({ id }: { id: string }) => {
      seen.add(turns)
      return [[id, `"${id}"`]]
    },
  })
  const texts = await kind.render(db, store.id, ids, undefined)
  clearImmediate(timer)
  expect(texts.size).toBe(3_000)
  expect(seen.size, 'turns in between').toBeGreaterThanOrEqual(5)
})
