import { ERROR_MESSAGES, type ErrorCode, forbidden, notFound } from '../errors.ts'
import { bodyTooLargeError, STATUS_BY_CODE, wrongTypeError } from '../http/error-replies.ts'
import { MAX_JSON_BYTES } from '../http/json-bodies.ts'
import type { RouteEntry } from '../http/route-table.ts'
import { type JsonSchema, validationMessage } from '../input/validation-messages.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers with a part of the bytes when asked for one. */
    ranges?: boolean
    /** Takes credentials, and limits failed attempts. */
    authenticates?: boolean
    /** More refusals than follow from what else the route declares. */
    refuses?: readonly ErrorCode[]
  }
}

/** Every write to what its path names: by an id, or because there is one only. */
export const takesIfMatch = ({ method, url }: Pick<RouteEntry, 'method' | 'url'>) =>
  method === 'PUT' || (method !== 'GET' && url.includes('/:'))

/** Every way this route can refuse, from what it declares. */
export const errorCodes = ({ method, url, schema, config }: RouteEntry): ErrorCode[] => {
  const writes = method !== 'GET'
  const token = config.access !== 'open' || config.sometimes !== undefined
  const installation = Boolean(config.permission ?? config.sometimes) || config.access === 'installation'
  const given = <T extends ErrorCode>(condition: unknown, ...codes: T[]) => (condition ? codes : [])
  return [
    'bad_request',
    ...given(installation, 'install_required'),
    ...given(config.authenticates, 'invalid_credentials', 'install_not_granted', 'rate_limited'),
    ...given(token, 'unauthenticated', 'token_expired', 'token_revoked', 'install_not_granted'),
    ...given(config.permission ?? config.sometimes ?? config.permissionBy, 'forbidden'),
    ...given(url.includes('/:'), 'not_found'),
    ...given(writes && token, 'idempotency_conflict'),
    ...given(takesIfMatch({ method, url }), 'version_mismatch'),
    ...given(writes, 'payload_too_large', 'unsupported_media_type'),
    ...given(config.ranges, 'range_not_satisfiable'),
    ...given(writes || schema.querystring, 'validation_failed'),
    ...given(installation, 'rate_limited'),
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

/** A field of this very route that can be wrong, and what would be said of it. */
const exampleFault = ({ schema }: RouteEntry) => {
  const { properties = {}, required = [] } = (schema.body ?? schema.querystring ?? {}) as JsonSchema
  const [missing] = schema.body ? required : []
  if (missing) return { [missing]: ['is required'] }
  const telling = ({ enum: values, maximum, format }: JsonSchema) => values || maximum !== undefined || format
  const [name, shape] =
    Object.entries(properties).find(([name]) => name === 'page_size') ??
    Object.entries(properties).find(([, shape]) => telling(shape)) ??
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
