import { bytesOf } from './multipart-body.ts'

type CsvSource = string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** Parses CSV (RFC 4180) incrementally, from chunks of any size. */
async function* records(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let record: string[] = []
  let cell = ''
  let quoted = false
  /** The last character was a quote in a quoted cell, which ends the cell unless another quote follows. */
  let quote = false
  /** The last character was a CR outside quotes; an LF after it belongs to the same line end. */
  let cr = false
  let any = false
  for await (const piece of pieces) {
    for (const character of piece) {
      if (cr && character === '\n') {
        cr = false
        continue
      }
      cr = false
      if (quoted && !quote) {
        if (character === '"') quote = true
        else cell += character
        continue
      }
      if (quote && character === '"') {
        cell += character
        quote = false
        continue
      }
      if (quote) quoted = quote = false
      if (character === ',') {
        record.push(cell)
        cell = ''
        any = true
      } else if (character === '\n' || character === '\r') {
        cr = character === '\r'
        if (any || cell !== '') yield [...record, cell]
        record = []
        cell = ''
        any = false
      } else if (character === '"' && cell === '') {
        quoted = true
        any = true
      } else cell += character
    }
  }
  if (any || cell !== '') yield [...record, cell]
}

async function* decoded(source: CsvSource): AsyncGenerator<string, void> {
  if (typeof source === 'string') return void (yield source.replace(/^\uFEFF/, ''))
  const decoder = new TextDecoder()
  for await (const bytes of bytesOf(source)) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

/** The rows of a CSV as objects, keyed by the header. Keeps only one row in memory. */
export async function* parseCsv(source: CsvSource): AsyncGenerator<Record<string, string>, void> {
  let heading: string[] | undefined
  for await (const record of records(decoded(source))) {
    if (!heading) heading = record
    else yield Object.fromEntries(heading.map((name, index) => [name, record[index] ?? '']))
  }
}

/** Exports prefix cells that a spreadsheet would run as a formula with an apostrophe. This removes it. */
export const removeFormulaGuard = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)
