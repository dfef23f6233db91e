/** Error codes of the API. Later versions may add more. */
export type ErrorCode =
  | 'bad_request'
  | 'install_required'
  | 'unauthenticated'
  | 'invalid_credentials'
  | 'token_expired'
  | 'token_revoked'
  | 'forbidden'
  | 'install_not_granted'
  | 'store_suspended'
  | 'not_found'
  | 'method_not_allowed'
  | 'idempotency_conflict'
  | 'cursor_expired'
  | 'version_mismatch'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation_failed'
  | 'rate_limited'
  | 'server_error'
  | 'unavailable'
  /** The reply did not come from this API: from a proxy, or baseUrl is wrong. */
  | 'unexpected_reply'

/** Messages by the dotted path of the field, such as `variants.0.price`. */
export type Fields = Record<string, string[]>

export interface Refusal {
  method: string
  /** Without the query, which may contain personal data. */
  path: string
  status: number
  code: string
  reason: string
  fields: Fields
  requestId: string | undefined
  retryAfter: number | undefined
}

const MAX_FIELDS_SHOWN = 5

const describeFields = (fields: Fields) => {
  const all = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`)
  const more = all.length > MAX_FIELDS_SHOWN ? [`and ${all.length - MAX_FIELDS_SHOWN} more`] : []
  return all.length > 0 ? ` (${[...all.slice(0, MAX_FIELDS_SHOWN), ...more].join('; ')})` : ''
}

/** One line for a log: `POST /customer: 422 validation_failed: … (email: …)`. */
const describe = ({ method, path, status, code, reason, fields }: Refusal) =>
  `${method} ${path}: ${status} ${code}: ${reason}${describeFields(fields)}`

/** An error reply of the API. Subclasses distinguish the common cases. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly method: string
  readonly path: string
  readonly status: number
  readonly code: ErrorCode | (string & {})
  /** The message of the API, without the call. */
  readonly reason: string
  readonly fields: Fields
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined

  constructor(refusal: Refusal) {
    super(describe(refusal))
    this.method = refusal.method
    this.path = refusal.path
    this.reason = refusal.reason
    this.status = refusal.status
    this.code = refusal.code
    this.fields = refusal.fields
    this.requestId = refusal.requestId
    this.retryAfter = refusal.retryAfter
  }
}

/** 401: missing, expired or revoked token, or wrong credentials. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}

/** 403: the store has not granted the permission. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}

/** 404: does not exist, or belongs to another store. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}

/** 409 and 412: conflicts with another change. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError'
}

/** 422: `fields` has the messages by field. */
export class ValidationError extends ApiError {
  override readonly name = 'ValidationError'
}

/** 429, after the last retry. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}

/** 5xx, after the last retry. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError'
}

/** No reply: network failure or timeout. See `cause`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'
}

const CLASSES: Record<number, typeof ApiError> = {
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  412: ConflictError,
  422: ValidationError,
  429: RateLimitError,
}

/** Seconds of a Retry-After header, which may also be a date. */
const readRetryAfter = (header: string | null) => {
  if (header === null) return undefined
  const seconds = Number(header)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000)
}

const readBody = (text: string): { code?: string; message?: string; errors?: Fields } | undefined => {
  try {
    const body = JSON.parse(text)
    return typeof body?.code === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

/** The path of a URL or call, without the query. */
export const pathOf = (address: string) => (address.replace(/^[a-z]+:\/\/[^/]+/i, '').split('?')[0] as string) || '/'

/** Converts an error response. */
export const errorFrom = (call: { method: string; path: string }, response: Response, text: string): ApiError => {
  const { status, headers } = response
  const body = readBody(text)
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError)
  return new Class({
    method: call.method,
    path: pathOf(call.path),
    status,
    code: body?.code ?? 'unexpected_reply',
    reason: body?.message ?? `The server answered ${status}, and not as the Storefront Apps API does.`,
    fields: body?.errors ?? {},
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: readRetryAfter(headers.get('retry-after')),
  })
}
