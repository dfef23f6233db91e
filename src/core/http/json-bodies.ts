import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../../errors.ts'
import { CHARACTERS_PER_TURN, parseJson, parseJsonInTurns } from '../input/parse-json.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler needs the bytes of the body, for a signature: `request.bodyBytes`. */
    keepsBytes?: boolean
  }
  interface FastifyRequest {
    bodyBytes: Buffer | undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** How long an unauthenticated client may take to send its body. Closing the connection takes two seconds more. */
const ANONYMOUS_BODY_MS = 8_000

export const MAX_JSON_BYTES = 4 * 1024 * 1024

/** Answered with 408 by error-replies.ts. */
export class SlowBodyError extends ApiError {
  constructor() {
    super('bad_request', 'The body took too long to arrive.')
  }
}

const parsedValue = (parsed: ReturnType<typeof parseJson>): unknown => {
  if ('value' in parsed) return parsed.value
  const { fault, tooLarge, cause } = parsed
  throw new ApiError(tooLarge ? 'payload_too_large' : 'bad_request', `The body must be ${fault}.`, { cause })
}

const isEmpty = (text: string) => text.trim() === ''

const parseJsonBody = (bytes: Uint8Array): unknown => {
  const text = decode(bytes)
  return isEmpty(text) ? {} : parsedValue(parseJson(text))
}

/** Decodes, parses and hands over in one turn of the event loop each, so that other requests are answered in between. */
const parseLargeBody = async (bytes: Uint8Array): Promise<unknown> => {
  await nextTurn()
  const text = decode(bytes)
  await nextTurn()
  return isEmpty(text) ? {} : parsedValue(await parseJsonInTurns(text))
}

const decode = (bytes: Uint8Array) => {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be UTF-8.', { cause })
  }
}

/** Only JSON bodies are buffered. An empty one counts as `{}`. */
export const parseJsonBodies = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.decorateRequest('bodyBytes')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (request.route.keepsBytes) request.bodyBytes = bytes as Buffer
    if (bytes.length >= CHARACTERS_PER_TURN) {
      parseLargeBody(bytes as Buffer).then((body) => done(null, body), done)
      return
    }
    try {
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  ignoreTypeOfEmptyBodies(app)
  refuseCompressedBodies(app)
  limitAnonymousBodyTime(app)
}

/** Whether the headers announce a body. `raw.complete` then tells whether it has arrived. */
export const hasBody = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Some clients send a Content-Type with an empty body (`curl -X POST -d ''`); it is ignored. Multipart forms are the
 * exception: an empty form lacks its closing boundary and is malformed.
 */
const ignoreTypeOfEmptyBodies = (app: FastifyInstance) => {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, route } = request
    const form = route.bodyInHandler && headers['content-type']?.startsWith('multipart/')
    if (headers['content-length'] === '0' && !hasBody(request) && !form) delete headers['content-type']
    done()
  })
}

/** Compressed bodies are refused: one kilobyte can expand to a gigabyte. */
const refuseCompressedBodies = (app: FastifyInstance) => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done(null, payload)
    reply.header('Accept-Encoding', 'identity')
    done(new ApiError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.'))
  })
}

/** Unauthenticated clients must send their body quickly. */
const limitAnonymousBodyTime = (app: FastifyInstance) => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.caller === undefined && hasBody(request)) {
      const timer = setTimeout(() => {
        if (!reply.sent) reply.send(new SlowBodyError())
      }, ANONYMOUS_BODY_MS)
      payload.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
    }
    done(null, payload)
  })
}
