import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, forbidden } from '../errors.ts'
import { isUuid } from '../input/uuid.ts'
import type { StoreId } from '../storage/store-id.ts'

export interface AppRecord {
  id: string
  name: string
  client_id: string
  secret_hash: Buffer
  /** The secret before the last rotation, while it still works; `ends` is in terms of `performance.now()`. */
  old_secret: { hash: Buffer; ends: number } | undefined
  generation: number
  disabled: boolean
  created_at: Date
}

export interface InstallationRecord {
  id: string
  store_id: string
  app_id: string
  permissions: ReadonlySet<string>
}

export interface TokenClaims {
  appId: string
  /** Incremented when tokens are revoked: tokens of an older generation are refused. */
  generation: number
  /** Present in a restricted token only. */
  installId: string | undefined
  /** Unix seconds. */
  expires: number
}

type Maybe<T> = T | undefined | Promise<T | undefined>

/** Looks up apps and installations; implemented by the cache in auth/. */
interface AccessLookup {
  app(id: string): Maybe<AppRecord>
  installation(id: string): Maybe<InstallationRecord>
}

interface TokenVerifier {
  verify(token: string): TokenClaims | Promise<TokenClaims>
}

export interface Caller {
  app: AppRecord
  /** The installation a restricted token is bound to. */
  boundTo: string | undefined
  installation: InstallationRecord | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a route that needs no permission: `open` to anybody, any valid token of an `app`, or any `installation`. */
    access?: 'open' | 'app' | 'installation'
    /** This route is not part of the contract. */
    extension?: boolean
  }
  interface FastifyRequest {
    caller: Caller
    store: StoreId
  }
}

const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i

const notGranted = () => new ApiError('install_not_granted')

const bearer = ({ headers }: FastifyRequest) => {
  const token = BEARER.exec(headers.authorization ?? '')?.[1]
  if (token) return token
  throw new ApiError('unauthenticated')
}

const namedInstallation = ({ headers }: FastifyRequest) => {
  const header = headers['x-app-install-id']
  return typeof header === 'string' && header !== '' ? header : undefined
}

const checkApp = (app: AppRecord | undefined, claims: TokenClaims): AppRecord => {
  if (app && !app.disabled && app.generation === claims.generation) return app
  throw new ApiError('token_revoked')
}

/** The installation that a request acts on: from the token or, with a full access token, from the header. */
const chooseInstallation = (request: FastifyRequest, claims: TokenClaims) => {
  const named = namedInstallation(request)
  if (claims.installId) {
    if (named && named.toLowerCase() !== claims.installId) throw notGranted()
    return claims.installId
  }
  if (!named) throw new ApiError('install_required')
  if (!isUuid(named)) throw notGranted()
  return named.toLowerCase()
}

const checkInstallation = (installation: InstallationRecord | undefined, app: AppRecord): InstallationRecord => {
  if (installation?.app_id === app.id) return installation
  throw notGranted()
}

/** Checks token, app, installation, rate limit and permission of a request, in this order. Throws the first refusal. */
export const authorize = async (
  accessCache: AccessLookup,
  tokens: TokenVerifier,
  request: FastifyRequest,
  { permission, access }: FastifyContextConfig = request.route,
): Promise<void> => {
  const claims = await tokens.verify(bearer(request))
  const app = checkApp(await accessCache.app(claims.appId), claims)
  request.caller = { app, boundTo: claims.installId, installation: undefined }
  if (access === 'app' && !claims.installId) return
  const installation = checkInstallation(await accessCache.installation(chooseInstallation(request, claims)), app)
  request.caller.installation = installation
  request.store = installation.store_id as StoreId
  await request.limitCall?.()
  if (permission && !installation.permissions.has(permission)) throw forbidden(permission)
}

/** Counts a call of an unknown address or method against the rate limit of its caller. It needs no valid token. */
const countUnknown = async (accessCache: AccessLookup, tokens: TokenVerifier, request: FastifyRequest) => {
  try {
    await authorize(accessCache, tokens, request, { access: 'installation' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') throw error
  }
}

/** Every route needs a token unless it is open. A route that does not declare who may call it stops the server. */
export const guardRoutes = (app: FastifyInstance, accessCache: AccessLookup, tokens: TokenVerifier) => {
  app.decorateRequest('caller')
  app.decorateRequest('store')

  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.permission === !config?.access)
      throw new Error(`${method} ${url} must declare who may call it: config.permission or config.access.`)
  })

  app.addHook('onRequest', async (request) => {
    if (request.route.access === 'open') return
    if (request.route.url !== undefined) await authorize(accessCache, tokens, request)
    else if (request.limitCall) await countUnknown(accessCache, tokens, request)
  })
}
