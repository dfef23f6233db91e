import type { ValidationErrors } from '../errors.ts'
import type { JsonSchema } from './validation-messages.ts'

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/
const BOOLEANS: Record<string, boolean> = { true: true, false: false, '1': true, '0': false }

/** The text of one parameter as its shape has it; what does not fit stays text and is refused by the shape. */
const readOne = (shape: JsonSchema, text: string): unknown => {
  switch (shape.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text
    case 'boolean':
      return BOOLEANS[text] ?? text
    default:
      return shape.anyCase ? text.toUpperCase() : text
  }
}

const asList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)])

/** `k[]`, `k[0]` and `k[17]` are how one program or another writes a list of `k`. */
const nameOf = (key: string) => key.replace(/\[\d*\]$/, '')

/** What is left of a name when case, separators and an index are taken for typing mistakes. */
const sketch = (name: string) => name.replace(/\[.*$/s, '').replace(/[-_]/g, '').toLowerCase()

/** A filter that is ignored makes an answer larger, not smaller: what was nearly given is refused, with the right name. */
const refuseMisspelt = (unknown: Iterable<string>, known: string[], errors: ValidationErrors) => {
  for (const name of unknown) {
    const meant = known.find((right) => sketch(right) === sketch(name))
    if (meant) errors.add(name, `must be written ${meant}`)
  }
}

/**
 * The query string as the schema describes it: numbers, booleans and lists instead of text, defaults filled in,
 * an empty parameter counting as one not given.
 */
export const parseQuery = (schema: JsonSchema, raw: Record<string, unknown>, errors: ValidationErrors) => {
  const { properties = {} } = schema
  const query: Record<string, unknown> = {}
  const given = new Map<string, string[]>()
  for (const [key, value] of Object.entries(raw)) {
    const name = Object.hasOwn(properties, nameOf(key)) ? nameOf(key) : key
    const texts = given.get(name)
    if (texts) texts.push(...asList(value))
    else given.set(name, asList(value))
  }
  for (const [name, shape] of Object.entries(properties)) {
    const texts = given.get(name)?.filter((text) => text !== '') ?? []
    given.delete(name)
    if (texts.length === 0) {
      if (shape.default !== undefined) query[name] = shape.default
    } else if (shape.type === 'array') {
      const items = texts.flatMap((text) => text.split(',')).filter((text) => text !== '')
      query[name] = items.map((text) => readOne(shape.items ?? {}, text.trim()))
    } else if (texts.length > 1) {
      errors.add(name, 'must be given once')
      query[name] = shape.default
    } else {
      query[name] = readOne(shape, texts[0] as string)
    }
  }
  refuseMisspelt(given.keys(), Object.keys(properties), errors)
  // What the schema does not know stays, for the checker to name.
  for (const name of [...given.keys()].map(nameOf)) if (!Object.hasOwn(query, name)) query[name] = ''
  return query
}
