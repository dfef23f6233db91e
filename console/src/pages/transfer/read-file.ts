import { parseCsv } from '../../../../src/resources/bulk/csv/parse.ts'
import {
  asNumberedLines,
  type CsvFormat,
  type CsvResource,
  columnName,
  detectFormat,
  READERS,
  readCsv,
} from '../../../../src/resources/bulk/csv/read.ts'
import type { CsvLine } from '../../../../src/resources/bulk/csv/row.ts'
import { encodingOf, textOf } from '../../components/read-text.ts'
import { WORDS } from './words.ts'

export const MAX_BYTES = 100 * 1024 ** 2
const MAX_EXAMPLES = 20

/** What a merchant may call a column: its name, or its label in any language of the console. */
const synonyms = new Map(
  Object.values(WORDS).flatMap(({ fields }) =>
    Object.entries(fields).flatMap(([column, label]): [string, string][] => [
      [label.toLowerCase(), column],
      [column.replaceAll('_', ' '), column],
    ]),
  ),
)

/** The column of the format that a header names, if any. */
const meaningOf = (header: string, known: readonly string[]) => {
  const name = columnName(header)
  if (known.includes(name)) return name
  const found = synonyms.get(name)
  return found !== undefined && known.includes(found) ? found : undefined
}

/** A meaning for each column; the second column with the same one is left out. */
export const meaningsOf = (headers: readonly string[], resource: CsvResource, format: CsvFormat) => {
  const known = READERS[resource][format].columns
  const taken = new Set<string>()
  return headers.map((header) => {
    const meaning = meaningOf(header, known)
    if (meaning === undefined || taken.has(meaning)) return undefined
    taken.add(meaning)
    return meaning
  })
}

export interface OpenedFile {
  file: File
  encoding: string
  headers: readonly string[]
  /** The first cell of each column that is not empty. */
  examples: readonly string[]
  isEmpty: boolean
  format: CsvFormat
}

/** Reads the header and some rows. */
export const openFile = async (file: File, resource: CsvResource): Promise<OpenedFile> => {
  const encoding = await encodingOf(file)
  let headers: string[] | undefined
  const examples: string[] = []
  let rows = 0
  for await (const cells of parseCsv(textOf(file, encoding))) {
    if (!headers) {
      headers = cells.map((cell) => cell.trim())
      continue
    }
    for (const [n, cell] of cells.entries()) examples[n] ||= cell.trim().slice(0, 80)
    if (++rows >= MAX_EXAMPLES) break
  }
  const format = detectFormat(resource, headers ?? []) ?? 'own'
  return { file, encoding, headers: headers ?? [], examples, isEmpty: rows === 0, format }
}

export interface ReadFile {
  /** By the row of the file in which they start. */
  lines: ReadonlyMap<number, CsvLine['fields']>
  ndjson: string
}

async function* remember(lines: AsyncIterable<CsvLine>, found: Map<number, CsvLine['fields']>) {
  for await (const line of lines) {
    found.set(line.row, line.fields)
    yield line
  }
}

export const readFile = async (
  { file, encoding }: OpenedFile,
  options: { resource: CsvResource; format: CsvFormat; columns: readonly (string | undefined)[] },
): Promise<ReadFile> => {
  const lines = new Map<number, CsvLine['fields']>()
  const pieces: string[] = []
  for await (const piece of asNumberedLines(remember(readCsv(textOf(file, encoding), options), lines)))
    pieces.push(piece)
  return { lines, ndjson: pieces.join('') }
}
