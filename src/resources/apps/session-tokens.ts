import { createECDH, hkdfSync, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, importJWK, type JWK, SignJWT } from 'jose'
import type { StoreId } from '../../core/storage/store-id.ts'

const SESSION_SECONDS = 60
const DAY_MS = 24 * 3_600_000
/** A key signs for this long. */
const PERIOD_MS = 90 * DAY_MS
/** It is published that much earlier and later, so that nobody sees a token before its key. */
const OVERLAP_MS = DAY_MS

/** The order of the curve P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

const ALGORITHM = 'ES256'

interface SigningKey {
  kid: string
  publicJwk: JWK
  sign: (token: SignJWT) => Promise<string>
}

const base64url = (bytes: Buffer) => bytes.toString('base64url')

/** Every node derives the same key from the service's secret, so none is stored or passed on. */
const deriveSigningKey = async (master: string, period: number): Promise<SigningKey> => {
  // 16 bytes more than needed, so that the remainder favours no key.
  const bytes = Buffer.from(hkdfSync('sha256', master, '', `storefront-apps session tokens ${period}`, 48))
  const secret = (BigInt(`0x${bytes.toString('hex')}`) % (ORDER - 1n)) + 1n
  const d = Buffer.from(secret.toString(16).padStart(64, '0'), 'hex')
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(d)
  const point = curve.getPublicKey()
  const shape = { kty: 'EC', crv: 'P-256', x: base64url(point.subarray(1, 33)), y: base64url(point.subarray(33)) }
  const kid = await calculateJwkThumbprint(shape)
  const key = await importJWK({ ...shape, d: base64url(d) }, ALGORITHM)
  return {
    kid,
    publicJwk: { ...shape, kid, alg: ALGORITHM, use: 'sig' },
    sign: (token) => token.setProtectedHeader({ alg: ALGORITHM, kid, typ: 'JWT' }).sign(key),
  }
}

export interface SessionClaims {
  issuer: string
  /** The client id of the app that is opened. */
  audience: string
  /** The person, or the app that opened it. */
  subject: string
  install_id: string
  store: StoreId
  locale: string | null
  theme: string | null
  /** What both the installation and the person may do. */
  permissions: readonly string[]
}

export type SessionTokens = ReturnType<typeof createSessionTokens>

/** Short-lived proofs of who has opened an app. Keys change every 90 days; two are published around each change. */
export const createSessionTokens = (master: string) => {
  const keys = new Map<number, Promise<SigningKey>>()
  const keyOf = (period: number) => {
    const known = keys.get(period) ?? deriveSigningKey(master, period)
    keys.set(period, known)
    return known
  }
  const periodAt = (time: number) => Math.floor(time / PERIOD_MS)

  return {
    publicKeys: async (now = Date.now()): Promise<JWK[]> => {
      const periods = new Set([periodAt(now), periodAt(now - OVERLAP_MS), periodAt(now + OVERLAP_MS)])
      return Promise.all([...periods].map(async (period) => (await keyOf(period)).publicJwk))
    },
    sign: async (claims: SessionClaims, now = Date.now()) => {
      const { sign } = await keyOf(periodAt(now))
      const issuedAt = Math.floor(now / 1000)
      const expires = issuedAt + SESSION_SECONDS
      const { issuer, audience, subject, ...others } = claims
      const token = new SignJWT(others)
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(expires)
      return { token: await sign(token), expires_at: new Date(expires * 1000).toISOString() }
    },
  }
}
