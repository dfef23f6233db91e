import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { parseJson } from '../input/json-text.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** How long a caller who has shown no token may take to send a body; closing the connection takes two seconds more. */
const ANONYMOUS_BODY_MS = 8_000

export const MAX_JSON_BYTES = 4 * 1024 * 1024

/** Answered with 408 by error-replies.ts. */
export class SlowBody extends ApiError {
  constructor() {
    super('bad_request', 'The body took too long to arrive.')
  }
}

export const parseJsonBody = (bytes: Uint8Array): unknown => {
  const text = decode(bytes)
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  const { fault, tooLarge, cause } = parsed
  throw new ApiError(tooLarge ? 'payload_too_large' : 'bad_request', `The body must be ${fault}.`, { cause })
}

const decode = (bytes: Uint8Array) => {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be UTF-8.', { cause })
  }
}

/** JSON is the only body that is read as a whole; an empty one counts as `{}`. */
export const parseJsonBodies = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJsonBody(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  takeEmptyBodies(app)
  refuseCompressed(app)
  hurryAnonymous(app)
}

/** Whether the headers announce a body, of which `raw.complete` then tells whether all of it is here. */
export const hasBody = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Clients name a type even where they send nothing (`curl -X POST -d ''`): no body has no type. Only where a form is read
 * part by part, one that has not even an end is broken.
 */
const takeEmptyBodies = (app: FastifyInstance) => {
  app.addHook('onRequest', (request, _reply, done) => {
    const { headers, route } = request
    const form = route.bodyInHandler && headers['content-type']?.startsWith('multipart/')
    if (headers['content-length'] === '0' && !hasBody(request) && !form) delete headers['content-type']
    done()
  })
}

/** A kilobyte can unfold to a gigabyte, so bodies come as they are. */
const refuseCompressed = (app: FastifyInstance) => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done(null, payload)
    reply.header('Accept-Encoding', 'identity')
    done(new ApiError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.'))
  })
}

/** Whoever is known may be slow; anybody else holds what has come of a body for a short time only. */
const hurryAnonymous = (app: FastifyInstance) => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.caller === undefined && hasBody(request)) {
      const timer = setTimeout(() => {
        if (!reply.sent) reply.send(new SlowBody())
      }, ANONYMOUS_BODY_MS)
      payload.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
    }
    done(null, payload)
  })
}
