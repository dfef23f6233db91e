import type { CountryCode } from 'libphonenumber-js/min'
import { plainPhone } from '../../core/input/phone.ts'

/** A phone number in E.164, or null. Without a country code, it is one of `country`. */
export const phoneNumber = async (text: string, country: string | null): Promise<string | null> => {
  if (text.length < 3) return null
  // Nearly a hundred modules, which only orders need.
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min')
  // Outside its country, 00 is how most of the world writes +.
  const international = plainPhone(text).replace(/^\s*00(?=[1-9])/, '+')
  const found = parsePhoneNumberFromString(international, country === null ? undefined : (country as CountryCode))
  return found?.isValid() ? found.number : null
}
