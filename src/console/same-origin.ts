import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { hasBody } from '../core/http/json-bodies.ts'
import { ApiError } from '../errors.ts'
import { transportOf } from '../resources/accounts/transport.ts'

export const CONSOLE_API = '/console/api'

const READS = new Set(['GET', 'HEAD'])
const JSON_TYPE = /^application\/json\s*(;|$)/i

const isOwnPage = (request: FastifyRequest, config: Config) => {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return request.headers.origin === transportOf(request, config).origin
}

/** A form on another site cannot send JSON. */
const isJson = (request: FastifyRequest) => {
  const type = request.headers['content-type']
  return type === undefined ? !hasBody(request) : JSON_TYPE.test(type)
}

/**
 * Refuses writes with a session that do not come from the console's own pages. Browsers add the cookie to requests of
 * any page; `Sec-Fetch-Site` or `Origin` tells which page it was.
 */
export const refuseForeignWrites = (app: FastifyInstance, config: Config) => {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, route } = request
    if (READS.has(method) || !route.url?.startsWith(`${CONSOLE_API}/`)) return done()
    if (isOwnPage(request, config) && isJson(request)) return done()
    done(new ApiError('forbidden', 'Only pages of the console may do this.'))
  })
}
