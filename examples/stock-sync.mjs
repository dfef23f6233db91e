// Sets the stock of products from a CSV (sku,quantity) or a JSON file ([{ "sku": …, "quantity": … }]).
//   node examples/stock-sync.mjs examples/stock.csv
import { readFile } from 'node:fs/promises'
import { parseCsv } from '../client/dist/index.js'
import { connect } from './connect.mjs'

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

const [file] = process.argv.slice(2)
if (!file) throw new Error('Usage: node examples/stock-sync.mjs FILE.csv')

const client = connect()
const wanted = [...(await readStock(file))].map(([sku, quantity]) => ({ sku, quantity }))
/** @type {string[]} */
const refused = []
let [changed, same] = [0, 0]

// 1,000 lines a call, whatever products the SKUs belong to.
for (let first = 0; first < wanted.length; first += 1_000) {
  const lines = wanted.slice(first, first + 1_000)
  const levels = await client.stock.update({ stock: lines })
  for (const [n, { quantity, previous_quantity: before, errors }] of levels.entries()) {
    const sku = lines[n]?.sku ?? ''
    if (Object.keys(errors).length > 0) refused.push(`${sku}: ${Object.values(errors).join(', ')}`)
    else if (quantity === before) same++
    else {
      changed++
      console.log(`${sku}: ${before} -> ${quantity}`)
    }
  }
}

console.log(`${changed} changed, ${same} right already, ${refused.length} refused`)
if (refused.length > 0) {
  console.error(refused.join('\n'))
  process.exitCode = 1
}
