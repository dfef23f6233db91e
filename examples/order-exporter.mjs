// Writes the orders of a period to a CSV file while the server reads them: any number of orders, little memory.
//   node examples/order-exporter.mjs orders.csv --from 2026-01-01 --to 2026-01-31 --status paid
import { rename, rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ValidationError } from '../client/dist/index.js'
import { saveTo } from '../client/dist/node.js'
import { connect } from './connect.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { from: { type: 'string' }, to: { type: 'string' }, status: { type: 'string' } },
})
const [file = `orders-${new Date().toISOString().slice(0, 10)}.csv`] = positionals
const { from, to } = values
const status = /** @type {'pending' | 'paid' | 'abandoned' | undefined} */ (values.status)

let bytes = 0
/** Counts what passes. */
const counter = () =>
  new TransformStream({
    transform: (/** @type {Uint8Array} */ chunk, controller) => {
      bytes += chunk.length
      if (process.stderr.isTTY) process.stderr.write(`\r${(bytes / 1024).toFixed(0)} kB`)
      controller.enqueue(chunk)
    },
    flush: () => void (process.stderr.isTTY && process.stderr.write('\r')),
  })

// Ctrl+C ends the download, not only the program.
const stop = new AbortController()
process.once('SIGINT', () => stop.abort(new Error('Stopped.')))

const draft = `${file}.part`
try {
  const orders = await connect().orders.export({ from, to, status }, { signal: stop.signal })
  await saveTo(draft, orders.pipeThrough(counter()), { signal: stop.signal })
  // A file of that name is always a whole one.
  await rename(draft, file)
  console.log(`${file}: ${bytes} bytes`)
} catch (error) {
  await rm(draft, { force: true })
  if (!(error instanceof ValidationError)) throw error
  for (const [field, messages] of Object.entries(error.fields)) console.error(`--${field} ${messages.join(', ')}`)
  process.exitCode = 1
}
