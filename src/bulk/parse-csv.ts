/** Parses CSV (RFC 4180) chunk by chunk: quoted cells may contain commas, quotes and line ends. */
export async function* parseCsv(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  /** A quote in a quoted cell: its end, unless another follows. */
  let isQuoteOpen = false
  let isFirst = true
  for await (const chunk of chunks) {
    const text = isFirst ? chunk.replace(/^\uFEFF/, '') : chunk
    isFirst = false
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
      } else if (character === '"' && cell === '') isQuoted = true
      else if (character === ',') {
        row.push(cell)
        cell = ''
      } else if (character === '\n') {
        row.push(cell.replace(/\r$/, ''))
        if (row.length > 1 || row[0] !== '') yield row
        row = []
        cell = ''
      } else cell += character
    }
  }
  row.push(cell.replace(/\r$/, ''))
  if (row.length > 1 || row[0] !== '') yield row
}
