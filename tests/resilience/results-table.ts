import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What one case tried, how often, and how much was lost or leaked by it: 0, or the run fails. */
export interface Row {
  case: string
  tried: number
  lost: number
  /** A measured number that belongs beside the case, such as a healthy client's p99. */
  note?: string
}

const TABLE_VARIABLE = 'RESILIENCE_TABLE'

/** A line in the table that ends a run. Tests run in processes of their own, so it goes by way of a file. */
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

/** Vitest's global setup: makes the file before the tests, prints the table after them. */
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
