// Writes openapi.json from the routes. With --record, first records the examples again from a demo store.
import { writeFileSync } from 'node:fs'
import { built } from './built.mjs'

const at = (name) => new URL(`../${name}`, import.meta.url)

if (process.argv.includes('--record')) {
  const { recordExamples } = await built('cli/record-examples')
  const recorded = await recordExamples()
  // The source, and what was built from it before.
  for (const name of ['src/docs/examples.json', 'dist/docs/examples.json']) writeFileSync(at(name), recorded)
}
const { generateDocument } = await built('cli/generate-openapi')
writeFileSync(at('openapi.json'), `${JSON.stringify(await generateDocument(), null, 2)}\n`)
