import { type Static, type TSchema, Type } from 'typebox'

/** Building blocks of the API's schemas, which drive types, validation and documentation. */

const named = new Map<string, TSchema>()

/** A named schema, which the OpenAPI document refers to by name. */
export const resource = <T extends TSchema>(name: string, schema: T): T => {
  if (named.has(name)) throw new Error(`Two shapes are called ${name}.`)
  named.set(name, schema)
  return schema
}

export const namedSchemas = () => Object.fromEntries(named)

export const ref = <T extends TSchema>(schema: T) => {
  const name = [...named].find(([, known]) => known === schema)?.[0]
  if (!name) throw new Error('ref() takes a shape made by resource().')
  return Type.Unsafe<Static<T>>({ $ref: name })
}

/** Refers to a schema of a slice that imports this one, which would be an import cycle. */
export const refByName = (name: string) => Type.Unsafe<unknown>({ $ref: name })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

export const oneOf = <const T extends string>(values: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options })

export const Uuid = Type.String({ format: 'uuid' })
export const Timestamp = Type.String({ format: 'date-time' })
/** Exact decimal with at most three fraction digits, as TND and KWD have. */
export const Money = (options: object = {}) =>
  Type.Number({ minimum: 0, maximum: 99_999_999_999, decimals: 3, ...options })
/** Maximum of PostgreSQL's `integer`. */
export const MAX_INTEGER = 2_147_483_647
export const Integer = (options: object = {}) =>
  Type.Integer({ minimum: -MAX_INTEGER, maximum: MAX_INTEGER, ...options })
export const Text = (maxLength: number, options: object = {}) => Type.String({ maxLength, ...options })

/** Body of a request that creates something. Importers send null for fields they do not have. */
export const creation = <T extends Type.TProperties>(properties: T) =>
  Type.Object(properties, {
    nullMeansAbsent: true,
    description: 'null for an optional field means that it is not set, except for fields with a fixed list of values.',
  })

/** Marks what the original API contract does not have. */
export const extension = <T extends TSchema>(schema: T): T => ({ ...schema, 'x-extension': true })

export const IdParams = Type.Object({ id: Uuid })

export const data = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object({ data: Type.Object(properties, { additionalProperties: false }) }, { additionalProperties: false })

export const Pagination = resource(
  'Pagination',
  Type.Object(
    {
      total: nullable(Type.Integer({ minimum: 0, description: 'Null with `total=false`.' })),
      per_page: Type.Integer({ minimum: 1, maximum: 200 }),
      current_page: Type.Integer({ minimum: 1 }),
      last_page: nullable(Type.Integer({ minimum: 1, description: 'Null with `total=false`.' })),
      next_cursor: extension(
        Type.Union([Type.String(), Type.Null()], {
          description: 'Pass it as `cursor` to get the next page; null on the last page.',
        }),
      ),
      updated_until: Type.Optional(
        extension(
          Type.String({
            format: 'date-time',
            description:
              'Of lists that are filtered or sorted by `updated_at`: every change before this time is listed, and none ' +
              'from then on. Pass the one of the first page as the next `updated_from`.',
          }),
        ),
      ),
    },
    { additionalProperties: false },
  ),
)

export const page = <K extends string, T extends TSchema>(key: K, row: T) =>
  data({ [key]: Type.Array(row), pagination: ref(Pagination) } as Record<K | 'pagination', TSchema>)

/** A filter with several values: `a,b`, `k=a&k=b`, `k[]=a&k[]=b` and `k[0]=a&k[1]=b` mean the same. */
export const several = <T extends TSchema>(item: T, options: object = {}) =>
  Type.Array(item, { minItems: 1, maxItems: 100, ...options })

/**
 * An ISO 8601 date or date-time, or Unix seconds or milliseconds. Read it with earliest() or latest() of
 * input/date-bounds.ts.
 */
export const DateBound = (description: string) => Type.String({ format: 'date-bound', description })

const PAGE_SIZE =
  'Results per page. A page whose reply would have more than 32 MB is refused with 422: request a smaller page.'

export const listQuery = <const S extends readonly [string, ...string[]], T extends Record<string, TSchema>>(
  sorts: S,
  usual: S[number],
  filters: T,
) =>
  Type.Object({
    page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number.' }),
    page_size: Type.Integer({ minimum: 1, maximum: 200, default: 20, description: PAGE_SIZE }),
    order_by: oneOf<S[number]>(sorts, { default: usual, description: 'Sort field.' }),
    order_direction: oneOf(['ASC', 'DESC'], {
      default: 'DESC',
      anyCase: true,
      description: 'Sort direction, case-insensitive.',
    }),
    cursor: Type.Optional(
      extension(
        Type.String({
          maxLength: 2048,
          description:
            '`next_cursor` of the previous page. Continues right after its last row, even if rows were added since.',
        }),
      ),
    ),
    total: Type.Optional(
      extension(
        Type.Boolean({
          description:
            'false: rows are not counted, and `total` and `last_page` are null. Faster for searches with many matches. ' +
            'A search by relevance then lists at most 2,000 matches.',
        }),
      ),
    ),
    ...filters,
  })

export const ErrorBody = resource(
  'Error',
  Type.Object(
    {
      code: Type.String({ description: 'Machine-readable error code.' }),
      message: Type.String({ description: 'Human-readable description of the error.' }),
      errors: Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Dotted path of each invalid field to its error messages.',
      }),
    },
    { additionalProperties: false },
  ),
)

export const errors = { '4xx': ref(ErrorBody), '5xx': ref(ErrorBody) }
