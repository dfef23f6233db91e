export type Json = Record<string, unknown>

/** Internal keywords, which are not published. */
const INTERNAL_KEYWORDS = new Set([
  'anyCase',
  'decimals',
  'identifies',
  'maxBytes',
  'nullMeansAbsent',
  'errorMessage',
  'verbatim',
])

/** Appends the accepted date formats to a description. */
export const dateBound = ({ description }: Json) =>
  `${description} An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits).`

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Tools that compile patterns without the `u` flag misread `\p{…}`, so a description replaces such a pattern. */
const describePattern = ({ pattern, errorMessage, description, ...shape }: Json): Json => ({
  ...shape,
  description: [description, errorMessage && `${capital(String(errorMessage))}.`].filter(Boolean).join(' '),
})

const portable = (shape: Json): Json => {
  if (typeof shape.pattern === 'string' && shape.pattern.includes('\\p{')) return describePattern(shape)
  const { format, ...rest } = shape
  return format === 'date-bound' ? { ...rest, type: ['string', 'integer'], description: dateBound(shape) } : shape
}

/** Schemas for the document: references become components, and internal keywords are removed. */
export const publishedSchema = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(publishedSchema)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(portable(value))
      .filter(([key]) => !INTERNAL_KEYWORDS.has(key))
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? `#/components/schemas/${inner}` : publishedSchema(inner),
      ]),
  )
}

/** Adds to each field its value in the example. */
export const withExamples = (shape: Json, example: unknown): Json => {
  if (example === undefined || example === null || '$ref' in shape) return shape
  if (isObject(shape.properties) && isObject(example)) {
    const fields = Object.entries(shape.properties as Record<string, Json>)
    return {
      ...shape,
      properties: Object.fromEntries(fields.map(([name, field]) => [name, withExamples(field, example[name])])),
    }
  }
  if (Array.isArray(example))
    return isObject(shape.items) ? { ...shape, items: withExamples(shape.items, example[0]) } : shape
  return isObject(example) ? shape : { ...shape, examples: [example] }
}
