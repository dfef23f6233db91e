import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Db } from '../../core/storage/database.ts'
import { LimitedMap } from '../../core/storage/limited-map.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { hideSoldFiles } from './hide-sold-files.ts'

export interface FileUrlSigner {
  /** URL prefix of served files; `/store/file` follows. */
  base: string
  key: Buffer
  /** Minimum lifetime of a signed URL. */
  seconds: number
  /** Signs the path of a file, in hex. */
  sign: (path: string, expires: number) => string
}

/** Builds URLs for one caller. */
export interface FileUrls extends FileUrlSigner {
  /** Whether the caller sees signed URLs of sold files. */
  showsSold: boolean
}

const hmac = (key: Buffer, path: string, expires: number) => createHmac('sha256', key).update(`${path}/${expires}`)

const MAX_SIGNATURES = 20_000

/** Remembers signatures until the next expiry time: computing one takes longer than rendering the file. */
const createSign = (key: Buffer): FileUrlSigner['sign'] => {
  const signatures = new LimitedMap<string, string>(MAX_SIGNATURES)
  let until = 0
  return (path, expires) => {
    if (expires !== until) signatures.clear()
    until = expires
    const signature = signatures.get(path) ?? hmac(key, path, expires).digest('hex')
    signatures.set(path, signature)
    return signature
  }
}

export const createFileUrls = (base: string, key: Buffer, seconds: number): FileUrlSigner => ({
  base,
  key,
  seconds,
  sign: createSign(key),
})

/** Expiry times are rounded, so that a file keeps the same URL for a while and replies can be 304. */
export const expiryOf = (seconds: number, now = Date.now()) => {
  const step = Math.max(1, Math.floor(seconds / 4))
  return Math.ceil(now / 1000 / step) * step + seconds
}

/** Those of the caller, on which depends what texts show. */
export const fileUrlsOf = ({ fileUrls }: FastifyRequest) => fileUrls

/** Equal for callers who see the same URLs of a file. */
export const urlsKey = ({ seconds, showsSold }: FileUrls) => `${expiryOf(seconds)} ${showsSold}`

/** What a URL serves. A signature for one is not valid for the other. */
export type Served = 'file' | 'thumbnail'

export const PATH_OF: Record<Served, string> = { file: '', thumbnail: '/thumbnail' }

/** Does not expire, and serves public files only. */
export const permanentUrl = ({ base }: FileUrlSigner, store: StoreId, file: string) => `${base}/${store}/${file}`

interface SignedAddress {
  store: string
  file: string
  served: Served
  expires: number
  signature: string
}

export const verifyFileUrl = (
  links: FileUrlSigner,
  { store, file, served, expires, signature }: SignedAddress,
): boolean => {
  if (expires * 1000 < Date.now() || !/^[0-9a-f]{64}$/.test(signature)) return false
  const right = hmac(links.key, `${store}/${file}${PATH_OF[served]}`, expires).digest()
  return timingSafeEqual(right, Buffer.from(signature, 'hex'))
}

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
