import type { ValidationErrors } from '../../errors.ts'
import type { JsonSchema } from './validation-messages.ts'

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/
const BOOLEANS: Record<string, boolean> = { true: true, false: false, '1': true, '0': false }

/** Converts the text of one parameter to its type. Text that does not fit is left for the schema to refuse. */
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

/** Clients write lists as `k[]`, `k[0]` or `k[17]`. */
const nameOf = (key: string) => key.replace(/\[\d*\]$/, '')

/** The name without case, separators and index, to recognise misspelt parameters. */
const looseName = (name: string) => name.replace(/\[.*$/s, '').replace(/[-_]/g, '').toLowerCase()

/** Refuses misspelt filters and names the right one. An ignored filter would return too many rows. */
const refuseMisspelt = (unknown: Iterable<string>, known: string[], errors: ValidationErrors) => {
  for (const name of unknown) {
    const meant = known.find((right) => looseName(right) === looseName(name))
    if (meant) errors.add(name, `must be written ${meant}`)
  }
}

/**
 * Parses a query string by its schema: converts numbers, booleans and lists, fills in defaults, and ignores empty
 * parameters.
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
    const isList = shape.type === 'array'
    const all = given.get(name) ?? []
    const texts = (isList ? all.flatMap((text) => text.split(',')) : all).filter((text) => text !== '')
    given.delete(name)
    if (texts.length === 0) {
      if (shape.default !== undefined) query[name] = shape.default
    } else if (isList) {
      query[name] = texts.map((text) => readOne(shape.items ?? {}, text.trim()))
    } else if (texts.length > 1) {
      errors.add(name, 'must be given once')
      query[name] = shape.default
    } else {
      query[name] = readOne(shape, texts[0] as string)
    }
  }
  refuseMisspelt(given.keys(), Object.keys(properties), errors)
  // Unknown parameters are kept, so that validation can report them.
  for (const name of [...given.keys()].map(nameOf)) if (!Object.hasOwn(query, name)) query[name] = ''
  return query
}
