/**
 * Every error code with its default message. core/http/error-replies.ts maps codes to HTTP statuses.
 */
export const ERROR_MESSAGES = {
  bad_request: 'This is not a well-formed HTTP request.',
  install_required: 'A full access token needs the header X-App-Install-Id: <INSTALL_ID>.',
  unauthenticated: 'Send an access token: Authorization: Bearer <ACCESS_TOKEN>.',
  sign_in_required: 'Sign in to the console first.',
  sign_in_failed: 'The email or the password is wrong.',
  second_factor_required: 'Give your second factor first.',
  second_factor_missing: 'Set up a second factor first: this service requires one.',
  confirmation_required: 'Give your password again to do this.',
  invalid_credentials: 'The client_id or the client_secret is wrong.',
  token_expired: 'The access token has expired: request a new one.',
  token_revoked: 'The access token has been revoked: request a new one.',
  forbidden: 'The app has not been granted that permission.',
  plan_limit: 'The plan of the store does not allow more.',
  store_suspended: 'The operator of the service has suspended this store.',
  install_not_granted: 'This token gives no access to that installation.',
  not_found: 'There is nothing at this URL.',
  method_not_allowed: 'This method is not allowed here.',
  cursor_expired:
    'The events behind this cursor are no longer kept, or the feed was restored. Take a snapshot (GET /snapshot) and go on ' +
    'from its cursor.',
  idempotency_conflict: 'This Idempotency-Key was used for another request: choose a new key.',
  version_mismatch: 'The resource has changed since it was read: read it again.',
  payload_too_large: 'The request body is too large.',
  unsupported_media_type: 'This endpoint does not take that Content-Type.',
  range_not_satisfiable: 'The range is outside of the file.',
  validation_failed: 'The request has invalid fields.',
  rate_limited: 'Too many requests: try again shortly.',
  server_error: 'Something went wrong on our side.',
  unavailable: 'The service cannot reach its database. Try again shortly.',
}

export type ErrorCode = keyof typeof ERROR_MESSAGES

/** Maps the dotted path of a field (`variants.0.price`) to its messages. */
export type FieldErrors = Record<string, string[]>

export class ApiError extends Error {
  readonly code: ErrorCode
  readonly fields: FieldErrors
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined
  /** The permission that the caller lacks. */
  readonly permission: string | undefined

  constructor(
    code: ErrorCode,
    message: string = ERROR_MESSAGES[code],
    {
      fields = {},
      cause,
      retryAfter,
      permission,
    }: { fields?: FieldErrors; cause?: unknown; retryAfter?: number; permission?: string } = {},
  ) {
    super(message, { cause })
    this.code = code
    this.fields = fields
    this.retryAfter = retryAfter
    this.permission = permission
  }
}

export const notFound = (what: string) => new ApiError('not_found', `There is no such ${what}.`)

export const forbidden = (permission: string) =>
  new ApiError('forbidden', `The app has not been granted the permission ${permission}.`, { permission })

export const invalid = (fields: FieldErrors) => new ApiError('validation_failed', undefined, { fields })

/** A hostile body can have a million errors. */
export const MAX_REPORTED_FIELDS = 200

/** Collects the errors of a request, so that all are reported at once. */
export class ValidationErrors {
  readonly fields: FieldErrors = {}
  private count = 0

  add(field: string, message: string) {
    const messages = this.fields[field]
    if (!messages) {
      if (this.count++ < MAX_REPORTED_FIELDS) this.fields[field] = [message]
    } else if (!messages.includes(message)) messages.push(message)
  }

  /** Whether the limit is reached, so that further checks are pointless. */
  get full() {
    return this.count >= MAX_REPORTED_FIELDS
  }

  get any() {
    return Object.keys(this.fields).length > 0
  }

  throwIfAny() {
    if (this.any) throw invalid(this.fields)
  }
}

/** An error that the operator can fix. Only its message is shown. */
export class OperatorError extends Error {}
