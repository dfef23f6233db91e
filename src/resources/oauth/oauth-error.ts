/** Errors of RFC 6749 and RFC 7009. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'temporarily_unavailable'

export class OAuthError extends Error {
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(code: OAuthErrorCode, message: string, status = code === 'invalid_client' ? 401 : 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

export const oauthError = (code: OAuthErrorCode, message: string) => new OAuthError(code, message)
