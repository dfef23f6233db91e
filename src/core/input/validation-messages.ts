/** The parts of JSON Schema that this service uses. */
export interface JsonSchema {
  type?: string
  enum?: string[]
  const?: unknown
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  decimals?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  patternProperties?: Record<string, JsonSchema>
  required?: string[]
  anyOf?: JsonSchema[]
  default?: unknown
  /** Maximum size of an object as JSON. */
  maxBytes?: number
  /** On a body: null for an optional, non-nullable field means that the field is not set. */
  nullMeansAbsent?: boolean
  /** On a query parameter with upper-case values: accepts lower case. */
  anyCase?: boolean
  /** Text that refers to another resource, although its format is not checked. */
  identifies?: boolean
  /** Text that must not be normalised, such as a secret. */
  verbatim?: boolean
  /** Replaces the generated message. */
  errorMessage?: string
}

const FORMATS: Record<string, string> = {
  uuid: 'a UUID',
  email: 'an email address',
  'date-time': 'an ISO 8601 date-time',
  'date-bound': 'an ISO 8601 date or date-time, or Unix time in seconds (9 to 11 digits) or milliseconds (13 digits)',
  uri: 'a web address',
}

const bounds = (min: number | undefined, max: number | undefined) => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max !== undefined ? ` of at most ${max}` : ''
}

const lengths = (min: number | undefined, max: number | undefined, unit: string) => {
  if (min !== undefined && max !== undefined) return ` of ${min} to ${max} ${unit}`
  if (min !== undefined) return ` of at least ${min} ${unit}`
  return max !== undefined ? ` of at most ${max} ${unit}` : ''
}

const noun = (shape: JsonSchema): string => {
  if (shape.enum) return `one of ${shape.enum.join(', ')}`
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.anyOf) return shape.anyOf.map(noun).join(' or ')
  switch (shape.type) {
    case 'string':
      return (
        (shape.format && FORMATS[shape.format]) ?? `a string${lengths(shape.minLength, shape.maxLength, 'characters')}`
      )
    case 'integer':
      return `a whole number${bounds(shape.minimum, shape.maximum)}`
    case 'number':
      return `a number${bounds(shape.minimum, shape.maximum)}${shape.decimals === undefined ? '' : ` with at most ${shape.decimals} decimals`}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `a list${lengths(shape.minItems, shape.maxItems, 'entries')}`
    default:
      return `an object${shape.maxBytes === undefined ? '' : ` of at most ${shape.maxBytes / 1024} kB as JSON`}`
  }
}

/** Error message for a value that does not fit the schema. */
export const validationMessage = (shape: JsonSchema) => shape.errorMessage ?? `must be ${noun(shape)}`
