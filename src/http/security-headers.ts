import type { FastifyInstance } from 'fastify'

/**
 * On every answer that does not say otherwise itself: nothing here is a page, so a browser that is led to it runs
 * nothing, frames nothing, guesses no type and tells no other site where it has been. In small letters, as Fastify keeps
 * them: names it has to change first cost more than the rest of the header.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

export const secureAnswers = (app: FastifyInstance) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    done()
  })
}
