import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'

const hasTwoHosts = (rawHeaders: readonly string[]) => {
  let hosts = 0
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const name = rawHeaders[n] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/** What Node's parser accepts and other servers read differently. Undefined if nothing is wrong. */
export const faultInHead = ({ httpVersionMajor, rawHeaders }: IncomingMessage): string | undefined => {
  if (httpVersionMajor === 0) return 'The request line must end with a version, such as HTTP/1.1.'
  return hasTwoHosts(rawHeaders) ? 'The request has two Host headers.' : undefined
}

/** Refuses requests without a version or with two hosts: a proxy may have taken the other one. */
export const refuseFaultyHeads = (app: FastifyInstance) => {
  app.addHook('onRequest', ({ raw }, reply, done) => {
    const fault = faultInHead(raw)
    if (!fault) return done()
    reply.header('Connection', 'close')
    done(new ApiError('bad_request', fault))
  })
}
