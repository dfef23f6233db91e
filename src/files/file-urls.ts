import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Statement } from '../storage/statement.ts'

export interface FileUrlSigner {
  /** URL prefix of served files; `/store/file` follows. */
  base: string
  key: Buffer
  /** Minimum lifetime of a signed URL. */
  seconds: number
  /** HMAC's padded keys, so that SQL can sign with its own sha256(). */
  inner: Buffer
  outer: Buffer
}

/** Builds URLs for one caller. */
export interface FileUrls extends FileUrlSigner {
  /** Whether the caller sees signed URLs of sold files. */
  showsSold: boolean
}

const HMAC_BLOCK = 64

const padded = (key: Buffer, mask: number) => {
  const block = Buffer.alloc(HMAC_BLOCK, mask)
  for (const [index, byte] of key.entries()) block[index] = byte ^ mask
  return block
}

export const createFileUrls = (base: string, key: Buffer, seconds: number): FileUrlSigner => ({
  base,
  key,
  seconds,
  inner: padded(key, 0x36),
  outer: padded(key, 0x5c),
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

interface BoundFileUrls {
  base: string
  expires: string
  inner: string
  outer: string
  showsSold: string
}

const boundUrls = new WeakMap<Statement, BoundFileUrls>()

/** Binds the URL parameters once per statement, however many files it renders. */
export const bindFileUrls = (statement: Statement, fileUrls: FileUrls): BoundFileUrls => {
  const known = boundUrls.get(statement)
  if (known) return known
  const bound = {
    base: `${statement.bind(fileUrls.base)}::text`,
    expires: `${statement.bind(String(expiryOf(fileUrls.seconds)))}::text`,
    inner: `${statement.bind(fileUrls.inner)}::bytea`,
    outer: `${statement.bind(fileUrls.outer)}::bytea`,
    showsSold: `${statement.bind(fileUrls.showsSold)}::boolean`,
  }
  boundUrls.set(statement, bound)
  return bound
}

/** Renders row `f` of table `file` as JSON. */
export const fileJson = (statement: Statement, fileUrls: FileUrls, f: string): string => {
  const { base, expires, inner, outer, showsSold } = bindFileUrls(statement, fileUrls)
  const place = `${f}.store_id || '/' || ${f}.id`
  const signed = (served: Served) => {
    const path = `${place} || '${PATH_OF[served]}'`
    const text = `convert_to(${path} || '/' || ${expires}, 'UTF8')`
    return `${base} || '/' || ${path} || '?expires=' || ${expires} || '&signature='
      || encode(sha256(${outer} || sha256(${inner} || ${text})), 'hex')`
  }
  const withheld = `(${f}.was_sold and not ${showsSold})`
  return `(select row_to_json(r) from (select ${f}.id, ${f}.name, ${f}.size, ${f}.alt, ${f}.mime_type,
    iso(${f}.created_at) as created_at,
    case when ${withheld} then '' else ${signed('file')} end as url,
    ${base} || '/' || ${place} as permanent_url,
    case when not ${f}.thumbnail or ${withheld} then null
      when ${f}.is_public then ${base} || '/' || ${place} || '${PATH_OF.thumbnail}'
      else ${signed('thumbnail')} end as thumbnail) r)`
}
