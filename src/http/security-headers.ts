import type { FastifyInstance } from 'fastify'

/**
 * On every answer that does not say otherwise itself: nothing here is a page, so a browser that is led to it runs
 * nothing, frames nothing, guesses no type and tells no other site where it has been.
 */
export const SECURITY_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

export const secureAnswers = (app: FastifyInstance) => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS)
    done()
  })
}
