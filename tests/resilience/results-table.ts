import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** One case: how often it was tried, and how much was lost or leaked. Any loss fails the run. */
export interface Row {
  case: string
  tried: number
  lost: number
  /** A measurement shown beside the case, such as the p99 of a healthy client. */
  note?: string
}

const TABLE_VARIABLE = 'RESILIENCE_TABLE'

/** Adds a row to the table at the end of the run. Tests run in several processes, so it is written to a file. */
export const recordResult = (row: Row) => {
  const file = process.env[TABLE_VARIABLE]
  if (file) appendFileSync(file, `${JSON.stringify(row)}\n`)
}

const readRows = (file: string): Row[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : []

const render = (rows: Row[]) => {
  const width = Math.max(...rows.map((row) => row.case.length), 4)
  const line = (name: string, tried: string, lost: string, note = '') =>
    `${name.padEnd(width)}  ${tried.padStart(7)}  ${lost.padStart(4)}  ${note}`.trimEnd()
  return [
    line('case', 'tried', 'lost'),
    ...rows.map((row) => line(row.case, row.tried.toLocaleString('en'), String(row.lost), row.note)),
  ].join('\n')
}

/** Vitest global setup: creates the file before the tests and prints the table after them. */
export default () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'storefront-resilience-'))
  const file = path.join(folder, 'table')
  process.env[TABLE_VARIABLE] = file
  return () => {
    const rows = readRows(file).sort((a, b) => a.case.localeCompare(b.case))
    rmSync(folder, { recursive: true })
    process.stdout.write(`\n${render(rows)}\n`)
    const lost = rows.filter((row) => row.lost > 0)
    if (rows.length === 0 || lost.length > 0) {
      process.stderr.write(`${lost.length > 0 ? 'Something was lost or leaked' : 'No case was tried'}.\n`)
      process.exitCode = 1
    }
  }
}
