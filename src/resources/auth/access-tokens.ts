import { createHmac } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import type { TokenClaims } from '../../core/http/access.ts'
import { LimitedMap } from '../../core/storage/limited-map.ts'
import { ApiError } from '../../errors.ts'

const ALGORITHM = 'HS256'
const HEADER = Buffer.from(JSON.stringify({ alg: ALGORITHM })).toString('base64url')
const ISSUER = 'storefront-apps'
const MAX_CACHED = 10_000

export type AccessTokens = ReturnType<typeof createAccessTokens>

// Synchronous: signing with jose, which uses Web Crypto, takes 100 µs more, longer than the rest of get-token.
const signToken = (key: Uint8Array, { appId, generation, installId, account, grant, expires }: TokenClaims) => {
  const payload = {
    gen: generation,
    ins: installId,
    acc: account?.id,
    agn: account?.generation,
    grt: grant,
    iss: ISSUER,
    sub: appId,
    iat: Math.floor(Date.now() / 1000),
    exp: expires,
  }
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

const expired = () => new ApiError('token_expired')

const readClaims = async (key: Uint8Array, token: string): Promise<TokenClaims> => {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      requiredClaims: ['sub', 'exp', 'gen'],
    })
    const { acc, agn } = payload
    return {
      appId: payload.sub as string,
      generation: payload.gen as number,
      installId: payload.ins as string | undefined,
      account: acc === undefined ? undefined : { id: acc as string, generation: agn as number },
      grant: payload.grt as string | undefined,
      expires: payload.exp as number,
    }
  } catch (error) {
    throw error instanceof errors.JWTExpired
      ? expired()
      : new ApiError('unauthenticated', 'The access token is not valid.', { cause: error })
  }
}

/** jwtVerify only compares whole seconds. */
const requireUnexpired = (claims: TokenClaims) => {
  if (claims.expires * 1000 > Date.now()) return claims
  throw expired()
}

export const createAccessTokens = (key: Uint8Array) => {
  // Verified tokens. A signature stays valid, so only the expiry is checked again.
  const verified = new LimitedMap<string, TokenClaims>(MAX_CACHED)

  /** Synchronous for a token seen before. */
  const verify = (token: string): TokenClaims | Promise<TokenClaims> => {
    const known = verified.get(token)
    if (known) return requireUnexpired(known)
    return readClaims(key, token).then((claims) => {
      verified.set(token, claims)
      return requireUnexpired(claims)
    })
  }

  return { sign: (claims: TokenClaims) => signToken(key, claims), verify }
}
