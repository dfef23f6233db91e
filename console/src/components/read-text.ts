import { UnclosedQuote } from '../../../src/resources/bulk/csv/parse.ts'
import type { useCsvWords } from './csv-words.ts'

const HEAD_BYTES = 65_536

/** In Arabic, letters beyond ASCII stand side by side; in a Latin alphabet, alone between others. */
const isArabic = (bytes: Uint8Array) => {
  const beyond = bytes.filter((byte) => byte >= 0x80).length
  const sideBySide = bytes.filter((byte, place) => byte >= 0x80 && (bytes[place + 1] ?? 0) >= 0x80).length
  return sideBySide * 2 > beyond
}

/** Old versions of Excel save in the alphabet of their language, «Unicode text» in UTF-16. */
export const encodingOf = async (file: File) => {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    // A character may be cut at the end of the piece: then `stream` waits for the rest.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return 'utf-8'
  } catch {
    return isArabic(bytes) ? 'windows-1256' : 'windows-1252'
  }
}

/** The first bytes of an .xlsx or an .ods, and of an .xls. */
const SPREADSHEETS = ['504b0304', 'd0cf11e0']

const isSpreadsheet = async (file: File) => {
  const bytes = new Uint8Array(await file.slice(0, 4).arrayBuffer())
  return SPREADSHEETS.includes([...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
}

/** Reads a CSV, and says in the language of the page what is wrong with the whole file. */
export const reading = async <T>(file: File, words: ReturnType<typeof useCsvWords>, read: () => Promise<T>) => {
  if (await isSpreadsheet(file)) throw new Error(words.spreadsheet)
  return read().catch((error) => {
    throw error instanceof UnclosedQuote ? new Error(words.unclosed(String(error.row))) : error
  })
}

export async function* textOf(file: File, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  const reader = file.stream().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    yield decoder.decode(next.value, { stream: true })
  yield decoder.decode()
}
