import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked every few seconds by a machine: not worth a line in the log. */
    quiet?: boolean
  }
}

const OWN_ID = /^[\w.-]{1,128}$/

/** The caller's own id when it is harmless, so that one id follows a request through all its logs. */
export const requestId = ({ headers }: IncomingMessage) => {
  const given = headers['x-request-id']
  return typeof given === 'string' && OWN_ID.test(given) ? given : randomUUID()
}

/** One line a request. The address is logged as its route: queries and tokens in it are nobody's business. */
export const logRequests = (app: FastifyInstance) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    if (request.routeOptions.config?.quiet) return done()
    request.log.info({
      request_id: request.id,
      method: request.method,
      route: request.is404 ? null : request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      app: request.caller?.app.client_id,
      installation: request.caller?.installation?.id,
    })
    done()
  })
}
