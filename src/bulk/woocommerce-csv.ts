import type { LineFields } from '../http/resource.ts'
import type { CsvRow } from './csv-products.ts'

export const isWooCommerce = (names: readonly string[]) =>
  ['type', 'name', 'regular price'].every((name) => names.includes(name))

const MAX_ATTRIBUTES = 20

const isYes = (text: string | undefined) => text !== undefined && /^(1|yes|true|notify)$/i.test(text)

/** `simple, downloadable, virtual` is a type and its flags. */
const typesOf = (row: CsvRow) => (row.get('type') ?? 'simple').toLowerCase().split(/\s*,\s*/)

const given = (fields: LineFields): LineFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const stockOf = (row: CsvRow): LineFields => {
  const [regular, sale] = [row.get('regular price'), row.get('sale price')]
  const stock = row.get('stock')
  return given({
    price: sale ?? regular,
    compare_price: sale === undefined ? undefined : regular,
    sku: row.get('sku'),
    // WooCommerce allows decimals, and negative stock after overselling.
    quantity: stock?.startsWith('-') ? 0 : stock?.replace(/\.0+$/, ''),
  })
}

/** Without stock management, the export only says whether the product is in stock. */
const isTracked = (row: CsvRow) => row.get('stock') !== undefined || row.get('in stock?') === '0'

interface Attribute {
  name: string
  values: string[]
}

const attributesOf = (row: CsvRow): Attribute[] =>
  Array.from({ length: MAX_ATTRIBUTES }, (_, n) => n + 1).flatMap((n) => {
    const name = row.get(`attribute ${n} name`)
    const values = row.get(`attribute ${n} value(s)`)?.split(/\s*,\s*/) ?? []
    return name && values.length > 0 ? [{ name, values: [...new Set(values.filter((value) => value !== ''))] }] : []
  })

/** The first category, without those above it: `Clothing > Shirts, Sale` is `Shirts`. */
const categoryOf = (row: CsvRow) => row.get('categories')?.split(',')[0]?.split('>').at(-1)?.trim()

const detailsOf = (row: CsvRow, properties: { name: string; value: string }[]): LineFields => {
  const types = typesOf(row)
  const tags = row.get('tags')
  const all = [...properties, ...(tags ? [{ name: 'Tags', value: tags }] : [])]
  return given({
    title: row.get('name'),
    description: row.get('description') ?? row.get('short description'),
    status: row.get('published') === '1' ? 'active' : 'inactive',
    is_digital: types.includes('virtual') || types.includes('downloadable'),
    category: categoryOf(row),
    stock_tracked: isTracked(row),
    allow_order_when_oos: isYes(row.get('backorders allowed?')),
    ...(all.length > 0 && { properties: all }),
  })
}

const asProperties = (attributes: readonly Attribute[]) =>
  attributes.map(({ name, values }) => ({ name, value: values.join(', ') }))

const simpleProduct = (row: CsvRow): LineFields => ({
  ...detailsOf(row, asProperties(attributesOf(row))),
  ...stockOf(row),
})

const variableProduct = (parent: CsvRow, variations: readonly CsvRow[]): LineFields => {
  if (variations.length === 0) return simpleProduct(parent)
  const chosen = variations.map((row) => new Map(attributesOf(row).map(({ name, values }) => [name, values[0]])))
  const attributes = attributesOf(parent)
  // An attribute is an option if variations have values of it.
  const options = attributes.filter(({ name }) => chosen.some((values) => values.has(name)))
  const others = attributes.filter((attribute) => !options.includes(attribute))
  return {
    ...detailsOf(parent, asProperties(others)),
    stock_tracked: [parent, ...variations].some(isTracked),
    options: options.map(({ name, values }, order) => {
      const used = chosen.flatMap((own) => own.get(name) ?? [])
      return { order, name, values: [...new Set([...values, ...used])].map((value) => ({ value })) }
    }),
    variants: variations.map((row, n) => ({
      ...stockOf(row),
      values: options.map(({ name, values }, order) => ({ order, value: chosen[n]?.get(name) ?? values[0] ?? '' })),
    })),
  }
}

/** A variation names its parent by SKU, or by `id:` and its id. They may be anywhere in the file. */
export async function* wooCommerceProducts(rows: AsyncIterable<CsvRow>): AsyncGenerator<LineFields> {
  const parents: CsvRow[] = []
  const variations = new Map<string, CsvRow[]>()
  for await (const row of rows) {
    const types = typesOf(row)
    if (types.includes('variation')) {
      const parent = row.get('parent') ?? ''
      variations.set(parent, [...(variations.get(parent) ?? []), row])
    } else if (types.includes('variable')) parents.push(row)
    else yield simpleProduct(row)
  }
  for (const parent of parents) {
    const names = [parent.get('sku'), `id:${parent.get('id')}`]
    yield variableProduct(
      parent,
      names.flatMap((name) => (name === undefined ? [] : (variations.get(name) ?? []))),
    )
  }
}
