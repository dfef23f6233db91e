import { OperatorError } from '../errors.ts'
import type { LineFields } from '../http/resource.ts'
import { parseCsv } from './parse-csv.ts'
import { isShopify, shopifyProducts } from './shopify-csv.ts'
import { isWooCommerce, wooCommerceProducts } from './woocommerce-csv.ts'

/** A row by the lower-case names of its columns. Empty cells are left out. */
export type CsvRow = ReadonlyMap<string, string>

async function* rowsOf(names: readonly string[], rows: AsyncGenerator<string[]>): AsyncGenerator<CsvRow> {
  for await (const cells of rows) {
    const filled = cells.flatMap((cell, n): [string, string][] => {
      const text = cell.trim()
      return text !== '' && names[n] !== undefined ? [[names[n] as string, text]] : []
    })
    yield new Map(filled)
  }
}

/** Reads a CSV of products in the columns of Shopify's or WooCommerce's export. Yields lines for a bulk job. */
export async function* readProductCsv(chunks: AsyncIterable<string>): AsyncGenerator<LineFields> {
  const rows = parseCsv(chunks)
  const { value: header } = await rows.next()
  const names = ((header as string[] | undefined) ?? []).map((name) => name.trim().toLowerCase())
  if (isShopify(names)) yield* shopifyProducts(rowsOf(names, rows))
  else if (isWooCommerce(names)) yield* wooCommerceProducts(rowsOf(names, rows))
  else
    throw new OperatorError(
      'The columns are neither those of Shopify (Handle, Title, …) nor of WooCommerce (Type, SKU, Name, Regular price, …).',
    )
}
