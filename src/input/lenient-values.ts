import type { JsonSchema } from './validation-messages.ts'

/** Exact, in few enough digits to stay so. */
const DECIMAL = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/
const BOOLEANS = new Map<unknown, boolean>([
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
])

/**
 * Many clients have text for every value, and 0 and 1 for booleans. Where the shape asks for a number or a boolean, what
 * can mean only one value is read as that; all else stays as it is and is refused by the shape.
 */
export const readLeniently = (shape: JsonSchema, value: unknown): unknown => {
  if (typeof value !== 'string' && typeof value !== 'number') return value
  const types = (shape.anyOf ?? [shape]).map(({ type }) => type)
  const numeric = types.includes('number') || types.includes('integer')
  if (typeof value === 'string' && numeric && !types.includes('string') && DECIMAL.test(value)) return Number(value)
  return types.includes('boolean') && !numeric && !types.includes('string') ? (BOOLEANS.get(value) ?? value) : value
}
