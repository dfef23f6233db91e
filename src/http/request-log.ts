import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { infoLines } from '../server/log.ts'

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

const jsonField = (name: string, value: string | undefined) =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`

/** One line a request. The address is logged as its route: queries and tokens in it are nobody's business. */
export const logRequests = (app: FastifyInstance, log: Logger) => {
  const write = infoLines(log)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', ({ id, method, route, caller }, reply, done) => {
    if (route.quiet) return done()
    // Neither an id nor a method has a character that JSON would write otherwise.
    write(
      `"request_id":"${id}","method":"${method}","route":${JSON.stringify(route.url ?? null)},` +
        `"status":${reply.statusCode},"ms":${Math.round(reply.elapsedTime * 10) / 10}` +
        `${jsonField('app', caller?.app.client_id)}${jsonField('installation', caller?.installation?.id)}`,
    )
    done()
  })
}
