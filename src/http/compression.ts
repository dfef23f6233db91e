import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { onSendHookHandler, RouteOptions } from 'fastify'
import { chooseEncoding } from './accept-encoding.ts'
import type { Api } from './api.ts'

/** Large bodies for callers that ask for it; below this size the work costs more than the bytes. */
const MIN_BYTES = 4096

const isSmall = (payload: unknown) =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && Buffer.byteLength(payload) < MIN_BYTES

/** Finding out that there is nothing to compress takes the plugin as long as all the rest of a short answer. */
const onlyWhereItPays = (route: RouteOptions) => {
  const hooks = (Array.isArray(route.onSend) ? route.onSend : [route.onSend]) as onSendHookHandler[]
  const compressing = hooks.pop()
  if (!compressing) return
  route.onSend = [
    ...hooks,
    function (request, reply, payload, done) {
      if (request.headers['accept-encoding'] === undefined || isSmall(payload)) return done(null, payload)
      // The plugin takes `*` for gzip, and compresses for those who would rather have it plain: it gets our answer.
      request.headers['accept-encoding'] = chooseEncoding(request.headers['accept-encoding'])
      compressing.call(this, request, reply, payload, done)
    },
  ]
}

export const compressBodies = async (app: Api) => {
  await app.register(compress, {
    threshold: MIN_BYTES,
    encodings: ['br', 'gzip'],
    customTypes: /^(application\/json|text\/(csv|html|css|plain)|application\/javascript)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
    zlibOptions: { level: 5 },
    globalDecompression: false,
  })
  app.addHook('onRoute', onlyWhereItPays)
}
