import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Called every few seconds by a machine: not logged. */
    quiet?: boolean
  }
}

const OWN_ID = /^[\w.-]{1,128}$/

/** Takes the caller's own id if it is safe to log, so that one id follows a request through every log. */
export const requestId = ({ headers }: IncomingMessage) => {
  const given = headers['x-request-id']
  return typeof given === 'string' && OWN_ID.test(given) ? given : randomUUID()
}

/** Logs one line for each request. It names the route, not the URL, which may carry tokens and personal data. */
export const logRequests = (app: FastifyInstance, log: Logger) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', ({ id, method, route, caller }, reply, done) => {
    if (!route.quiet)
      log.info({
        request_id: id,
        method,
        route: route.url ?? null,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        app: caller?.app.client_id,
        installation: caller?.installation?.id,
        account: caller?.account?.id,
      })
    done()
  })
}
