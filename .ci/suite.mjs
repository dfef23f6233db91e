/**
 * Runs a suite with Vitest. Up to three files that failed run once more, alone: on a busy machine a real browser or a
 * process can be late. What passes only then is named at the end, because it is a test, or a race, to be looked at. What
 * fails twice fails.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const MOST_FILES = 3

const given = process.argv.slice(2)
const folder = mkdtempSync(path.join(tmpdir(), 'suite-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const run = (...more) => {
  const { status } = spawnSync('npx', ['vitest', 'run', ...given, ...more], { stdio: 'inherit' })
  return status === 0
}

/** The files that failed, or none if Vitest did not come as far as saying so. */
const failedFiles = (report) => {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'))
    return testResults.filter(({ status }) => status === 'failed').map(({ name }) => path.relative('.', name))
  } catch {
    return []
  }
}

const report = path.join(folder, 'report.json')
if (!run('--reporter=default', '--reporter=json', `--outputFile.json=${report}`)) {
  const files = failedFiles(report)
  if (files.length === 0 || files.length > MOST_FILES) process.exit(1)
  console.log(`\n== Once more, alone: ${files.join(', ')}`)
  if (!run('--maxWorkers=1', ...files)) process.exit(1)
  console.log(`\n== PASSED ONLY ALONE, look at them: ${files.join(', ')}`)
}
