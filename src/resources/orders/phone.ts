import type { CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/min'
import { plainPhone } from '../../core/input/phone.ts'

type Parse = typeof parsePhoneNumberFromString
let parse: Parse | undefined

/** Nearly a hundred modules, which only orders need. */
const loadParser = async () => {
  parse = (await import('libphonenumber-js/min')).parsePhoneNumberFromString
  return parse
}

/** A phone number in E.164, or null. Without a country code, it is one of `country`. */
export const phoneNumber = async (text: string, country: string | null): Promise<string | null> => {
  if (text.length < 3) return null
  // Outside its country, 00 is how most of the world writes +.
  const international = plainPhone(text).replace(/^\s*00(?=[1-9])/, '+')
  const found = (parse ?? (await loadParser()))(international, country === null ? undefined : (country as CountryCode))
  return found?.isValid() ? found.number : null
}
