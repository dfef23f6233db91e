import { type CsvLine, type CsvRow, given, groupRows, type LineFields, unsigned } from './row.ts'

/** Column names of older and of newer exports. */
const COLUMNS = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  description: ['body (html)', 'description'],
  vendor: ['vendor'],
  category: ['type', 'product category'],
  tags: ['tags'],
  published: ['published', 'published on online store'],
  status: ['status'],
  sku: ['variant sku', 'sku'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'inventory quantity'],
  oversells: ['variant inventory policy', 'continue selling when out of stock'],
  price: ['variant price', 'price'],
  comparePrice: ['variant compare at price', 'compare-at price'],
  pageTitle: ['seo title'],
  metaDescription: ['seo description'],
}

export const isShopifyProducts = (names: readonly string[]) =>
  COLUMNS.handle.some((name) => names.includes(name)) && names.includes('title')

const cell = (row: CsvRow, column: keyof typeof COLUMNS) =>
  COLUMNS[column].map((name) => row.get(name)).find((text) => text !== undefined)

const amount = (row: CsvRow, column: keyof typeof COLUMNS) =>
  COLUMNS[column].map((name) => row.amount(name)).find((text) => text !== undefined)

const OPTIONS = [1, 2, 3]

/** Every column that is read. */
export const SHOPIFY_PRODUCT_COLUMNS = [
  ...Object.values(COLUMNS).flat(),
  ...OPTIONS.flatMap((n) => [`option${n} name`, `option${n} value`]),
]

const stockOf = (row: CsvRow): LineFields =>
  given({
    price: amount(row, 'price'),
    compare_price: amount(row, 'comparePrice'),
    sku: cell(row, 'sku')?.replace(/^'/, ''),
    quantity: unsigned(amount(row, 'quantity')),
  })

const statusOf = (row: CsvRow) => {
  const status = cell(row, 'status')?.toLowerCase()
  const isActive = status === undefined ? cell(row, 'published')?.toLowerCase() !== 'false' : status === 'active'
  return isActive ? 'active' : 'inactive'
}

const optionsOf = (rows: readonly CsvRow[]) =>
  OPTIONS.flatMap((n) => {
    const name = rows[0]?.get(`option${n} name`)
    const values = [...new Set(rows.flatMap((row) => row.get(`option${n} value`) ?? []))]
    return name && values.length > 0 ? [{ n, name, values }] : []
  })

const productOf = (rows: readonly CsvRow[]): LineFields => {
  const first = rows[0] as CsvRow
  // Further rows may contain only pictures.
  const variants = rows.filter((row, n) => n === 0 || row.get('option1 value') !== undefined)
  const options = optionsOf(variants)
  const isSimple = options.length === 0 || (variants.length === 1 && first.get('option1 value') === 'Default Title')
  const properties = [
    { name: 'Vendor', value: cell(first, 'vendor') },
    { name: 'Tags', value: cell(first, 'tags') },
  ].filter(({ value }) => value !== undefined)
  return given({
    title: cell(first, 'title'),
    slug: cell(first, 'handle')?.toLowerCase(),
    description: cell(first, 'description'),
    page_title: cell(first, 'pageTitle'),
    meta_description: cell(first, 'metaDescription'),
    status: statusOf(first),
    category: cell(first, 'category')?.split('>').at(-1)?.trim(),
    stock_tracked: cell(first, 'tracker') !== undefined || cell(first, 'quantity') !== undefined,
    allow_order_when_oos: /^(continue|true)$/i.test(cell(first, 'oversells') ?? ''),
    ...(properties.length > 0 && { properties }),
    ...(isSimple
      ? stockOf(first)
      : {
          options: options.map(({ n, name, values }) => ({
            order: n,
            name,
            values: values.map((value) => ({ value })),
          })),
          variants: variants.map((row) => ({
            ...stockOf(row),
            values: options.map(({ n }) => ({ order: n, value: row.get(`option${n} value`) ?? '' })),
          })),
        }),
  })
}

/** Rows of one product follow each other and have the same handle. */
export async function* shopifyProducts(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvLine> {
  for await (const group of groupRows(rows, (row) => cell(row, 'handle')))
    yield { row: group[0].number, fields: productOf(group) }
}
