// Writes openapi.json from the routes. With --record, first takes the examples anew from a demo store.
import './prepare.mjs'
import { writeFileSync } from 'node:fs'

const at = (name) => new URL(`../${name}`, import.meta.url)

if (process.argv.includes('--record')) {
  const { recordExamples } = await import('../dist/cli/record-examples.js')
  const recorded = await recordExamples()
  // The source, and what was built from it before.
  for (const name of ['src/docs/examples.json', 'dist/docs/examples.json']) writeFileSync(at(name), recorded)
}
const { generateDocument } = await import('../dist/cli/generate-openapi.js')
writeFileSync(at('openapi.json'), `${JSON.stringify(await generateDocument(), null, 2)}\n`)
