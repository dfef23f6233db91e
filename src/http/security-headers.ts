import type { FastifyInstance } from 'fastify'

/**
 * On every answer that does not say otherwise itself: nothing here is a page, so a browser that is led to it runs
 * nothing, frames nothing, guesses no type and tells no other site where it has been. Their names, and those of other
 * headers that every answer has, are in small letters, as Fastify keeps them: changing a name costs more than all the rest.
 */
export const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

export const addSecurityHeaders = (app: FastifyInstance) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    done()
  })
}
