import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Deeper than any honest body, and far from where recursion over it would exhaust the stack. */
const MOST_LEVELS = 64

class TooDeep extends Error {}

/** JSON.parse itself goes as deep as it is told to; everything after it would not come back. */
const checkDepth = (text: string) => {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    // Brackets and braces differ from each other in one bit.
    else if ((code | 32) === OPENING) {
      if (++depth > MOST_LEVELS) throw new TooDeep()
    } else if ((code | 32) === CLOSING) depth--
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = 0x7b
const CLOSING = 0x7d

/** Parses JSON that a stranger sent. What is wrong with it is a word for the caller. */
export const parseJson = (text: string): { value: unknown } | { fault: string; cause: unknown } => {
  try {
    checkDepth(text)
    return { value: JSON.parse(text) }
  } catch (cause) {
    return { fault: cause instanceof TooDeep ? `nested no deeper than ${MOST_LEVELS} levels` : 'valid JSON', cause }
  }
}

export const readJson = (bytes: Uint8Array): unknown => {
  const text = decode(bytes)
  if (text.trim() === '') return {}
  const parsed = parseJson(text)
  if ('value' in parsed) return parsed.value
  throw new ApiError('bad_request', `The body must be ${parsed.fault}.`, { cause: parsed.cause })
}

const decode = (bytes: Uint8Array) => {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('bad_request', 'The body must be text in UTF-8.', { cause })
  }
}

/** JSON is the only body that is read as a whole; an empty one counts as `{}`. */
export const takeJsonBodies = (app: FastifyInstance) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, readJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  refuseCompressed(app)
}

/** A kilobyte can unfold to a gigabyte, so bodies come as they are. */
const refuseCompressed = (app: FastifyInstance) => {
  app.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return done(null, payload)
    reply.header('Accept-Encoding', 'identity')
    done(new ApiError('unsupported_media_type', 'Send the body without a Content-Encoding.'))
  })
}
