import cors from '@fastify/cors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { AllowedOrigins } from '../../config/config.ts'

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, Range, Traceparent, ' +
  'X-App-Install-Id, X-Request-Id'
const EXPOSED_HEADERS =
  'Allow, Content-Disposition, ETag, Idempotency-Replayed, Preference-Applied, Retry-After, X-Ignored-Input, ' +
  'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'
const MAX_AGE_SECONDS = 3600

/** The console's sessions are cookies, so other origins must not call it. */
const CONSOLE_PATH = /^\/console(?![^/?])/

const originFor = (allowed: AllowedOrigins, origin = '') => {
  if (allowed === '*') return '*'
  return allowed.includes(origin) ? origin : false
}

const methodsAt = (app: FastifyInstance, { url }: FastifyRequest) => {
  const path = url.split('?', 1)[0] ?? ''
  const methods = app.routeTable.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
  return [...new Set(methods)].sort()
}

/** Lets scripts on the configured origins call the API. Tokens are never in cookies, so credentials are not allowed. */
export const allowOrigins = async (app: FastifyInstance, allowed: AllowedOrigins | undefined) => {
  if (!allowed) return
  // The plugin adds the route `OPTIONS *`, which passes everything but a preflight on to the 404 handler.
  app.addHook('onRoute', (route) => {
    if (route.url === '*') route.config = { access: 'open' }
  })
  await app.register(cors, {
    delegator: (request, done) => {
      if (CONSOLE_PATH.test(request.url)) return done(null, { origin: false, preflight: false })
      const methods = methodsAt(app, request)
      done(null, {
        origin: originFor(allowed, request.headers.origin),
        methods,
        allowedHeaders: ALLOWED_HEADERS,
        exposedHeaders: EXPOSED_HEADERS,
        maxAge: MAX_AGE_SECONDS,
        // Only for a path that exists, and only for what a browser sends before the request itself.
        preflight: methods.length > 0 && request.headers['access-control-request-method'] !== undefined,
      })
    },
  })
}
