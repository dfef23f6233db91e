import type { FastifyInstance } from 'fastify'
import { wrongType } from './error-replies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Set if the handler reads the body as a stream of NDJSON; describes its limits in the OpenAPI document. */
    ndjsonBody?: string
  }
}

const TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

export const isJsonLines = (contentType = '') =>
  TYPES.includes(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** Passes NDJSON to handlers that stream it. Other routes refuse it as an unsupported type. */
export const acceptJsonLines = (app: FastifyInstance) => {
  app.addContentTypeParser(TYPES, (request, _payload, done) => {
    if (request.route.ndjsonBody) return done(null)
    done(wrongType(request))
  })
}
