/** Who has opened the app, for which store. */
export interface SessionToken {
  /** The address of the service. */
  iss: string
  /** Your client id. */
  aud: string
  /** The person who has opened the app. */
  sub: string
  install_id: string
  store: string
  locale: string | null
  theme: string | null
  /** What both the installation and the person may do. */
  permissions: string[]
  /** Unix seconds. */
  iat: number
  exp: number
  jti: string
}

export interface SessionTokenOptions {
  /** The address of the service, such as `https://api.example.com`. */
  issuer: string
  clientId: string
  /** Refuses tokens for other stores. */
  store?: string
  /** Replaces the global `fetch`. */
  fetch?: typeof fetch
  /** Unix milliseconds; now by default. */
  now?: number
}

export class SessionTokenError extends Error {
  override name = 'SessionTokenError'
}

interface PublicKey {
  kid?: string
  kty: string
  crv?: string
  x?: string
  y?: string
}

/** How much the clocks of app and service may differ. */
const LEEWAY_SECONDS = 5
/** An unknown key makes the keys be fetched again, but not more often than this. */
const REFETCH_MS = 30_000

interface KnownKeys {
  fetchedAt: number
  keys: Promise<PublicKey[]>
}

const known = new Map<string, KnownKeys>()

const fetchKeys = async (issuer: string, fetcher: typeof fetch): Promise<PublicKey[]> => {
  const response = await fetcher(`${issuer}/.well-known/jwks.json`)
  if (!response.ok) throw new SessionTokenError(`The keys of ${issuer} could not be fetched: ${response.status}.`)
  return ((await response.json()) as { keys: PublicKey[] }).keys
}

const keysOf = (issuer: string, fetcher: typeof fetch, after: number) => {
  const found = known.get(issuer)
  if (found && found.fetchedAt >= after) return found.keys
  const keys = fetchKeys(issuer, fetcher)
  known.set(issuer, { fetchedAt: Date.now(), keys })
  keys.catch(() => known.delete(issuer))
  return keys
}

const findKey = async (issuer: string, kid: string, fetcher: typeof fetch) => {
  const find = (keys: PublicKey[]) => keys.find((key) => key.kid === kid)
  const key = find(await keysOf(issuer, fetcher, 0)) ?? find(await keysOf(issuer, fetcher, Date.now() - REFETCH_MS))
  if (!key) throw new SessionTokenError('The session token is signed with an unknown key.')
  return key
}

const malformed = () => new SessionTokenError('This is not a session token.')

const bytesOf = (text: string) => {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) throw malformed()
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

const parse = (text: string) => {
  const bytes = bytesOf(text)
  try {
    // Never null, which has no fields to look at.
    return Object(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    throw malformed()
  }
}

const checkClaims = (claims: SessionToken, { issuer, clientId, store, now = Date.now() }: SessionTokenOptions) => {
  const refuse = (reason: string) => {
    throw new SessionTokenError(`The session token ${reason}.`)
  }
  if (claims.iss !== issuer) refuse('is of another service')
  if (claims.aud !== clientId) refuse('is for another app')
  if (store !== undefined && claims.store !== store) refuse('is for another store')
  if (!(claims.exp > now / 1000 - LEEWAY_SECONDS)) refuse('has expired')
  return claims
}

/** Verifies a session token that the console has given to your app. Throws a SessionTokenError unless it is valid. */
export const verifySessionToken = async (token: string, options: SessionTokenOptions): Promise<SessionToken> => {
  const [head = '', body = '', signature = '', ...rest] = token.split('.')
  const { alg, kid } = parse(head)
  if (alg !== 'ES256' || typeof kid !== 'string' || rest.length > 0) throw malformed()
  const jwk = await findKey(options.issuer, kid, options.fetch ?? fetch)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk, algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${head}.${body}`)
  if (!(await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed)))
    throw new SessionTokenError('The signature of the session token is wrong.')
  return checkClaims(parse(body), options)
}
