import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import { chooseEncoding } from './accept-encoding.ts'
import type { Api } from './api.ts'

/** Below this size, compressing costs more than the bytes it saves. */
export const MIN_COMPRESSED_BYTES = 4096
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
export const GZIP_OPTIONS = { level: 5 }

/** Compresses large bodies for callers that accept it, unless they are already compressed (encoded-body.ts). */
export const compressBodies = async (app: Api) => {
  // @fastify/compress treats `*` as gzip and ignores a preference for `identity`, so we choose the encoding for it.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.headers['accept-encoding'] = chooseEncoding(request.headers['accept-encoding'])
    done(null, payload)
  })
  await app.register(compress, {
    threshold: MIN_COMPRESSED_BYTES,
    encodings: ['br', 'gzip'],
    customTypes: /^(application\/json|text\/(csv|html|css|plain)|application\/javascript)/,
    brotliOptions: BROTLI_OPTIONS,
    zlibOptions: GZIP_OPTIONS,
    globalDecompression: false,
  })
}
