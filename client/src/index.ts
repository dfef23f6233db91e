export type { BulkResult, FinishedOptions } from './bulk.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export { parseCsv } from './csv.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorCode,
  type Fields,
  ForbiddenError,
  NotFoundError,
  RateLimitError,
  ServerError,
  ValidationError,
} from './errors.ts'
export type { SnapshotLine, SnapshotResource, StreamedEvent, StreamQuery } from './events.ts'
export type { Progress, Upload, UploadSource } from './multipart-body.ts'
export {
  type Body,
  type CallOptions,
  etagOf,
  type FileOptions,
  isReplay,
  type OnIgnoredInput,
  type OperationName,
  type Query,
  type Reply,
  type UpdateOptions,
  type UploadOptions,
  type WriteOptions,
} from './request.ts'
export { type SessionToken, SessionTokenError, type SessionTokenOptions, verifySessionToken } from './session-tokens.ts'
export type { GetToken, IssuedToken } from './token-cache.ts'
export type * from './types.ts'
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhooks.ts'
