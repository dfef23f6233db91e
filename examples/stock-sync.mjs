// Sets the stock of products from a CSV (sku,quantity) or a JSON file ([{ "sku": …, "quantity": … }]).
//   node examples/stock-sync.mjs examples/stock.csv
import { readFile } from 'node:fs/promises'
import { parseCsv } from '../client/dist/index.js'
import { connect } from './connect.mjs'

/** @import { Product, Variant } from '../client/dist/index.js' */

/** @param {string} file */
const readStock = async (file) => {
  const text = await readFile(file, 'utf8')
  const rows = file.endsWith('.json') ? JSON.parse(text) : parseCsv(text)
  /** @type {Map<string, number>} */
  const stock = new Map()
  for await (const { sku, quantity } of rows) {
    const units = Number(quantity)
    if (!sku || String(quantity).trim() === '' || !Number.isInteger(units) || units < 0)
      throw new Error(`${file}: "${sku},${quantity}" is not a SKU and a whole number.`)
    stock.set(sku, units)
  }
  return stock
}

/** @param {Product} product */
const variantsOf = (product) => (product.variants.length > 0 ? product.variants : [product.default].filter(isThere))

/** @type {(variant: Variant | null) => variant is Variant} */
const isThere = (variant) => variant !== null

const [file] = process.argv.slice(2)
if (!file) throw new Error('Usage: node examples/stock-sync.mjs FILE.csv')

const client = connect()
const wanted = await readStock(file)
const unknown = new Set(wanted.keys())
let [changed, same] = [0, 0]

for await (const product of client.products.all({ page_size: 200 })) {
  const listed = variantsOf(product).filter(({ sku }) => sku !== null && wanted.has(sku))
  for (const { sku } of listed) unknown.delete(sku ?? '')
  const changes = listed
    .map(({ id, sku, quantity }) => ({ id, quantity: wanted.get(sku ?? '') ?? quantity, before: quantity }))
    .filter(({ quantity, before }) => quantity !== before)
  same += listed.length - changes.length
  changed += changes.length
  if (changes.length === 0) continue
  // One call a product, however many of its variants change.
  const [first] = changes
  await client.products.update(
    product.id,
    product.variants.length > 0
      ? { variants: changes.map(({ id, quantity }) => ({ id, quantity })) }
      : { default: { quantity: first?.quantity ?? 0 } },
  )
  console.log(`${product.title}: ${changes.map(({ before, quantity }) => `${before} -> ${quantity}`).join(', ')}`)
}

console.log(`${changed} changed, ${same} right already, ${unknown.size} not found`)
if (unknown.size > 0) {
  console.error(`Not in the store: ${[...unknown].join(', ')}`)
  process.exitCode = 1
}
