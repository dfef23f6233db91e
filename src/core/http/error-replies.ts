import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyContextConfig, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { ApiError, ERROR_MESSAGES, type ErrorCode, type FieldErrors } from '../../errors.ts'
import { isBlobStorageUnreachable } from '../storage/blobs/blobs.ts'
import { isDatabaseBusy, isDatabaseUnavailable } from '../storage/database.ts'
import { CallerGoneError } from '../storage/database-watchdog.ts'
import { isDiskFull } from '../storage/disk-space.ts'
import { ResultTooLargeError } from '../storage/result-limit.ts'
import { closeIfStillSending } from './early-replies.ts'
import { SlowBodyError } from './json-bodies.ts'
import { logRejection } from './request-log.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

export const STATUS_BY_CODE: Record<ErrorCode, number> = {
  bad_request: 400,
  install_required: 400,
  unauthenticated: 401,
  sign_in_required: 401,
  sign_in_failed: 401,
  second_factor_required: 403,
  second_factor_missing: 403,
  confirmation_required: 403,
  invalid_credentials: 401,
  token_expired: 401,
  token_revoked: 401,
  forbidden: 403,
  plan_limit: 403,
  store_suspended: 403,
  install_not_granted: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  cursor_expired: 410,
  version_mismatch: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  validation_failed: 422,
  rate_limited: 429,
  server_error: 500,
  unavailable: 503,
}

const unavailable = (cause: unknown) => new ApiError('unavailable', undefined, { cause, retryAfter: 2 })

const tooBusy = (cause: unknown) =>
  new ApiError('unavailable', 'The request took too long. Request less, or try again later.', { cause, retryAfter: 5 })

const tooLarge = (cause: unknown) =>
  new ApiError('server_error', 'The stored resource is too large to be sent.', { cause })

/** Only the log sees this: the client has disconnected. */
const callerGone = (cause: unknown) =>
  new ApiError('bad_request', 'The connection was closed before the reply.', { cause })

const blobsUnavailable = (cause: unknown) =>
  new ApiError('unavailable', 'The service cannot reach its file storage. Try again later.', {
    cause,
    retryAfter: 60,
  })

export const diskFullError = (cause?: unknown) =>
  new ApiError('unavailable', 'The service has no disk space left to store this. Try again later.', {
    cause,
    retryAfter: 60,
  })

export const NDJSON = 'application/x-ndjson'

const acceptedTypes = ({ bodyInHandler, fileParts, ndjsonBody }: FastifyContextConfig) => {
  if (ndjsonBody) return NDJSON
  if (!bodyInHandler) return 'application/json'
  return fileParts && 'file' in fileParts ? 'multipart/form-data' : 'multipart/form-data or application/json'
}

export const wrongTypeError = (route: FastifyContextConfig, contentType: string | undefined) => {
  const actual = contentType ? `not ${contentType.slice(0, 100)}` : 'and the request has no Content-Type'
  return new ApiError('unsupported_media_type', `This endpoint takes ${acceptedTypes(route)}, ${actual}.`)
}

export const wrongType = ({ route, headers }: FastifyRequest) => wrongTypeError(route, headers['content-type'])

const bytes = (count: number) => (count < 1024 * 1024 ? `${count / 1024} kB` : `${count / 1024 / 1024} MB`)

export const bodyTooLargeError = (limit: number) =>
  new ApiError('payload_too_large', `The request body may have at most ${bytes(limit)}.`)

/** Translates Fastify's own errors. */
const FASTIFY_ERRORS: Record<string, (request: FastifyRequest) => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) => bodyTooLargeError(routeOptions.bodyLimit),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: wrongType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new ApiError('bad_request', 'The length of the body differs from its Content-Length.'),
  FST_ERR_BAD_URL: () => new ApiError('bad_request', 'The URL has an invalid percent-encoding.'),
  FST_ERR_MAX_PARAM_LENGTH: () => new ApiError('not_found'),
}

const toApiError = (error: unknown, request: FastifyRequest): ApiError => {
  if (error instanceof ApiError) return error
  if (isDiskFull(error)) return diskFullError(error)
  if (error instanceof CallerGoneError) return callerGone(error)
  if (error instanceof ResultTooLargeError) return tooLarge(error)
  if (isDatabaseBusy(error)) return tooBusy(error)
  if (isBlobStorageUnreachable(error)) return blobsUnavailable(error)
  if (isDatabaseUnavailable(error)) return unavailable(error)
  const code = (error as Partial<FastifyError> | null)?.code ?? ''
  return FASTIFY_ERRORS[code]?.(request) ?? new ApiError('server_error', undefined, { cause: error })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the request was refused or has failed. */
    failure?: { code: ErrorCode; fields: FieldErrors; permission: string | undefined }
  }
}

export const sendError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const { code, message, fields, retryAfter, permission, cause } = toApiError(error, request)
  request.failure = { code, fields, permission }
  const status = error instanceof SlowBodyError ? 408 : STATUS_BY_CODE[code]
  if (status >= 500) request.log.error({ err: cause ?? error, request_id: request.id }, message)
  // With this header a browser would show its own password prompt on the console's sign-in page.
  if (status === 401 && !code.startsWith('sign_in')) reply.header('WWW-Authenticate', challenge(code))
  if (permission) reply.header('WWW-Authenticate', `Bearer error="insufficient_scope", scope="${permission}"`)
  if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter))
  // No hooks run for requests refused before routing.
  if (request.route === undefined) closeIfStillSending(request, reply)
  reply.headers(SECURITY_HEADERS).header('X-Request-Id', request.id)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify({ code, message, errors: fields }))
}

const challenge = (code: ErrorCode) => {
  if (code === 'invalid_credentials') return 'Basic realm="storefront-apps", charset="UTF-8"'
  return code === 'unauthenticated'
    ? 'Bearer realm="storefront-apps"'
    : 'Bearer realm="storefront-apps", error="invalid_token"'
}

const joinWithOr = (names: string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`

const noSuchRoute = (app: FastifyInstance, { url, method }: FastifyRequest, reply: FastifyReply) => {
  const path = url.split('?', 1)[0] ?? ''
  const methods = app.routeTable.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  if (methods.length === 0) return new ApiError('not_found')
  const allowed = [...new Set(methods)].sort()
  reply.header('Allow', allowed.join(', '))
  return new ApiError('method_not_allowed', `${method} is not allowed here: use ${joinWithOr(allowed)}.`)
}

export const handleErrors = (app: FastifyInstance) => {
  app.decorateRequest('failure')
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => {
    throw noSuchRoute(app, request, reply)
  })
}

/** Refuses unknown routes without reading the body. Register this after the hooks that must also run for these replies. */
export const refuseUnknownRoutes = (app: FastifyInstance) => {
  app.addHook('onRequest', (request, reply, done) => done(request.is404 ? noSuchRoute(app, request, reply) : undefined))
}

/** No hooks run for these requests. */
type OnRejection = (rejection: { request_id: string; method: string | null; status: number }) => void

/** Replies to requests that are refused before their route is known. */
export const rejectUnroutable = (
  log: Logger,
  onRejection: OnRejection,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => {
  sendError(error, request, reply)
  const rejection = { request_id: request.id, method: request.method, status: reply.statusCode }
  logRejection(log, rejection)
  onRejection(rejection)
}

/** Replies to requests that Node's HTTP parser rejects. */
export const rejectMalformedRequest = (
  log: Logger,
  onRejection: OnRejection,
  error: Error & { code?: string },
  socket: Socket,
) => {
  if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'The headers or the URL are too long.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'The request took too long to arrive.']
        : [400, ERROR_MESSAGES.bad_request]
  const id = randomUUID()
  const rejection = { request_id: id, method: null, status: status as number }
  logRejection(log, { ...rejection, reason: error.code })
  onRejection(rejection)
  const body = JSON.stringify({ code: 'bad_request', message, errors: {} })
  const headers = Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status as number]}\r\n${headers.join('')}` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n${body}`,
  )
}
