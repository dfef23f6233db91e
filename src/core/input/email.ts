import { normalizeText } from './normalize-text.ts'
import { Text } from './schemas.ts'

const MAX_LENGTH = 254
/** An ordinary address in any script; not `postmaster@localhost`, and no quoted local parts. */
const PATTERN =
  '^(?=[^@]{1,64}@)[^\\p{C}\\p{Z}@"(),:;<>\\[\\]\\\\.]+(\\.[^\\p{C}\\p{Z}@"(),:;<>\\[\\]\\\\.]+)*' +
  '@((?!-)[\\p{L}\\p{M}\\p{N}-]{1,63}(?<!-)\\.)+(?!-)[\\p{L}\\p{M}\\p{N}-]{2,63}(?<!-)$'
const email = new RegExp(PATTERN, 'u')

export const Email = Text(MAX_LENGTH, { pattern: PATTERN, errorMessage: 'must be an email address' })

export const isEmail = (text: string) => text.length <= MAX_LENGTH && email.test(text)

/** Emails are compared by this key, which ignores case. */
export const emailKey = (email: string) => normalizeText(email).trim().toLowerCase()
