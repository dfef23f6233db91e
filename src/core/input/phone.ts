import { normalizeText } from './normalize-text.ts'

const isDigit = (code: number) => /\p{Nd}/u.test(String.fromCodePoint(code))

/** Value of a decimal digit of any script. Unicode lists the ten digits of a script consecutively. */
const digitValue = (digit: string) => {
  const code = digit.codePointAt(0) as number
  let first = code
  while (isDigit(first - 1)) first--
  return String((code - first) % 10)
}

/**
 * A phone number with ASCII digits and punctuation, whatever script it is written in. What is copied from a list of contacts has
 * marks of direction around it, which nobody sees.
 */
export const plainPhone = (phone: string) =>
  normalizeText(phone, 'NFKD')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, (digit) => (digit < ':' ? digit : digitValue(digit)))

const digits = (text: string) => plainPhone(text).replace(/\(\s*0\s*\)|\D/g, '')

const withoutLeadingZeros = (number: string) => number.replace(/^0+(?=\d)/, '')

/**
 * Digits of a phone number for comparison: without spacing, without the leading 00 or 0, and without the (0) of "+33
 * (0)6".
 */
export const phoneDigits = (phone: string | null | undefined): string | null =>
  withoutLeadingZeros(digits(phone ?? '')) || null

const PHONE = /^[\d\s+()./\p{Pd}]*$/u
const MIN_NATIONAL = 6
const MIN_INTERNATIONAL = 9
const MAX_COUNTRY_CODE = 4

interface PhoneSearch {
  /** Match anywhere in a number. */
  anywhere: string[]
  /** Match the start of a number. */
  start: string[]
  /** Match a whole number. */
  whole: string[]
}

/** How to search for a typed number, which may have a country code and may be incomplete. */
export const phoneSearch = (text: string): PhoneSearch | undefined => {
  const typed = PHONE.test(plainPhone(text)) ? digits(text) : ''
  if (typed === '') return undefined
  const number = withoutLeadingZeros(typed)
  const search: PhoneSearch = { anywhere: [typed], start: [], whole: [] }
  if (number !== typed) (number.length < MIN_NATIONAL ? search.start : search.anywhere).push(number)
  // The number may be stored without the country code that was typed. The code may have 1 to 4 digits; the rest must
  // match a whole number.
  for (let code = 1; number.length >= MIN_INTERNATIONAL && code <= MAX_COUNTRY_CODE; code++) {
    const national = withoutLeadingZeros(number.slice(code))
    if (national.length >= MIN_NATIONAL) search.whole.push(national)
  }
  return search
}
