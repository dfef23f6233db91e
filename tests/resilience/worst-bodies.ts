import type { JsonSchema } from '../../src/core/input/validation-messages.ts'

const MAX_BYTES = 4 * 1024 * 1024 - 1024
/** Leaves room for the rest of the body. */
const MAX_VALUES = 195_000
const MAX_KEYS = 19_000

const list = (count: number, item: (n: number) => string) => Array.from({ length: count }, (_, n) => item(n)).join()
const keys = (count: number, value = '1') => list(count, (n) => `"k${n}":${value}`)
const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / Buffer.byteLength(text)))

/** The most expensive JSON values for the parser, by name; each as large as a body may be. */
const hostileValues = (bytes: number): Record<string, string> => ({
  'many keys': `{${keys(Math.min(MAX_KEYS, bytes / 12))}}`,
  'objects of many keys alike': `[${list(Math.floor(Math.min(MAX_VALUES, bytes / 8) / 100), () => `{${keys(99)}}`)}]`,
  'many values': `[${list(Math.min(MAX_VALUES, bytes / 20), (n) => `0.12345678901234${n % 10}`)}]`,
  'many long numbers': `[${list(Math.min(MAX_VALUES, bytes / 24), (n) => `1234567890123456${n % 10}000`)}]`,
  'many exponents': `[${list(Math.min(MAX_VALUES, bytes / 20), (n) => `1.2345${n % 10}e-12`)}]`,
  'many texts': `[${list(Math.min(MAX_VALUES, bytes / 12), (n) => `"t${n}"`)}]`,
  'many empty objects': `[${list(Math.min(MAX_VALUES, bytes / 4), () => '{}')}]`,
  'deep lists': `[${list(Math.min(MAX_VALUES / 60, bytes / 130), () => '['.repeat(60) + ']'.repeat(60))}]`,
  'one long number': `1${fill('0', bytes)}1`,
  'a long text': `"${fill('a', bytes)}"`,
  'combining marks': `"a${fill('\u0334\u0301', bytes)}"`,
  'short runs of marks': `"${fill(`a${'\u0334\u0301'.repeat(15)}`, bytes)}"`,
  escapes: `"${fill('\\n', bytes)}"`,
  quotes: `"${fill('\\"', bytes)}"`,
  'code points': `"${fill('\\u0301', bytes)}"`,
  blanks: `${fill(' ', bytes)}1`,
  'Arabic text': `"${fill('السلام عليكم ', bytes)}"`,
})

const broken = (bytes: number): Record<string, string> => ({
  'broken escapes': `{"a":"${fill('\\n', bytes)}`,
  'broken lines': `{"a":${fill('\n', bytes)}`,
  'broken digits': `{"a":-${fill('0', bytes)}`,
  'too many keys': `{${keys(Math.min(190_000, bytes / 16))}}`,
  'a comma too many': `[${list(Math.min(MAX_VALUES, bytes / 20), (n) => `0.12345678901234${n % 10}`)},]`,
  'too many values': `[${list(Math.min(400_000, bytes / 2), () => '0')}]`,
})

/** Bodies for any route: in a field that no route knows, and broken ones. */
export const bodiesForParser = (maxBytes = MAX_BYTES): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(hostileValues(maxBytes)).map(([name, text]) => [name, `{"unknown":${text}}`])),
  ...broken(maxBytes),
})

const shapesOf = (shape: JsonSchema): JsonSchema[] => shape.anyOf ?? [shape]
const shapeFor = (shape: JsonSchema, type: string) => shapesOf(shape).find((each) => each.type === type)

/** As large as the schema allows, within so many values and bytes. */
const largest = (shape: JsonSchema, name: string, budget: { values: number; bytes: number }): unknown => {
  budget.values--
  budget.bytes -= name.length + 16
  const listed = shapeFor(shape, 'array')
  if (listed) {
    const entries: unknown[] = []
    const most = listed.maxItems ?? 1_000
    while (entries.length < most && budget.values > 100 && budget.bytes > 10_000)
      entries.push(largest(listed.items ?? {}, name, budget))
    return entries
  }
  const object = shapeFor(shape, 'object')
  if (object?.properties)
    return Object.fromEntries(
      Object.entries(object.properties)
        .filter(([key]) => key !== '_delete')
        .map(([key, own]) => [key, largest(own, key, budget)]),
    )
  if (object) return Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`k${n}`, 1]))
  const text = shapeFor(shape, 'string')
  if (!text || text.enum) return text?.enum?.[0] ?? shape.minimum ?? 1
  if (text.format === 'uuid') return '00000000-0000-4000-8000-000000000000'
  const length = Math.min(text.maxLength ?? 40, Math.max(0, budget.bytes / 4))
  budget.bytes -= 2 * length
  return 'ع'.repeat(length)
}

/** Bodies for one route: its sample with each field as large as it may be, or larger. */
export const bodiesForSchema = (shape: JsonSchema, sample: object, maxBytes = MAX_BYTES): Record<string, string> => {
  const fields = Object.entries(shape.properties ?? {})
  const share = Math.floor((maxBytes - 10_000) / Math.max(1, fields.length))
  const each = (value: () => string) => `{${fields.map(([name]) => `"${name}":${value()}`)}}`
  const budget = { values: MAX_VALUES / 2, bytes: maxBytes / 2 }
  const whole = Object.fromEntries(fields.map(([name, own]) => [name, largest(own, name, budget)]))
  const marks = (bytes: number) => `"a${fill('\u0334\u0301', bytes)}"`
  const values = Math.floor(MAX_VALUES / Math.max(1, fields.length))
  return {
    'as large as allowed': JSON.stringify({ ...whole, ...sample }),
    'as large as allowed, in every field': JSON.stringify(whole),
    'long texts': each(() => `"${fill('a', share)}"`),
    'combining marks': each(() => marks(share)),
    'lists of texts': each(() => `[${list(Math.min(values, share / 12), (n) => `"t${n % 1000}"`)}]`),
  }
}
