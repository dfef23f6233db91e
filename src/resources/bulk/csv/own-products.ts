import { type CsvLine, type CsvRow, given, groupRows, type LineFields } from './row.ts'

const OPTIONS = [1, 2, 3, 4, 5]

/** The columns of our own export, as the fields of the API are named. */
export const OWN_PRODUCT_COLUMNS = [
  ...['slug', 'title', 'description', 'status', 'category', 'sku', 'price', 'compare_price', 'quantity'],
  ...['stock_tracked', 'allow_order_when_oos', 'is_digital', 'page_title', 'meta_description'],
  ...OPTIONS.flatMap((n) => [`option${n}_name`, `option${n}_value`]),
]

const YES = /^(1|true|yes|oui|نعم)$/i

const flag = (row: CsvRow, column: string) => {
  const text = row.get(column)
  return text === undefined ? undefined : YES.test(text)
}

const stockOf = (row: CsvRow): LineFields =>
  given({
    price: row.amount('price'),
    compare_price: row.amount('compare_price'),
    sku: row.get('sku'),
    quantity: row.amount('quantity'),
  })

const optionsOf = (rows: readonly CsvRow[]) =>
  OPTIONS.flatMap((n) => {
    const name = rows[0]?.get(`option${n}_name`)
    const values = [...new Set(rows.flatMap((row) => row.get(`option${n}_value`) ?? []))]
    return name && values.length > 0 ? [{ n, name, values }] : []
  })

/** Only what the file says: columns that it lacks change nothing. */
const productOf = (rows: readonly [CsvRow, ...CsvRow[]]): LineFields => {
  const [first] = rows
  const options = optionsOf(rows)
  return given({
    slug: first.get('slug'),
    title: first.get('title'),
    description: first.get('description'),
    status: first.get('status')?.toLowerCase(),
    category: first.get('category'),
    stock_tracked: flag(first, 'stock_tracked'),
    allow_order_when_oos: flag(first, 'allow_order_when_oos'),
    is_digital: flag(first, 'is_digital'),
    page_title: first.get('page_title'),
    meta_description: first.get('meta_description'),
    ...(options.length === 0
      ? stockOf(first)
      : {
          options: options.map(({ n, name, values }) => ({
            order: n,
            name,
            values: values.map((value) => ({ value })),
          })),
          variants: rows.map((row) => ({
            ...stockOf(row),
            values: options.map(({ n }) => ({ order: n, value: row.get(`option${n}_value`) ?? '' })),
          })),
        }),
  })
}

/** Rows of one product follow each other and have the same slug. */
export async function* ownProducts(rows: AsyncIterable<CsvRow>): AsyncGenerator<CsvLine> {
  for await (const group of groupRows(rows, (row) => row.get('slug')))
    yield { row: group[0].number, fields: productOf(group) }
}
