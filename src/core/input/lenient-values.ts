import type { JsonSchema } from './validation-messages.ts'

/** Few enough digits to be exact. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/
const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
])

/**
 * Many clients send every value as text, and 0 and 1 for booleans. If the schema wants a number or a boolean,
 * unambiguous values are converted. Everything else is left for the schema to refuse.
 */
export const readLeniently = (shape: JsonSchema, value: unknown): unknown => {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const types = (shape.anyOf ?? [shape]).map(({ type }) => type)
  const numeric = types.includes('number') || types.includes('integer')
  if (typeof value === 'string' && numeric && !types.includes('string') && DECIMAL.test(value)) return Number(value)
  return types.includes('boolean') && !numeric && !types.includes('string') ? (BOOLEANS.get(value) ?? value) : value
}
