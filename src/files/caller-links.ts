import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FileUrls, LinkMaker } from './file-urls.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How files are addressed to this caller. */
    fileUrls: FileUrls
  }
}

/** What a buyer pays for is shown by its signed address to callers with `file:browse` alone, wherever it is nested. */
export const addressFiles = (app: FastifyInstance, links: LinkMaker) => {
  app.decorateRequest('links', {
    getter(this: FastifyRequest) {
      return { ...links, showsSold: this.caller.installation?.permissions.has('file:browse') ?? false }
    },
  })
}
