/** In bytes, of the text of one result. */
export const MAX_RESULT_BYTES = 25_000

/**
 * Characters that show nothing, or change what is shown around them: control characters other than tab and newline,
 * marks that turn the direction of text around, and tags, with which text can be hidden from people.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed.
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u202A-\u202E\u2066-\u2069\uFEFF]|\u{E0001}|[\u{E0020}-\u{E007F}]/gu

const clean = (text: string) => text.toWellFormed().replace(INVISIBLE, '')

const cleanAll = (value: unknown): unknown => {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map(cleanAll)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [clean(key), cleanAll(inner)]))
}

/** A result as JSON. All that was stored by people is inside of its strings. */
export const resultText = (value: unknown): string => JSON.stringify(cleanAll(value))

export const sizeOf = (value: unknown): number => Buffer.byteLength(resultText(value))
