import { errors, jwtVerify, SignJWT } from 'jose'
import { ApiError } from '../errors.ts'

export interface TokenClaims {
  appId: string
  /** Raised by a revocation; a token of an older generation is refused. */
  generation: number
  /** Present in a restricted token only. */
  installId: string | undefined
  /** Unix seconds. */
  expires: number
}

const ALGORITHM = 'HS256'
const ISSUER = 'storefront-apps'
const MOST_REMEMBERED = 10_000

export type Tokens = ReturnType<typeof createTokens>

export const createTokens = (key: Uint8Array) => {
  // A signature once verified stays valid until the token expires: only the clock is asked again.
  let remembered = new Map<string, TokenClaims>()

  const sign = (claims: TokenClaims) =>
    new SignJWT({ gen: claims.generation, ...(claims.installId && { ins: claims.installId }) })
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(ISSUER)
      .setSubject(claims.appId)
      .setIssuedAt()
      .setExpirationTime(claims.expires)
      .sign(key)

  const readClaims = async (token: string): Promise<TokenClaims> => {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        requiredClaims: ['sub', 'exp', 'gen'],
      })
      return {
        appId: payload.sub as string,
        generation: payload.gen as number,
        installId: payload.ins as string | undefined,
        expires: payload.exp as number,
      }
    } catch (error) {
      throw error instanceof errors.JWTExpired
        ? expired()
        : new ApiError('unauthenticated', 'The access token is not valid.', { cause: error })
    }
  }

  /** The standard check knows whole seconds only; a lifetime is kept to the millisecond. */
  const inTime = (claims: TokenClaims) => {
    if (claims.expires * 1000 > Date.now()) return claims
    throw expired()
  }

  /** At once for a token seen before, else a promise. */
  const verify = (token: string): TokenClaims | Promise<TokenClaims> => {
    const known = remembered.get(token)
    if (known) return inTime(known)
    return readClaims(token).then((claims) => {
      if (remembered.size >= MOST_REMEMBERED) remembered = new Map()
      remembered.set(token, claims)
      return inTime(claims)
    })
  }

  return { sign, verify }
}

const expired = () => new ApiError('token_expired', 'The access token has expired: request a new one.')
