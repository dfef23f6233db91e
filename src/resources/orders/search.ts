import { foldForSearch } from '../../core/input/normalize-text.ts'
import {
  buildSearchText,
  encodedPattern,
  encodePhoneDigits,
  searchPatterns,
  textPattern,
} from '../../core/reading/search-text.ts'

export interface SearchableOrder {
  id: string
  ref: string
  customer_first_name: string
  customer_last_name: string
  customer_email: string
  customer_phone: string
  customer_address: string
  customer_city: string
  customer_state: string
  customer_postal_code: string
}

const MIN_ID_LENGTH = 6
const CAPITALS = 'ABCDEFGHIJKLMNOP'

/** Hexadecimal digits as capital letters, which folded text never contains: a search for "Ada" must not match an id. */
const encodeId = (id: string) =>
  [...id.toLowerCase().replaceAll('-', '')].map((digit) => CAPITALS[Number.parseInt(digit, 16)]).join('')

/** The searchable text of one order. */
export const orderSearchText = (order: SearchableOrder) => {
  const fields = [
    order.ref,
    `${order.customer_first_name} ${order.customer_last_name}`,
    order.customer_email,
    order.customer_address,
    order.customer_city,
    order.customer_state,
    order.customer_postal_code,
  ]
  return ` ${buildSearchText(fields, [order.customer_phone])}${encodeId(order.id)}`
}

const phoneStart = (text: string) => (/^\d+$/.test(text) ? [encodedPattern(` ${encodePhoneDigits(text)}`)] : [])

/**
 * LIKE patterns for orderSearchText(); any match is a hit. Trigrams cannot find one or two characters, except at the
 * start of a word, so a short search matches only there.
 */
export const orderSearchPatterns = (search: string): string[] => {
  const text = foldForSearch(search).replace(/\s+/g, ' ').trim()
  if (text === '') return []
  if ([...text].length < 3)
    return [...[' ', '\n'].map((before) => textPattern(`${before}${text}`)), ...phoneStart(text)]
  const patterns = searchPatterns(search)
  const isId = /^[0-9a-f-]+$/i.test(text) && text.replaceAll('-', '').length >= MIN_ID_LENGTH
  return isId ? [...patterns, encodedPattern(encodeId(text))] : patterns
}
