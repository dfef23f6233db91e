import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

type Country = NonNullable<Parameters<typeof parsePhoneNumberFromString>[1]> & string

/** A phone number in E.164, or null. Without a country code, it is one of `country`. */
export const phoneNumber = (text: string, country: string | null): string | null => {
  if (text.length < 3) return null
  // Outside its country, 00 is how most of the world writes +.
  const international = text.replace(/^\s*00(?=[1-9])/, '+')
  const found = parsePhoneNumberFromString(international, country === null ? undefined : (country as Country))
  return found?.isValid() ? found.number : null
}
