import { Text } from './schemas.ts'

const MAX_LENGTH = 254
/** One address as people have them, in any script; `postmaster@localhost` and quoted names are not among them. */
const PATTERN =
  '^(?=[^@]{1,64}@)[^\\p{C}\\p{Z}@"(),:;<>\\[\\]\\\\.]+(\\.[^\\p{C}\\p{Z}@"(),:;<>\\[\\]\\\\.]+)*' +
  '@((?!-)[\\p{L}\\p{M}\\p{N}-]{1,63}(?<!-)\\.)+(?!-)[\\p{L}\\p{M}\\p{N}-]{2,63}(?<!-)$'
const email = new RegExp(PATTERN, 'u')

export const Email = Text(MAX_LENGTH, { pattern: PATTERN, errorMessage: 'must be an email address' })

export const isEmail = (text: string) => text.length <= MAX_LENGTH && email.test(text)

/** What emails are compared by: the same mailbox however it is capitalised. */
export const emailKey = (email: string) => email.normalize('NFC').trim().toLowerCase()
