import { CELLS, type VariantCells } from './draft.ts'

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

interface Pasted {
  changes: ReadonlyMap<string, Partial<VariantCells>>
  cells: number
  /** Whether some of it found no place in the grid. */
  beyond: boolean
}

/** What cells of a spreadsheet change when they are pasted at a place of the grid. */
export const pasteAt = (
  rows: readonly (readonly string[])[],
  at: { row: number; cell: number },
  keys: readonly string[],
): Pasted => {
  const changes = new Map<string, Partial<VariantCells>>()
  let cells = 0
  let beyond = false
  for (const [down, texts] of rows.entries()) {
    const key = keys[at.row + down]
    for (const [along, text] of texts.entries()) {
      const cell = CELLS[at.cell + along]
      if (!key || !cell) beyond ||= text !== ''
      else {
        changes.set(key, { ...changes.get(key), [cell]: text })
        cells++
      }
    }
  }
  return { changes, cells, beyond }
}
