// Writes openapi.json, the contract, from the routes. With --record, first records the examples again from a demo store.
// With --full FILE, writes the document as a server returns it, with guides and examples, to that file instead.
import { writeFileSync } from 'node:fs'
import { built } from './built.mjs'

const at = (name) => new URL(`../${name}`, import.meta.url)
const write = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)

if (process.argv.includes('--record')) {
  const { recordExamples } = await built('cli/record-examples')
  const recorded = await recordExamples()
  // The source, and what was built from it before.
  for (const name of ['src/docs/examples.json', 'dist/docs/examples.json']) writeFileSync(at(name), recorded)
}
const { generateDocument, contractOf } = await built('cli/generate-openapi')
const document = await generateDocument()
const full = process.argv.indexOf('--full')
if (full > 0) write(process.argv[full + 1], document)
else write(at('openapi.json'), contractOf(document))
