import { parseNumber } from '../../../core/input/parse-number.ts'

/** A line of a bulk job. Declared here, because the console reads files, too. */
export type LineFields = Record<string, unknown>

/** A row by the names of its columns. Empty cells are left out. */
export interface CsvRow {
  /** As a spreadsheet counts: the header is row 1. */
  number: number
  get: (column: string) => string | undefined
  /** A number in the notation of any language. */
  amount: (column: string) => string | undefined
}

/** One line of a bulk job, with the row in which it starts. */
export interface CsvLine {
  row: number
  fields: LineFields
}

/** Leaves out what is undefined. */
export const given = (fields: LineFields): LineFields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Negative stock, after overselling, becomes 0. */
export const unsigned = (quantity: string | undefined) => (quantity?.startsWith('-') ? '0' : quantity)

/** Exports prefix cells that a spreadsheet would run as a formula with an apostrophe. */
const withoutGuard = (cell: string) => (/^'[=+\-@]/.test(cell) ? cell.slice(1) : cell)

/** Between commas, `1,234` may be either, and is refused. Where semicolons separate the cells, a comma is a decimal one. */
const plainNumber = (text: string, separator: string) =>
  separator === ',' && /^-?[1-9]\d{0,2},\d{3}$/.test(text) ? text : String(parseNumber(text))

/** The first row is counted as row 2. Rows without any cell are left out. */
export async function* rowsOf(
  names: readonly string[],
  rows: AsyncIterable<string[]>,
  separator: string,
): AsyncGenerator<CsvRow> {
  let number = 1
  for await (const cells of rows) {
    number++
    const filled = cells.flatMap((cell, n): [string, string][] => {
      const text = withoutGuard(cell.trim())
      return text !== '' && names[n] ? [[names[n], text]] : []
    })
    const row = new Map(filled)
    const amount = (column: string) => {
      const text = row.get(column)
      return text && plainNumber(text, separator)
    }
    if (row.size > 0) yield { number, get: (column) => row.get(column), amount }
  }
}

/** Rows that follow each other and have the same key. A row without a key stands alone. */
export async function* groupRows(
  rows: AsyncIterable<CsvRow>,
  keyOf: (row: CsvRow) => string | undefined,
): AsyncGenerator<[CsvRow, ...CsvRow[]]> {
  let gathered: CsvRow[] = []
  for await (const row of rows) {
    const [first] = gathered
    if (first && (keyOf(row) === undefined || keyOf(first) !== keyOf(row))) {
      yield gathered as [CsvRow, ...CsvRow[]]
      gathered = []
    }
    gathered.push(row)
  }
  if (gathered.length > 0) yield gathered as [CsvRow, ...CsvRow[]]
}
