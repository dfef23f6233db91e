import { foldForSearch } from '../input/normalize-text.ts'
import { phoneDigits, phoneSearch } from '../input/phone.ts'
import { type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'

type Field = string | null | undefined

const tidy = (text: string) => foldForSearch(text).replace(/\s+/g, ' ').trim()

// Any three digits occur in one phone number out of a hundred, so trigrams of digits are not selective. With one
// character per three digits, a trigram covers five digits.
const FIRST_TRIPLE = 0x4e00
const MIN_ENCODED_DIGITS = 5

const encodeTriplets = (number: string) =>
  Array.from({ length: Math.max(0, number.length - 2) }, (_, at) =>
    String.fromCodePoint(FIRST_TRIPLE + Number(number.slice(at, at + 3))),
  ).join('')

/** Encodes digits as letters, so that they do not share trigrams with digits in other fields. */
const spellDigits = (number: string) => number.replace(/\d/g, (digit) => 'QRSTUVWXYZ'[Number(digit)] as string)

/** Encodes typed digits as buildSearchText encodes phone numbers. */
export const encodePhoneDigits = (digits: string) =>
  digits.length < MIN_ENCODED_DIGITS ? spellDigits(digits) : encodeTriplets(digits)

/**
 * The searchable text of a row, for one column with a trigram index: each folded field on its own line, so that no match
 * spans two fields, then a tab, then the encoded phone numbers.
 */
export const buildSearchText = (fields: Field[], phones: Field[]) => {
  const lines = fields.map((field) => tidy(field ?? '')).filter((field) => field !== '')
  const numbers = phones.map(phoneDigits).filter((number) => number !== null)
  return `${lines.join('\n')}\n\t ${numbers.map((number) => `${spellDigits(number)} ${encodeTriplets(number)} `).join('')}`
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** The characters after the tab: letters for digits, characters for three digits, spaces. */
const ENCODED_CHARACTERS = /^[ A-Z\u4e00-\u51e7]*$/

/** Patterns for the text before the tab, and after it. The tab is part of the pattern only where needed, since it costs time. */
export const textPattern = (part: string) =>
  ENCODED_CHARACTERS.test(part) ? `%${escapeLike(part)}%\t%` : `%${escapeLike(part)}%`
export const encodedPattern = (part: string) => `%\t%${part}%`

/** The longest word before an @. */
const localWord = (pattern: string) => {
  const [local = '', domain] = pattern.split('@')
  const words = domain === undefined ? [] : (local.match(/[\p{L}\p{N}]{3,}/gu) ?? [])
  return words.toSorted((one, other) => other.length - one.length)[0]
}

/**
 * The condition that a column with a trigram index matches the pattern. The trigrams of common email domains are slow to
 * look up and not selective, so only one word is looked up in the index, and its rows are filtered by the whole pattern.
 */
export const likeCondition = ({ bind }: Statement, column: Sql, pattern: string): Sql => {
  const word = localWord(pattern)
  if (word === undefined) return sqlText`${column} like ${bind(pattern)}`
  return sqlText`(${column} like ${bind(`%${word}%`)} and (${column} || '') like ${bind(pattern)})`
}

/** LIKE patterns for buildSearchText(); any match is a hit. */
export const searchPatterns = (search: string): string[] => {
  const text = tidy(search)
  if (text === '') return ['%']
  const phone = phoneSearch(search)
  return [
    textPattern(text),
    ...(phone?.anywhere ?? []).map((number) => encodedPattern(encodePhoneDigits(number))),
    ...(phone?.start ?? []).map((number) => encodedPattern(` ${encodePhoneDigits(number)}`)),
    ...(phone?.whole ?? []).map((number) => encodedPattern(` ${encodePhoneDigits(number)} `)),
  ]
}
