/** Every way the service refuses. What each means in HTTP is known to http/error-replies.ts alone. */
export type ErrorCode =
  | 'bad_request'
  | 'install_required'
  | 'unauthenticated'
  | 'invalid_credentials'
  | 'token_expired'
  | 'token_revoked'
  | 'forbidden'
  | 'install_not_granted'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'idempotency_conflict'
  | 'version_mismatch'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'validation_failed'
  | 'rate_limited'
  | 'server_error'
  | 'unavailable'

/** Dotted path of a field (`variants.0.price`) to the sentences about it. */
export type FieldErrors = Record<string, string[]>

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { fields = {}, cause, retryAfter }: { fields?: FieldErrors; cause?: unknown; retryAfter?: number } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.fields = fields
    this.retryAfter = retryAfter
  }
}

export const notFound = (what: string) => new ApiError('not_found', `There is no such ${what}.`)

export const invalid = (fields: FieldErrors) =>
  new ApiError('validation_failed', 'The request has invalid fields.', { fields })

/** Bounded, since a hostile body can have a fault at each of a million places. */
const MAX_FIELDS = 200

/** Gathers the faults of a request, so that the caller hears of all of them at once. */
export class ValidationErrors {
  readonly fields: FieldErrors = {}
  private count = 0

  add(field: string, sentence: string) {
    const sentences = this.fields[field]
    if (!sentences) {
      if (this.count++ < MAX_FIELDS) this.fields[field] = [sentence]
    } else if (!sentences.includes(sentence)) sentences.push(sentence)
  }

  get any() {
    return Object.keys(this.fields).length > 0
  }

  throwIfAny() {
    if (this.any) throw invalid(this.fields)
  }
}

/** Something the operator can put right; the message is all they need. */
export class OperatorError extends Error {}
