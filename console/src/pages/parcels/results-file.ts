import { parseCsv } from '../../../../src/resources/bulk/csv/parse.ts'
import type { Result } from '../../../../src/resources/parcels/states.ts'
import { encodingOf, textOf } from '../../components/read-text.ts'

export const MAX_BYTES = 10 * 1024 ** 2
export const MAX_ROWS = 20_000

export interface ResultFile {
  name: string
  headers: readonly string[]
  rows: readonly (readonly string[])[]
}

/** Undefined if it has too many rows. */
export const readResultFile = async (file: File): Promise<ResultFile | undefined> => {
  const rows: string[][] = []
  for await (const cells of parseCsv(textOf(file, await encodingOf(file)))) {
    rows.push(cells.map((cell) => cell.trim()))
    if (rows.length > MAX_ROWS + 1) return undefined
  }
  const [headers = [], ...rest] = rows
  return { name: file.name, headers, rows: rest }
}

/** Without case and accents. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()

const NUMBER = /track|awb|waybill|suivi|colis|bordereau|code.?barre|barcode|parcel|shipment|تتبع|بوليصة|شحنة/
const RESULT = /status|statut|etat|state|result|situation|حالة|نتيجة/

/** The place of the column that a header names, or -1. «Parcel status» names no number. */
export const columnOf = (headers: readonly string[], kind: 'number' | 'result') => {
  const names = headers.map(plain)
  const isResult = (name: string) => RESULT.test(name)
  if (kind === 'result') return names.findIndex(isResult)
  const found = names.findIndex((name) => NUMBER.test(name) && !isResult(name))
  return found < 0 ? names.findIndex((name) => NUMBER.test(name)) : found
}

/** What carriers write, the first that fits. «Not delivered» means nothing that could be recorded. */
const MEANINGS: readonly [RegExp, Result | undefined][] = [
  [/\b(not|non|pas|undelivered|unable|echec|failed|to be|tentative|attempt)\b/, undefined],
  [/(^|\s)(لم|لا|غير|عدم|تعذر|فشل|فشلت|محاولة)(\s|$)/, undefined],
  [/\breturned\b|retourne|retour (livre|recu)|\brts\b|تم الارجاع|رجعت|مرتجع/, 'returned'],
  [/retour|return|refus|reject|رفض|رجوع|ارجاع|راجع/, 'returning'],
  [/\blivree?s?\b|delivered|remise? au client/, 'delivered'],
  [/(^|\s)(تم (ال)?(تسليم|توصيل)|(م|تم )?سلم(ت|ة)?)|^(ال)?تسليم$/, 'delivered'],
  [/expedi|shipped|transit|en cours|out for|pick|ramass|شحن|طريق|جاري|خرج|قيد/, 'shipped'],
]

export const meaningOf = (text: string): Result | undefined => MEANINGS.find(([words]) => words.test(plain(text)))?.[1]

/** The different texts of a column, the most frequent first, and how often each occurs. */
export const textsOf = ({ rows }: ResultFile, column: number): [text: string, rows: number][] => {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const text = row[column]
    if (text) counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return [...counts].toSorted(([, one], [, other]) => other - one).slice(0, 100)
}

export interface Line {
  /** As a spreadsheet counts: the header is row 1. */
  row: number
  tracking_number: string
  result: Result
}

export interface Chosen {
  number: number
  result: number
  meanings: ReadonlyMap<string, Result | ''>
}

/** The lines to send, and the rows that contradict an earlier one. A number that says the same twice is sent once. */
export const linesOf = ({ rows }: ResultFile, { number, result, meanings }: Chosen) => {
  const lines = new Map<string, Line>()
  const contrary: Line[] = []
  for (const [place, cells] of rows.entries()) {
    const tracking_number = cells[number]
    const meaning = meanings.get(cells[result] ?? '')
    if (!tracking_number || !meaning) continue
    const line = { row: place + 2, tracking_number, result: meaning }
    const earlier = lines.get(tracking_number.toUpperCase())
    if (!earlier) lines.set(tracking_number.toUpperCase(), line)
    else if (earlier.result !== meaning) contrary.push(line)
  }
  return { lines: [...lines.values()], contrary }
}
