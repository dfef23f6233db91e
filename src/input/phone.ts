const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code))

/** The value of a decimal digit of any script: Unicode lists the ten of each script in a row. */
const digitValue = (digit: string) => {
  const code = digit.codePointAt(0) as number
  let first = code
  while (isDigit(first - 1)) first--
  return String((code - first) % 10)
}

const digits = (text: string) =>
  (text.normalize('NFKD').match(/\p{Nd}/gu) ?? []).map((digit) => (digit < ':' ? digit : digitValue(digit))).join('')

const withoutLeadingZeros = (number: string) => number.replace(/^0+(?=\d)/, '')

/**
 * The digits that tell phones apart, however they were spaced: without the 00 or 0 that is dialled before them,
 * and without the (0) of "+33 (0)6".
 */
export const phoneDigits = (phone: string | null | undefined): string | null =>
  withoutLeadingZeros(digits((phone ?? '').replace(/\(\s*0\s*\)/g, ''))) || null

const PHONE = /^[\p{Nd}\s+()./\p{Pd}]*$/u
const MIN_NATIONAL = 6
const MIN_INTERNATIONAL = 9
const MAX_COUNTRY_CODE = 4

export interface PhoneSearch {
  /** Stand anywhere in a number. */
  anywhere: string[]
  /** Stand at the start of a number. */
  start: string[]
  /** Are a whole number. */
  whole: string[]
}

/** Which numbers someone means who types `text`, with or without a country code, or the beginning of one. */
export const phoneSearch = (text: string): PhoneSearch | undefined => {
  const typed = PHONE.test(text) ? digits(text) : ''
  if (typed === '') return undefined
  const number = withoutLeadingZeros(typed)
  const search: PhoneSearch = { anywhere: [typed], start: [], whole: [] }
  if (number !== typed) (number.length < MIN_NATIONAL ? search.start : search.anywhere).push(number)
  // The number may be known without the country code that was typed; which digits are the code, does not matter,
  // since what follows them must be the whole of what is known.
  for (let code = 1; number.length >= MIN_INTERNATIONAL && code <= MAX_COUNTRY_CODE; code++) {
    const national = withoutLeadingZeros(number.slice(code))
    if (national.length >= MIN_NATIONAL) search.whole.push(national)
  }
  return search
}
