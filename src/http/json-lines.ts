import type { FastifyInstance } from 'fastify'
import { wrongType } from './error-replies.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is NDJSON, which the handler reads as a stream: what the documents tell of its limits. */
    takesLines?: string
  }
}

const TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

export const isJsonLines = (contentType = '') =>
  TYPES.includes(contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '')

/** NDJSON reaches only handlers that read it themselves, as a stream; elsewhere it is a type like any other unknown one. */
export const acceptJsonLines = (app: FastifyInstance) => {
  app.addContentTypeParser(TYPES, (request, _payload, done) => {
    if (request.route.takesLines) return done(null)
    done(wrongType(request))
  })
}
