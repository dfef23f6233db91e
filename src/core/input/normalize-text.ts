/** No language needs as many: a syllable of Vietnamese, Thai or pointed Hebrew has up to five. */
export const MAX_MARKS = 30

/** U+FF9E and U+FF9F are letters that become combining marks when they are normalised. */
const MARK = /[\p{M}\uff9e\uff9f]/u

/**
 * By code point: 1 for a combining mark, 2 for another character, 0 if not asked for yet. Further planes have
 * none that are reordered.
 */
const marks = new Uint8Array(0x20000)

const isMark = (code: number) => {
  if (code < 0x300 || code >= marks.length) return false
  marks[code] ||= MARK.test(String.fromCodePoint(code)) ? 1 : 2
  return marks[code] === 1
}

/** Where the first run of too many combining marks starts to be too long, or -1. */
const endOfAllowedMarks = (text: string, from: number) => {
  let run = 0
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    const code = unit >= 0xd800 && unit < 0xdc00 ? (text.codePointAt(at) as number) : unit
    run = isMark(code) ? run + 1 : 0
    if (run > MAX_MARKS) return at
    if (code > 0xffff) at++
  }
  return -1
}

const endOfMarks = (text: string, from: number) => {
  let at = from
  for (let code = text.codePointAt(at); code !== undefined && isMark(code); code = text.codePointAt(at))
    at += code > 0xffff ? 2 : 1
  return at
}

/** Normalising a run of combining marks takes quadratic time, so validation refuses long ones. */
export const hasTooManyMarks = (text: string) => endOfAllowedMarks(text, 0) >= 0

export const TOO_MANY_MARKS = `must not have more than ${MAX_MARKS} combining marks in a row`

/** Leaves out what is beyond the allowed length of a run. */
const limitMarks = (text: string) => {
  let limited = ''
  let from = 0
  for (let end = endOfAllowedMarks(text, 0); end >= 0; end = endOfAllowedMarks(text, from)) {
    limited += text.slice(from, end)
    from = endOfMarks(text, end)
  }
  return limited + text.slice(from)
}

/** Normalises any text in linear time. All code uses this instead of String.normalize. */
export const normalizeText = (text: string, form: 'NFC' | 'NFKD' = 'NFC') => limitMarks(text).normalize(form)

/**
 * Folds text for comparison: no case, accents, Arabic vowel marks or width. Done in Node and stored, so that sorting
 * and searching do not depend on PostgreSQL's locale.
 */
export const foldText = (text: string) =>
  normalizeText(text, 'NFKD')
    .replace(/[\p{M}\u0640]/gu, '')
    .toLowerCase()
    .replace(/[أإآٱ]/g, 'ا')
    .replace(/ى/g, 'ي')
    .replace(/ß/g, 'ss')
    .replace(/œ/g, 'oe')
    .replace(/æ/g, 'ae')
    .replace(/ø/g, 'o')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .normalize('NFC')

/** Characters that keyboards produce for an apostrophe. The full-width one is already folded. */
const APOSTROPHES = /[‘’‛ʼʻ′`]/g

/** Folded text in which all apostrophes are the same. */
export const foldForSearch = (text: string) => foldText(text).replace(APOSTROPHES, "'")

/** Words of any script, folded. */
export const splitWords = (text: string): string[] => foldForSearch(text).match(/[\p{L}\p{N}]+/gu) ?? []

const MAX_SLUG_LENGTH = 120

/** Words joined by hyphens, in their own script. */
export const slugify = (text: string) =>
  splitWords(text)
    .join('-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/(?<!-)-+$/, '')
