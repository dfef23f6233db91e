import { type CsvLine, type CsvRow, given, type LineFields, unsigned } from './row.ts'

export const isWooCommerceProducts = (names: readonly string[]) =>
  ['type', 'name', 'regular price'].every((name) => names.includes(name))

const MAX_ATTRIBUTES = 20

/** Every column that is read. */
export const WOOCOMMERCE_PRODUCT_COLUMNS = [
  ...['id', 'type', 'sku', 'name', 'published', 'short description', 'description', 'in stock?', 'stock'],
  ...['backorders allowed?', 'sale price', 'regular price', 'categories', 'tags', 'parent'],
  ...Array.from({ length: MAX_ATTRIBUTES }, (_, n) => [
    `attribute ${n + 1} name`,
    `attribute ${n + 1} value(s)`,
  ]).flat(),
]

const isYes = (text: string | undefined) => text !== undefined && /^(1|yes|true|notify)$/i.test(text)

const splitList = (text: string) => text.split(',').map((entry) => entry.trim())

/** `simple, downloadable, virtual` is a type and its flags. */
const typesOf = (row: CsvRow) => splitList((row.get('type') ?? 'simple').toLowerCase())

const stockOf = (row: CsvRow): LineFields => {
  const [regular, sale] = [row.amount('regular price'), row.amount('sale price')]
  return given({
    price: sale ?? regular,
    compare_price: sale === undefined ? undefined : regular,
    sku: row.get('sku'),
    // WooCommerce allows decimals, and negative stock after overselling.
    quantity: unsigned(row.amount('stock'))?.replace(/\.0+$/, ''),
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
    const values = splitList(row.get(`attribute ${n} value(s)`) ?? '')
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
export async function* wooCommerceProducts(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvLine> {
  const products: CsvRow[] = []
  const variations = new Map<string, CsvRow[]>()
  for await (const row of rows) {
    if (typesOf(row).includes('variation')) {
      const parent = row.get('parent') ?? ''
      const known = variations.get(parent)
      if (known) known.push(row)
      else variations.set(parent, [row])
    } else products.push(row)
  }
  for (const row of products) {
    const names = [row.get('sku'), `id:${row.get('id')}`]
    const own = names.flatMap((name) => (name === undefined ? [] : (variations.get(name) ?? [])))
    const isVariable = typesOf(row).includes('variable')
    yield { row: row.number, fields: isVariable ? variableProduct(row, own) : simpleProduct(row) }
  }
}
