import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../../core/storage/database.ts'
import type { FileUrlSigner, FileUrls } from './file-urls.ts'
import { hideSoldFiles } from './hide-sold-files.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Builds the file URLs that this caller may see. */
    fileUrls: FileUrls
  }
}

/** Only callers with `file:browse` see signed URLs of sold files, wherever the file is nested. */
export const addressFiles = (app: FastifyInstance, signer: FileUrlSigner) => {
  app.decorateRequest('fileUrls', {
    getter(this: FastifyRequest) {
      return { ...signer, showsSold: this.caller.installation?.permissions.has('file:browse') ?? false }
    },
  })
  app.decorateRequest('reviseReplay', function reviseReplay(this: FastifyRequest, db: Db, body: string) {
    return this.fileUrls.showsSold ? Promise.resolve(body) : hideSoldFiles(db, this.store, body)
  })
}
