import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

export const readJson = (bytes: Uint8Array): unknown => {
  try {
    const text = utf8.decode(bytes)
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch (error) {
    throw new ApiError('bad_request', 'The body is not valid JSON in UTF-8.', { cause: error })
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
}
