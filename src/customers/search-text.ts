import { fold } from '../text.ts'
import { phoneDigits, phoneSearch } from './phone.ts'

type Field = string | null | undefined

const tidy = (text: string) => fold(text).replace(/\s+/g, ' ').trim()

/**
 * What search looks through, for one column with a trigram index: the folded fields on lines of their own, so that
 * nothing is found across two of them, then the phone numbers between tabs.
 */
export const searchText = (fields: Field[], phones: Field[]) => {
  const lines = fields.map((field) => tidy(field ?? '')).filter((field) => field !== '')
  const numbers = phones.map(phoneDigits).filter((number) => number !== null)
  return `${lines.join('\n')}\n\t ${numbers.join(' ')} \t`
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** LIKE patterns over searchText(), any of which is a hit. */
export const searchPatterns = (search: string): string[] => {
  const text = tidy(search)
  if (text === '') return ['%']
  const phone = phoneSearch(search)
  const inPhones = (part: string) => `%\t%${part}%\t%`
  return [
    `%${escapeLike(text)}%`,
    ...(phone?.anywhere ?? []).map(inPhones),
    ...(phone?.start ?? []).map((number) => inPhones(` ${number}`)),
    ...(phone?.whole ?? []).map((number) => inPhones(` ${number} `)),
  ]
}
