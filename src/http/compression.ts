import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { Api } from './api.ts'

/** Large bodies for callers that ask for it; below this size the work costs more than the bytes. */
const SMALLEST_BYTES = 4096

export const compressBodies = async (app: Api) => {
  await app.register(compress, {
    threshold: SMALLEST_BYTES,
    encodings: ['br', 'gzip'],
    customTypes: /^(application\/json|text\/(csv|html|css|plain)|application\/javascript)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 5 },
    globalDecompression: false,
  })
}
