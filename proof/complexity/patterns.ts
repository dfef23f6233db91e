/** What makes a careless pattern or loop slow: repeated, and with an end that does not fit. As JSON of about so many bytes. */

const REPEATED: Record<string, string> = {
  digits: '1',
  zeros: '0',
  letters: 'a',
  blanks: ' ',
  lines: '\n',
  quotes: '"',
  backslashes: '\\',
  braces: '{',
  brackets: '[',
  commas: ',',
  slashes: '/',
  points: '.',
  'at signs': '@',
  labels: 'a.',
  dashes: '-a',
  entities: '&amp;',
  tags: '<a ',
  marks: '\u0301',
  'Arabic letters': 'ع',
  surrogates: '😀',
}

/** So many characters of text, by the name of the pattern. */
export const texts = (length: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries(REPEATED).map(([name, part]) => [name, `${part.repeat(Math.ceil(length / part.length))}!`]),
  )

const list = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join()

/** Values other than texts. */
const values = (bytes: number): Record<string, string> => ({
  'a long number': `1${'0'.repeat(bytes)}1`,
  'a long fraction': `0.${'0'.repeat(bytes)}1`,
  numbers: `[${list(bytes / 6, (n) => String(10_000 + (n % 90_000)))}]`,
  'a list of texts': `[${list(bytes / 8, (n) => `"t${n % 10_000}"`)}]`,
  'a list of objects': `[${list(bytes / 10, (n) => `{"id":${n % 10}}`)}]`,
  keys: `{${list(bytes / 12, (n) => `"key${n}":1`)}}`,
  nesting: '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
})

const jsonTexts = (bytes: number): Record<string, string> =>
  Object.fromEntries(
    Object.entries(REPEATED).map(([name, part]) => {
      const quoted = JSON.stringify(part).slice(1, -1)
      return [name, `"${quoted.repeat(Math.ceil(bytes / Buffer.byteLength(quoted)))}!"`]
    }),
  )

export const jsonValues = (bytes: number): Record<string, string> => ({
  ...jsonTexts(bytes),
  ...values(Math.floor(bytes)),
})
