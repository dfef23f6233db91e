/** A parsed line, before it is validated. */
export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
