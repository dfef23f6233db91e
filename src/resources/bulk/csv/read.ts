import {
  isShopifyCustomers,
  isWooCommerceCustomers,
  OWN_CUSTOMER_COLUMNS,
  ownCustomers,
  SHOPIFY_CUSTOMER_COLUMNS,
  shopifyCustomers,
  WOOCOMMERCE_CUSTOMER_COLUMNS,
  wooCommerceCustomers,
} from './customers.ts'
import { OWN_PRODUCT_COLUMNS, ownProducts } from './own-products.ts'
import { parseCsv } from './parse.ts'
import { type CsvLine, type CsvRow, rowsOf } from './row.ts'
import { isShopifyProducts, SHOPIFY_PRODUCT_COLUMNS, shopifyProducts } from './shopify-products.ts'
import { isWooCommerceProducts, WOOCOMMERCE_PRODUCT_COLUMNS, wooCommerceProducts } from './woocommerce-products.ts'

export const CSV_FORMATS = ['shopify', 'woocommerce', 'own'] as const
export type CsvFormat = (typeof CSV_FORMATS)[number]

export const CSV_RESOURCES = ['product', 'customer'] as const
export type CsvResource = (typeof CSV_RESOURCES)[number]

interface Reader {
  /** The names of every column that is read, in lower case. */
  columns: readonly string[]
  /** Whether a file with these columns has this format. */
  fits: (names: readonly string[]) => boolean
  read: (rows: AsyncIterable<CsvRow>) => AsyncGenerator<CsvLine>
}

export const READERS: Readonly<Record<CsvResource, Readonly<Record<CsvFormat, Reader>>>> = {
  product: {
    shopify: { columns: SHOPIFY_PRODUCT_COLUMNS, fits: isShopifyProducts, read: shopifyProducts },
    woocommerce: { columns: WOOCOMMERCE_PRODUCT_COLUMNS, fits: isWooCommerceProducts, read: wooCommerceProducts },
    own: {
      columns: OWN_PRODUCT_COLUMNS,
      fits: (names) => names.includes('sku') || names.includes('slug') || names.includes('title'),
      read: ownProducts,
    },
  },
  customer: {
    shopify: { columns: SHOPIFY_CUSTOMER_COLUMNS, fits: isShopifyCustomers, read: shopifyCustomers },
    woocommerce: { columns: WOOCOMMERCE_CUSTOMER_COLUMNS, fits: isWooCommerceCustomers, read: wooCommerceCustomers },
    own: { columns: OWN_CUSTOMER_COLUMNS, fits: (names) => names.includes('email'), read: ownCustomers },
  },
}

export const columnName = (header: string) => header.trim().toLowerCase()

/** `slug` and `title` alone would be Shopify's, which calls the slug a handle. */
export const detectFormat = (resource: CsvResource, headers: readonly string[]): CsvFormat | undefined => {
  const names = headers.map(columnName)
  return CSV_FORMATS.find((format) => READERS[resource][format].fits(names))
}

interface ReadOptions {
  resource: CsvResource
  /** Recognized by the columns if not given; undefined columns are refused. */
  format?: CsvFormat
  /** What each column of the file is in the format; by default, what its header says. */
  columns?: readonly (string | undefined)[]
}

/** Thrown if a file has none of the known formats. */
export class UnknownColumns extends Error {}

/** Reads a CSV as lines for a bulk job, in the order of the file. */
export async function* readCsv(
  chunks: AsyncIterable<string>,
  { resource, format, columns }: ReadOptions,
): AsyncGenerator<CsvLine> {
  let separator = ''
  const rows = parseCsv(chunks, (found) => {
    separator = found
  })
  const header: string[] = (await rows.next()).value ?? []
  const chosen = format ?? detectFormat(resource, header)
  if (!chosen) throw new UnknownColumns('The columns are of no known format.')
  const names = columns?.map((name) => name ?? '') ?? header.map(columnName)
  yield* READERS[resource][chosen].read(rowsOf(names, rows, separator))
}

/** As NDJSON whose line numbers are those of the rows: a result names the row of the spreadsheet. */
export async function* asNumberedLines(lines: AsyncIterable<CsvLine>): AsyncGenerator<string> {
  let at = 1
  for await (const { row, fields } of lines) {
    yield `${'\n'.repeat(Math.max(0, row - at))}${JSON.stringify(fields)}\n`
    at = Math.max(at, row) + 1
  }
}
