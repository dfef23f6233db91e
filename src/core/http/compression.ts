import { constants } from 'node:zlib'
import compress from '@fastify/compress'
import type { Api } from './api.ts'

/** Below this size, compressing costs more than the bytes it saves. */
export const MIN_COMPRESSED_BYTES = 4096
export const BROTLI_OPTIONS = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
export const GZIP_OPTIONS = { level: 5 }

export type Encoding = 'br' | 'gzip' | 'identity'

/** Default quality of `identity`: lower than that of any encoding the header lists. */
const IDENTITY_QUALITY = 0.0001

const readQualities = (header: string) =>
  new Map(
    header
      .toLowerCase()
      .split(',')
      .map((entry) => {
        const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
        const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '')
        return [name === 'x-gzip' ? 'gzip' : name, quality === undefined ? 1 : Number(quality) || 0] as const
      }),
  )

/** Picks the supported encoding with the highest quality, the best compression among equals, never one with `q=0`. */
export const chooseEncoding = (header: string | string[] | undefined): Encoding => {
  if (header === undefined) return 'identity'
  const qualities = readQualities(String(header))
  const wildcard = qualities.get('*') ?? 0
  const candidates: [Encoding, number][] = [
    ['br', qualities.get('br') ?? wildcard],
    ['gzip', qualities.get('gzip') ?? wildcard],
    ['identity', qualities.get('identity') ?? IDENTITY_QUALITY],
  ]
  const best = Math.max(...candidates.map(([, quality]) => quality))
  return best > 0 ? (candidates.find(([, quality]) => quality === best)?.[0] ?? 'identity') : 'identity'
}

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
