import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AllowedOrigins } from '../config/config.ts'

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Range, X-App-Install-Id, X-Request-Id'
const EXPOSED_HEADERS =
  'Allow, Content-Disposition, ETag, Idempotency-Replayed, Retry-After, X-Ignored-Input, X-RateLimit-Limit, ' +
  'X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id'
const MAX_AGE_SECONDS = '3600'

/** Lets scripts of the operator's own pages call the API. A token is never in a cookie, so credentials are not allowed. */
export const allowOrigins = (app: FastifyInstance, allowed: AllowedOrigins | undefined) => {
  if (!allowed) return
  const grantTo = ({ headers: { origin } }: FastifyRequest) =>
    allowed === '*' ? '*' : origin !== undefined && allowed.includes(origin) ? origin : undefined

  app.addHook('onRequest', (request, reply, done) => {
    if (!isPreflight(request) || grantTo(request) === undefined) return done()
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = app.routeTable.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)
    if (methods.length === 0) return done()
    reply
      .code(204)
      .headers({
        'Access-Control-Allow-Methods': [...new Set(methods)].sort().join(', '),
        'Access-Control-Allow-Headers': ALLOWED_HEADERS,
        'Access-Control-Max-Age': MAX_AGE_SECONDS,
      })
      .send()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    const origin = grantTo(request)
    if (origin !== undefined)
      reply.headers({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED_HEADERS })
    if (allowed !== '*') varyByOrigin(reply)
    done(null, payload)
  })
}

const isPreflight = ({ method, headers }: FastifyRequest) =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

/** Whoever is not allowed must not be served what a cache kept for somebody who is. */
const varyByOrigin = (reply: FastifyReply) => {
  const vary = reply.getHeader('Vary')
  reply.header('Vary', vary ? `${vary}, Origin` : 'Origin')
}
