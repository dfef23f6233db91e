import { expect, test } from 'vitest'
import type { Product } from '../../client/src/index.ts'
import type { VariantCells } from '../../console/src/pages/products/draft.ts'
import { copyOf, type Draft, draftOf, emptyDraft } from '../../console/src/pages/products/draft.ts'
import { differences, isStockOnly, mergeDrafts } from '../../console/src/pages/products/merge.ts'
import {
  addOption,
  addValue,
  removeOption,
  removeValue,
  variantsWithValue,
} from '../../console/src/pages/products/options.ts'
import { parseCells } from '../../console/src/pages/products/paste.ts'
import { changesOf } from '../../console/src/pages/products/product-changes.ts'
import { startTestApi } from '../../tests/support/api.ts'
import { parseNumber } from '../core/input/parse-number.ts'

const withRow = (draft: Draft, key: string, cells: Partial<VariantCells>): Draft => ({
  ...draft,
  variants: draft.variants.map((row) => (row.key === key ? { ...row, ...cells } : row)),
})

test('pasted spreadsheet cells and numbers in local notation are parsed', () => {
  expect(parseCells('a\tb\r\nc\td\r\n')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(parseCells('"two\nlines"\t"say ""hi"""\n1')).toEqual([['two\nlines', 'say "hi"'], ['1']])
  expect(parseCells('one')).toEqual([['one']])
  expect(['12', '12,5', '1 234,50', '1,234.50', '1.234,5', '1,234,567', '-3'].map(parseNumber)).toEqual([
    12, 12.5, 1234.5, 1234.5, 1234.5, 1_234_567, -3,
  ])
  expect(['١٢٫٥', '١٬٢٣٤٫٥٠٠', '۱۲'].map(parseNumber)).toEqual([12.5, 1234.5, 12])
  expect(['', 'x', '1e5', '12a'].map(parseNumber)).toEqual(['', 'x', '1e5', '12a'])
})

test('a save sends only what has changed, and the API accepts it', async () => {
  const api = await startTestApi()
  const app = api.as('product:create', 'product:update', 'product:view')
  const save = async (before: Draft, after: Draft, id?: string): Promise<Product> => {
    const { body } = changesOf(before, after)
    const reply = id
      ? await app.post(`/product/${id}/update`, body)
      : await app.post('/product', { ...body, title: after.title })
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body.data.product
  }
  const titles = (product: Product) => product.variants.map(({ title }) => title)

  const blank = emptyDraft()
  const [first] = blank.variants
  let draft = withRow({ ...blank, title: 'Shirt' }, first?.key as string, { price: '10,5', quantity: '3' })
  expect(changesOf(blank, draft).body).toEqual({ title: 'Shirt', default: { price: 10.5, quantity: 3 } })
  let product = await save(blank, draft)
  expect(product.default).toMatchObject({ price: 10.5, quantity: 3 })

  // The first option goes to the variant there is, with its stock; further values make variants that cost the same.
  let before = draftOf(product)
  draft = { ...before, ...addOption(before, 'Size', 'S') }
  draft = { ...draft, ...addValue(draft, 0, 'M') }
  draft = { ...draft, ...addOption(draft, 'Colour', 'Blue') }
  expect(variantsWithValue(draft, 1)).toBe(4)
  draft = { ...draft, ...addValue(draft, 1, 'Red') }
  const single = product.default?.id
  product = await save(before, draft, product.id)
  expect(titles(product)).toEqual(['S / Blue', 'M / Blue', 'S / Red', 'M / Red'])
  expect(product.variants[0]).toMatchObject({ id: single, quantity: 3 })
  expect(product.variants.map(({ price }) => price)).toEqual([10.5, 10.5, 10.5, 10.5])

  // Another value, another name, and one cell.
  before = draftOf(product)
  const [row] = before.variants
  draft = withRow(before, row?.key as string, { sku: ' S-BLUE ' })
  expect(changesOf(before, draft).body).toEqual({ variants: [{ id: row?.key, sku: 'S-BLUE' }] })
  draft = { ...draft, ...removeValue(draft, 0, draft.options[0]?.values[1]?.key as string) }
  draft = { ...draft, ...addValue(draft, 0, 'L'), description: 'Cotton', category_id: '' }
  product = await save(before, draft, product.id)
  expect(titles(product)).toEqual(['S / Blue', 'S / Red', 'L / Blue', 'L / Red'])
  expect(product).toMatchObject({ description: 'Cotton', variants: [{ sku: 'S-BLUE', quantity: 3 }, {}, {}, {}] })

  // Without a colour, and then without options at all: one variant is left.
  before = draftOf(product)
  draft = { ...before, ...removeOption(before, 1) }
  product = await save(before, draft, product.id)
  expect(titles(product)).toEqual(['S', 'L'])
  before = draftOf(product)
  draft = { ...before, ...removeOption(before, 0) }
  product = await save(before, draft, product.id)
  expect(product).toMatchObject({ options: [], variants: [], default: { sku: 'S-BLUE', quantity: 3, price: 10.5 } })
  expect(changesOf(draftOf(product), draftOf(product)).body).toEqual({})

  const copy = await save(emptyDraft(), copyOf(draftOf(product), 'Shirt (copy)'))
  expect(copy).toMatchObject({ title: 'Shirt (copy)', status: 'inactive', default: { sku: null, price: 10.5 } })
  expect(copy.id).not.toBe(product.id)
})

test('after a conflict, fields that one side changed are merged, and those that both changed are offered as a choice', () => {
  const blank = emptyDraft()
  const base: Draft = {
    ...blank,
    title: 'Mug',
    ...addValue({ ...blank, ...addOption(blank, 'Size', 'S') }, 0, 'M'),
  }
  const [small, medium] = base.variants.map(({ key }) => key) as [string, string]
  const mine = withRow({ ...base, title: 'Blue mug' }, small, { price: '12' })
  const sold = withRow(base, medium, { quantity: '7' })
  expect(isStockOnly(differences({ base, mine, theirs: sold }))).toBe(true)
  const merged = mergeDrafts({ base, mine, theirs: sold }, new Map())
  expect(merged).toMatchObject({ title: 'Blue mug', variants: [{ price: '12' }, { quantity: '7' }] })

  const theirs = withRow({ ...sold, title: 'Red mug', description: 'Clay' }, small, { price: '15' })
  const found = differences({ base, mine, theirs })
  expect(found.map(({ id, by }) => [id, by])).toEqual([
    ['title', 'both'],
    ['description', 'them'],
    [`${small} price`, 'both'],
    [`${medium} quantity`, 'them'],
  ])
  expect(isStockOnly(found)).toBe(false)
  expect(mergeDrafts({ base, mine, theirs }, new Map([['title', 'theirs']]))).toMatchObject({
    title: 'Red mug',
    description: 'Clay',
    variants: [{ price: '12' }, { quantity: '7' }],
  })
  // They removed a size that I had changed: mine stays unless theirs is taken, and the rest is merged.
  const fewer = { ...theirs, ...removeValue(theirs, 0, theirs.options[0]?.values[0]?.key as string) }
  const without = mergeDrafts({ base, mine, theirs: fewer }, new Map([['options', 'theirs']]))
  expect(without.variants.map(({ key, quantity }) => [key, quantity])).toEqual([[medium, '7']])
})
