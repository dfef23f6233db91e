export type Json = Record<string, unknown>

/** Keywords of our own, which mean nothing to others. */
const OWN = new Set(['anyCase', 'decimals', 'identifies', 'maxBytes', 'nullMeansAbsent', 'errorMessage', 'verbatim'])

/** What a date of ours may be, behind what it means where it stands. */
export const dateBound = ({ description }: Json) =>
  `${description} An ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits).`

const isObject = (value: unknown): value is Json => value !== null && typeof value === 'object' && !Array.isArray(value)

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Tools that compile a pattern over all scripts without the `u` flag read something else: they get the words alone. */
const inWords = ({ pattern, errorMessage, description, ...shape }: Json): Json => ({
  ...shape,
  description: [description, errorMessage && `${capital(String(errorMessage))}.`].filter(Boolean).join(' '),
})

const understood = (shape: Json): Json => {
  if (typeof shape.pattern === 'string' && shape.pattern.includes('\\p{')) return inWords(shape)
  const { format, ...rest } = shape
  return format === 'date-bound' ? { ...rest, type: ['string', 'integer'], description: dateBound(shape) } : shape
}

/** Our shapes as the document has them: references resolved to components, our own keywords left out. */
export const publishedSchema = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(publishedSchema)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(understood(value))
      .filter(([key]) => !OWN.has(key))
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string' ? `#/components/schemas/${inner}` : publishedSchema(inner),
      ]),
  )
}

/** Each field with the value it has in the example. */
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
