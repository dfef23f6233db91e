import { bytesOf } from './multipart-body.ts'

type CsvSource = string | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>

/** The records of CSV text (RFC 4180) as it arrives, in pieces cut anywhere. */
async function* records(pieces: AsyncIterable<string>): AsyncGenerator<string[]> {
  let record: string[] = []
  let cell = ''
  let quoted = false
  /** A quote was seen in a quoted cell: it ends the cell, unless another follows. */
  let quote = false
  /** A CR was seen outside quotes: with the LF that may follow it is one line end. */
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

/** The rows of a CSV, each by the names of its heading. Holds one row at a time, however long the file is. */
export async function* parseCsv(source: CsvSource): AsyncGenerator<Record<string, string>, void> {
  let heading: string[] | undefined
  for await (const record of records(decoded(source))) {
    if (!heading) heading = record
    else yield Object.fromEntries(heading.map((name, index) => [name, record[index] ?? '']))
  }
}

/** Exports put an apostrophe before what a spreadsheet would take for a formula; programs want the text itself. */
export const removeFormulaGuard = (cell: string) => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)
