import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Not logged: probes call this route every few seconds. */
    quiet?: boolean
  }
}

const SAFE_ID = /^[\w.-]{1,128}$/

/** Uses the caller's request id if it is safe to log, so that one id appears in all logs. */
export const requestId = ({ headers }: IncomingMessage) => {
  const id = headers['x-request-id']
  return typeof id === 'string' && SAFE_ID.test(id) ? id : randomUUID()
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
        account: caller?.app.account?.id,
        via: caller?.app.via,
      })
    done()
  })
}

interface Rejection {
  /** As in the reply's X-Request-Id. */
  request_id: string
  method: string | null
  status: number
  /** Node's code for what it could not parse. */
  reason?: string | undefined
}

/** Logs a request that was refused before routing, for which no hooks run. */
export const logRejection = (log: Logger, rejection: Rejection) => log.info({ ...rejection, route: null })
