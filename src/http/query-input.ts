import type { Faults } from '../errors.ts'
import type { Shape } from './sentences.ts'

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/
const BOOLEANS: Record<string, boolean> = { true: true, false: false, '1': true, '0': false }

/** The text of one parameter as its shape has it; what does not fit stays text and is refused by the shape. */
const readOne = (shape: Shape, text: string): unknown => {
  switch (shape.type) {
    case 'integer':
    case 'number':
      return NUMBER.test(text) ? Number(text) : text
    case 'boolean':
      return BOOLEANS[text] ?? text
    default:
      return text
  }
}

const asList = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [String(value)])

/**
 * The query string as the schema describes it: numbers, booleans and lists instead of text, defaults filled in,
 * an empty parameter counting as one not given.
 */
export const readQuery = (schema: Shape, raw: Record<string, unknown>, faults: Faults) => {
  const query: Record<string, unknown> = {}
  const given = new Map<string, string[]>()
  for (const [key, value] of Object.entries(raw)) {
    const name = key.endsWith('[]') ? key.slice(0, -2) : key
    given.set(name, [...(given.get(name) ?? []), ...asList(value)])
  }
  for (const [name, shape] of Object.entries(schema.properties ?? {})) {
    const texts = given.get(name)?.filter((text) => text !== '') ?? []
    given.delete(name)
    if (texts.length === 0) {
      if (shape.default !== undefined) query[name] = shape.default
    } else if (shape.type === 'array') {
      const items = texts.flatMap((text) => text.split(',')).filter((text) => text !== '')
      query[name] = items.map((text) => readOne(shape.items ?? {}, text.trim()))
    } else if (texts.length > 1) {
      faults.add(name, 'must be given once')
      query[name] = shape.default
    } else {
      query[name] = readOne(shape, texts[0] as string)
    }
  }
  // What the schema does not know stays, for the checker to name.
  for (const name of given.keys()) query[name] = ''
  return query
}
