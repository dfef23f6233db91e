/** Cells of a spreadsheet: lines and tabs. A cell in quotes may have both in it. */
export const parseCells = (text: string): string[][] => {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\n|\r|$)/gy
  for (let match = cell.exec(text); match; match = cell.exec(text)) {
    const [, quoted, plain = '', end] = match
    rows.at(-1)?.push((quoted?.replaceAll('""', '"') ?? plain).trim())
    if (end === '' || cell.lastIndex >= text.length) break
    if (end !== '\t') rows.push([])
  }
  return rows
}
