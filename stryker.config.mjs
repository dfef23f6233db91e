import { readFileSync } from 'node:fs'

// MUTANTS names one of the groups: `MUTANTS=stock npx stryker run`.
const groups = JSON.parse(readFileSync(new URL('proof/mutation/groups.json', import.meta.url), 'utf8'))
const name = process.env.MUTANTS ?? ''
const group = groups[name]
if (!group) throw new Error(`MUTANTS must be one of: ${Object.keys(groups).join(', ')}.`)

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutants.config.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  mutate: group.mutate,
  tsconfigFile: 'none',
  concurrency: 1,
  timeoutMS: 60_000,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, reportTests: false },
  jsonReporter: { fileName: `reports/${name.replaceAll(' ', '-')}.json` },
  ignorePatterns: ['.stryker-tmp', 'reports', 'proof/kept', 'dist.*'],
  tempDirName: `.stryker-tmp/${name.replaceAll(' ', '-')}`,
}
