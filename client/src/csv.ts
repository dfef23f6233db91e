import { chunksOf } from './multipart-body.ts'

type Chunk = string | Uint8Array
/** A text, or a stream of bytes or of text. */
type CsvSource = string | ReadableStream<Chunk> | AsyncIterable<Chunk>

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

async function* justText(text: string) {
  yield text
}

/** Decodes the chunks and removes a byte order mark at the start. */
async function* decoded(source: CsvSource): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let started = false
  const chunks: AsyncIterable<Chunk> = typeof source === 'string' ? justText(source) : chunksOf<Chunk>(source)
  for await (const chunk of chunks) {
    const text = typeof chunk === 'string' ? decoder.decode() + chunk : decoder.decode(chunk, { stream: true })
    if (text === '') continue
    yield started ? text : text.replace(/^\uFEFF/, '')
    started = true
  }
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
