import fc from 'fast-check'
import type { JsonSchema } from '../../src/core/input/validation-messages.ts'

/** Ids for a field of that name, mostly valid ones. */
export type Ids = (name: string) => fc.Arbitrary<string>

/** Values that have broken servers before. */
const odd = fc.constantFrom<unknown>(
  null,
  '',
  ' ',
  0,
  -0,
  -1,
  1.5,
  1e21,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  5e-324,
  true,
  [],
  {},
  [[]],
  [null],
  { id: null },
  '\0',
  '\ud800',
  '\u202e',
  '🫖'.repeat(300),
  'x'.repeat(70_000),
  "'; drop table orders; --",
  '{"a":1}',
  'NaN',
  '2026-13-45',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '__proto__',
  '../../etc/passwd',
  '=cmd()',
)

export const anything = fc.oneof(odd, odd, fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary' }))

const DATES = /^(updated_)?(from|to)$|_at$/

const text = ({ format, pattern, minLength = 0, maxLength = 40 }: JsonSchema, ids: Ids, name: string) => {
  if (format === 'uuid' || name === 'shipping_carrier') return ids(name)
  if (DATES.test(name)) return fc.constantFrom('2026-01-31', '1700000000', '2020-02-29T12:00:00Z')
  if (name === 'country_id' || name === 'country') return fc.constantFrom('TN', 'FR', 'JP')
  if (/email/.test(name)) return fc.emailAddress({ size: 'small' })
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  // Its pattern looks ahead, which cannot be generated from.
  if (name === 'tracking_url')
    return fc.oneof(
      fc.constantFrom('https://a.example/{tracking_number}', 'http://b.example/?n={tracking_number}&x'),
      fc.string(),
    )
  if (pattern) return fc.oneof(fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' }), fc.string())
  const most = Math.max(minLength, Math.min(maxLength, 40))
  return fc.oneof(
    fc.string({ minLength, maxLength: most, unit: 'grapheme' }),
    fc.constantFrom('https://shop.example/a', 'mug', 'a@b.example', 'مرحبا'),
    ids(name),
  )
}

const number = ({ minimum = -1_000, maximum = 1_000_000 }: JsonSchema) =>
  fc.oneof(
    fc.integer({ min: Math.ceil(minimum), max: Math.min(Math.floor(maximum), Math.ceil(minimum) + 50) }),
    fc.constantFrom(minimum, maximum),
  )

const object = (
  { properties = {}, required = [] }: JsonSchema,
  inner: (shape: JsonSchema, name: string) => fc.Arbitrary<unknown>,
) => {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, inner(shape, name)]))
  if (Object.keys(fields).length === 0) return fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 })
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) })
}

const sound = (
  shape: JsonSchema,
  ids: Ids,
  name: string,
  inner: (shape: JsonSchema, name: string) => fc.Arbitrary<unknown>,
) => {
  if (shape.anyOf) return fc.oneof(...shape.anyOf.map((option) => inner(option, name)))
  if (shape.enum) return fc.constantFrom(...shape.enum)
  if (shape.const !== undefined) return fc.constant(shape.const)
  switch (shape.type) {
    case 'string':
      return text(shape, ids, name)
    case 'integer':
      return number(shape)
    case 'number':
      return fc.oneof(number(shape), fc.constantFrom(0.001, 12.345, 99.9))
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return fc.array(inner(shape.items ?? {}, name), { minLength: shape.minItems ?? 0, maxLength: 3 })
    case 'object':
      return object(shape, inner)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

/** Values that fit the schema of a field; with `broken`, parts of them do not. */
export const arbitraryFor = (shape: JsonSchema, ids: Ids, broken: boolean, name = ''): fc.Arbitrary<unknown> => {
  const inner = (shape: JsonSchema, name: string) => arbitraryFor(shape, ids, broken, name)
  const fit = sound(shape, ids, name, inner)
  return broken ? fc.oneof({ weight: 9, arbitrary: fit }, { weight: 1, arbitrary: anything }) : fit
}
