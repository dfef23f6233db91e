import { foldForSearch } from '../input/normalize-text.ts'
import { phoneDigits, phoneSearch } from '../input/phone.ts'
import { type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'

type Field = string | null | undefined

const tidy = (text: string) => foldForSearch(text).replace(/\s+/g, ' ').trim()

// Any three digits stand in one phone out of a hundred: trigrams of digits find nothing quickly. Where each character
// stands for three digits, a trigram stands for five.
const FIRST_TRIPLE = 0x4e00
const MIN_ENCODED_DIGITS = 5

const encodeTriplets = (number: string) =>
  Array.from({ length: Math.max(0, number.length - 2) }, (_, at) =>
    String.fromCodePoint(FIRST_TRIPLE + Number(number.slice(at, at + 3))),
  ).join('')

/** As letters, so that the digits of other fields have trigrams of their own. */
const spellDigits = (number: string) => number.replace(/\d/g, (digit) => 'QRSTUVWXYZ'[Number(digit)] as string)

/** Some digits as a number that has them is written. */
export const encodePhoneDigits = (digits: string) =>
  digits.length < MIN_ENCODED_DIGITS ? spellDigits(digits) : encodeTriplets(digits)

/**
 * What search looks through, for one column with a trigram index: the folded fields on lines of their own, so that
 * nothing is found across two of them, and behind a tab what is not text, the phone numbers to begin with.
 */
export const buildSearchText = (fields: Field[], phones: Field[]) => {
  const lines = fields.map((field) => tidy(field ?? '')).filter((field) => field !== '')
  const numbers = phones.map(phoneDigits).filter((number) => number !== null)
  return `${lines.join('\n')}\n\t ${numbers.map((number) => `${spellDigits(number)} ${encodeTriplets(number)} `).join('')}`
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** What stands behind the tab: letters for digits, characters for three of them, spaces. */
const ENCODED_CHARACTERS = /^[ A-Z\u4e00-\u51e7]*$/

/** Patterns for what stands before the tab, and behind it. Asked for only where it matters: a tab has to be looked for. */
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
 * The condition that a column with a trigram index fits the pattern. What most emails share takes the index long to look
 * up and tells none apart: it is asked for one word, and the rest is looked for in what has that.
 */
export const likeCondition = ({ bind }: Statement, column: Sql, pattern: string): Sql => {
  const word = localWord(pattern)
  if (word === undefined) return sqlText`${column} like ${bind(pattern)}`
  return sqlText`(${column} like ${bind(`%${word}%`)} and (${column} || '') like ${bind(pattern)})`
}

/** LIKE patterns over searchText(), any of which is a hit. */
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
