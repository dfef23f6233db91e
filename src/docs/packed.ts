import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply } from 'fastify'
import { chooseEncoding, type Encoding } from '../http/accept-encoding.ts'
import { etagOf, matchesEtag } from '../http/etag.ts'

/** A frequently requested text, compressed once with every encoding, off the main thread. */
export interface Packed {
  etag: string
  encoded: Record<Encoding, Buffer>
}

export const pack = async (bytes: Buffer): Promise<Packed> => {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
    promisify(gzip)(bytes),
  ])
  return { etag: etagOf(bytes), encoded: { br, gzip: zipped, identity: bytes } }
}

/** Computes the value on first use. A failure is not cached, so the next call retries. */
export const once = <T>(make: () => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** The route must not compress again: `compress: false`. */
export const sendPacked = (reply: FastifyReply, type: string, { etag, encoded }: Packed) => {
  const { headers } = reply.request
  const encoding = chooseEncoding(headers['accept-encoding'])
  reply.headers({ etag, vary: 'Accept-Encoding' })
  if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(type).send(encoded[encoding])
}
