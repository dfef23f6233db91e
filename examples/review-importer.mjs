// Imports reviews from a CSV with the columns product (its slug), rating, content, reviewer_name, and if you like
// reviewer_email and status. A row that was imported in the last 24 hours is not imported twice.
//   node examples/review-importer.mjs examples/reviews.csv
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { ApiError, isReplay, parseCsv } from '../client/dist/index.js'
import { connect } from './connect.mjs'

const WIDTH = 30

/**
 * @param {number} done
 * @param {number} total
 */
const showProgress = (done, total) => {
  const filled = Math.round((done / total) * WIDTH)
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${total}`
  process.stderr.write(process.stderr.isTTY ? `\r${bar}` : `${bar}\n`)
}

/** @param {Record<string, string>} row */
const keyOf = (row) => `review-${createHash('sha256').update(JSON.stringify(row)).digest('hex')}`

/** @param {unknown} error */
const explain = (error) => {
  if (!(error instanceof ApiError)) throw error
  const fields = Object.entries(error.fields).map(([field, messages]) => `${field} ${messages.join(', ')}`)
  return fields.length > 0 ? fields.join('; ') : error.reason
}

const [file] = process.argv.slice(2)
if (!file) throw new Error('Usage: node examples/review-importer.mjs FILE.csv')

const client = connect()
/** @type {Map<string | undefined, string>} */
const products = new Map()
for await (const { slug, id } of client.products.all({ page_size: 200 })) products.set(slug, id)

const rows = []
for await (const row of parseCsv(createReadStream(file))) rows.push(row)

/**
 * @param {Record<string, string>} row
 * @returns {Promise<{ fault: string } | { replayed: boolean }>}
 */
const importReview = async (row) => {
  const product_id = products.get(row.product)
  if (!product_id) return { fault: `there is no product ${row.product}` }
  const { content = '', reviewer_name = '', reviewer_email, status } = row
  const review = {
    ...{ product_id, content, reviewer_name, rating: Number(row.rating) },
    ...(reviewer_email && { reviewer_email }),
    ...(status && { status: /** @type {'pending' | 'hidden' | 'published'} */ (status) }),
  }
  return client.reviews.create(review, { idempotencyKey: keyOf(row) }).then(
    (created) => ({ replayed: isReplay(created) }),
    (error) => ({ fault: explain(error) }),
  )
}

const faults = []
let replayed = 0
for (const [index, row] of rows.entries()) {
  const result = await importReview(row)
  if ('fault' in result) faults.push(`Review ${index + 1}: ${result.fault}`)
  else if (result.replayed) replayed += 1
  showProgress(index + 1, rows.length)
}

if (process.stderr.isTTY) process.stderr.write('\n')
console.log(`${rows.length - faults.length - replayed} imported, ${replayed} imported before, ${faults.length} refused`)
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
