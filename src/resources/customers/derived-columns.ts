import { emailKey } from '../../core/input/email.ts'
import { foldText } from '../../core/input/normalize-text.ts'
import { phoneDigits } from '../../core/input/phone.ts'
import { buildSearchText } from '../../core/reading/search-text.ts'

export interface CustomerFields {
  email: string
  name: string
  phone: string | null
  address: string | null
  city: string | null
  postal_code: string | null
}

// Limits indexed keys: one letter may fold to eighteen, and PostgreSQL limits the size of an index entry.
const MAX_KEY_LETTERS = 100

const sortKey = (text: string | null) => [...foldText(text ?? '').trim()].slice(0, MAX_KEY_LETTERS).join('') || null

/** Sort and search columns, derived from the customer's fields. Every write of those fields must write these too. */
export const derivedColumns = (customer: CustomerFields) => ({
  email_key: emailKey(customer.email),
  name_key: sortKey(customer.name),
  phone_digits: phoneDigits(customer.phone),
  address_key: sortKey(customer.address),
  city_key: sortKey(customer.city),
  postal_code_key: sortKey(customer.postal_code),
  search: buildSearchText(
    [customer.name, customer.email, customer.address, customer.city, customer.postal_code],
    [customer.phone],
  ),
})
