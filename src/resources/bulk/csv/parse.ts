/** Spreadsheets of many languages separate cells by semicolons. */
const SEPARATORS = [',', ';', '\t'] as const

const MAX_HEADER = 65_536

/** The character that separates the most cells of the header. */
const separatorOf = (text: string) => {
  const [header = ''] = text.replace(/"[^"]*"/g, '').split('\n', 1)
  const count = (separator: string) => header.split(separator).length
  return SEPARATORS.reduce((best, other) => (count(other) > count(best) ? other : best))
}

/** The chunks without a byte order mark. The first one has the whole header, unless that is longer than any. */
async function* withWholeHeader(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let head: string | undefined = ''
  for await (const chunk of chunks) {
    if (head === undefined) {
      yield chunk
      continue
    }
    head += chunk
    if (!head.includes('\n') && head.length < MAX_HEADER) continue
    yield head.replace(/^\uFEFF/, '')
    head = undefined
  }
  if (head) yield head.replace(/^\uFEFF/, '')
}

/** Thrown at the end of a file: everything from this row on stands in one cell. */
export class UnclosedQuote extends Error {
  readonly row: number

  constructor(row: number) {
    super(`A quote that is opened in row ${row} is never closed.`)
    this.row = row
  }
}

/**
 * Parses CSV (RFC 4180) chunk by chunk: quoted cells may contain separators, quotes and line ends. Blank rows are kept, so
 * that rows can be counted as a spreadsheet does. `onSeparator` hears what separates the cells before the first row is given.
 */
export async function* parseCsv(
  chunks: AsyncIterable<string>,
  onSeparator?: (separator: string) => void,
): AsyncGenerator<string[]> {
  let row: string[] = []
  let count = 1
  let openedIn = 0
  let cell = ''
  let isQuoted = false
  /** A quote in a quoted cell: its end, unless another follows. */
  let isQuoteOpen = false
  let separator: string | undefined
  for await (const text of withWholeHeader(chunks)) {
    if (separator === undefined) {
      separator = separatorOf(text)
      onSeparator?.(separator)
    }
    for (const character of text) {
      if (isQuoteOpen) {
        isQuoteOpen = false
        if (character === '"') {
          cell += '"'
          continue
        }
        isQuoted = false
      }
      if (isQuoted) {
        if (character === '"') isQuoteOpen = true
        else cell += character
      } else if (character === '"' && cell === '') {
        isQuoted = true
        openedIn = count
      } else if (character === separator) {
        row.push(cell)
        cell = ''
      } else if (character === '\n') {
        yield [...row, cell.replace(/\r$/, '')]
        count++
        row = []
        cell = ''
      } else cell += character
    }
  }
  if (isQuoted && !isQuoteOpen) throw new UnclosedQuote(openedIn)
  if (row.length > 0 || cell !== '') yield [...row, cell.replace(/\r$/, '')]
}
