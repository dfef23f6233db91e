import { ERROR_MESSAGES, type ErrorCode, forbidden, notFound } from '../../errors.ts'
import { bodyTooLargeError, STATUS_BY_CODE, wrongTypeError } from '../http/error-replies.ts'
import { MAX_JSON_BYTES } from '../http/json-bodies.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { type JsonSchema, validationMessage } from '../input/validation-messages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Supports byte ranges. */
    ranges?: boolean
    /** Checks credentials and limits failed attempts. */
    authenticates?: boolean
    /** Error codes that do not follow from the rest of the route's config. */
    refuses?: readonly ErrorCode[]
  }
}

/** Writes to a single resource: one with an id in its path, or a singleton. */
export const takesIfMatch = ({ method, url }: Pick<RouteEntry, 'method' | 'url'>) =>
  method === 'PUT' || (method !== 'GET' && url.includes('/:'))

/** All error codes of a route, derived from its config. */
const errorCodes = ({ method, url, schema, config }: RouteEntry): ErrorCode[] => {
  const writes = method !== 'GET'
  const token = config.access !== 'open' || config.sometimes !== undefined
  const installation = Boolean(config.permission ?? config.sometimes) || config.access === 'installation'
  const when = <T extends ErrorCode>(condition: unknown, ...codes: T[]) => (condition ? codes : [])
  return [
    'bad_request',
    ...when(installation, 'install_required'),
    ...when(config.authenticates, 'invalid_credentials', 'install_not_granted', 'rate_limited'),
    ...when(token, 'unauthenticated', 'token_expired', 'token_revoked', 'install_not_granted'),
    ...when(installation, 'store_suspended'),
    ...when(config.permission ?? config.sometimes ?? config.permissionBy, 'forbidden'),
    ...when(url.includes('/:'), 'not_found'),
    ...when(writes && token, 'idempotency_conflict'),
    ...when(takesIfMatch({ method, url }), 'version_mismatch'),
    ...when(writes, 'payload_too_large', 'unsupported_media_type'),
    ...when(config.ranges, 'range_not_satisfiable'),
    ...when(writes || schema.querystring, 'validation_failed'),
    ...when(installation, 'rate_limited'),
    ...(config.refuses ?? []),
    'server_error',
    'unavailable',
  ]
}

const messageOf = (code: ErrorCode, { schema, config, method, bodyLimit }: RouteEntry) => {
  const permission = config.permission ?? config.sometimes ?? config.permissionBy?.example
  if (code === 'forbidden' && permission) return forbidden(permission).message
  if (code === 'not_found') return notFound(config.subject ?? 'resource').message
  if (code === 'payload_too_large') return bodyTooLargeError(bodyLimit ?? MAX_JSON_BYTES).message
  if (code === 'unsupported_media_type') return wrongTypeError(config, 'text/plain').message
  if (code === 'bad_request' && method !== 'GET' && schema.body)
    return 'The body must be valid JSON: syntax error at line 1, column 8.'
  return ERROR_MESSAGES[code]
}

/** An example of a validation error: a field of this route and its message. */
const exampleFault = ({ schema }: RouteEntry) => {
  const { properties = {}, required = [] } = (schema.body ?? schema.querystring ?? {}) as JsonSchema
  const [missing] = schema.body ? required : []
  if (missing) return { [missing]: ['is required'] }
  const hasSpecificMessage = ({ enum: values, maximum, format }: JsonSchema) =>
    values || maximum !== undefined || format
  const [name, shape] =
    Object.entries(properties).find(([name]) => name === 'page_size') ??
    Object.entries(properties).find(([, shape]) => hasSpecificMessage(shape)) ??
    []
  return name && shape ? { [name]: [validationMessage(shape)] } : { 'Idempotency-Key': ['must be 1 to 255 characters'] }
}

const headersOf = (status: number) => ({
  'X-Request-Id': { $ref: '#/components/headers/RequestId' },
  ...(status === 401 && { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } }),
  ...((status === 429 || status === 503) && { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }),
})

export const errorResponses = (route: RouteEntry) => {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set(errorCodes(route)))
    byStatus.set(STATUS_BY_CODE[code], [...(byStatus.get(STATUS_BY_CODE[code]) ?? []), code])
  const example = (code: ErrorCode) => ({
    value: {
      code,
      message: messageOf(code, route),
      errors: code === 'validation_failed' ? exampleFault(route) : {},
    },
  })
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        headers: headersOf(status),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(codes.map((code) => [code, example(code)])),
          },
        },
      },
    ]),
  )
}
