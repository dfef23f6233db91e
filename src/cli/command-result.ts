type Cell = string | number | boolean | null | Date | readonly string[] | undefined
export type Row = Record<string, Cell>

export interface Result {
  /** What --json prints. */
  value: unknown
  /** What a person reads: a table of rows, or one thing as a list of its fields. */
  shown?: readonly Row[] | Row | string
  /** Printed on standard error, unless --json is given. */
  note?: string
  /** The command has already streamed its result. */
  printed?: boolean
  /** The command did its work and found something wrong. */
  failed?: boolean
}

// Names are user input: they must not contain terminal control characters.
const plain = (text: string) => text.replace(/\p{Cc}/gu, ' ')

const cellText = (cell: Cell): string => {
  if (cell === null || cell === undefined || cell === '') return '-'
  if (cell instanceof Date) return cell.toISOString()
  return plain(Array.isArray(cell) ? cell.join(' ') : String(cell)) || '-'
}

const tableText = (rows: readonly Row[]): string => {
  const [first] = rows
  if (!first) return 'None.\n'
  const names = Object.keys(first)
  const lines = [
    names.map((name) => name.toUpperCase()),
    ...rows.map((row) => names.map((name) => cellText(row[name]))),
  ]
  const widths = names.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)))
  return lines
    .map(
      (line) =>
        `${line
          .map((text, column) => text.padEnd(widths[column] as number))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('')
}

const fieldsText = (row: Row): string => {
  const width = Math.max(...Object.keys(row).map((name) => name.length))
  return Object.entries(row)
    .map(([name, cell]) => `${name.padEnd(width)}  ${cellText(cell)}\n`)
    .join('')
}

export const resultText = ({ value, shown = value as Row[] | Row }: Result): string => {
  if (typeof shown === 'string') return shown
  return Array.isArray(shown) ? tableText(shown) : fieldsText(shown as Row)
}

export const jsonText = ({ value }: Result): string => `${JSON.stringify(value)}\n`
