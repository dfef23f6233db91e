import { createHmac, timingSafeEqual } from 'node:crypto'

export interface FileUrlSigner {
  /** URL prefix of served files; `/store/file` follows. */
  base: string
  key: Buffer
  /** Minimum lifetime of a signed URL. */
  seconds: number
}

/** Builds URLs for one caller. */
export interface FileUrls extends FileUrlSigner {
  /** Whether the caller sees signed URLs of sold files. */
  showsSold: boolean
}

export const createFileUrls = (base: string, key: Buffer, seconds: number): FileUrlSigner => ({
  base,
  key,
  seconds,
})

/** Expiry times are rounded, so that a file keeps the same URL for a while and replies can be 304. */
export const expiryOf = (seconds: number, now = Date.now()) => {
  const step = Math.max(1, Math.floor(seconds / 4))
  return Math.ceil(now / 1000 / step) * step + seconds
}

/** What a URL serves. A signature for one is not valid for the other. */
export type Served = 'file' | 'thumbnail'

export const PATH_OF: Record<Served, string> = { file: '', thumbnail: '/thumbnail' }

/** Does not expire, and serves public files only. */
export const permanentUrl = ({ base }: FileUrlSigner, store: string, file: string) => `${base}/${store}/${file}`

export interface SignedAddress {
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
  const right = createHmac('sha256', links.key).update(`${store}/${file}${PATH_OF[served]}/${expires}`).digest()
  return timingSafeEqual(right, Buffer.from(signature, 'hex'))
}
