import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError, forbidden } from '../../errors.ts'
import { isUuid } from '../input/uuid.ts'
import type { StoreId } from '../storage/store-id.ts'
import { innerCalls } from './inner-calls.ts'

export interface AppRecord {
  id: string
  name: string
  client_id: string
  secret_hash: Buffer
  /** The secret before the last rotation, until it expires; `ends` is on the clock of `performance.now()`. */
  old_secret: { hash: Buffer; ends: number } | undefined
  generation: number
  disabled: boolean
  /** The console. Its tokens name an account, which determines the permissions. */
  built_in: boolean
  /** Has no secret. */
  is_public: boolean
  created_at: Date
  /** The person on whose behalf the console calls, or an assistant that they have connected. */
  account?: AccountName
  /** An assistant calls: one that somebody has connected, or through the tools of /mcp. */
  via?: 'assistant' | undefined
}

/** Shown in the history of changes. */
export interface AccountName {
  id: string
  name: string
}

/** A person who uses the console. */
export interface AccountRecord extends AccountName {
  generation: number
  disabled: boolean
  /** Set for an operator: all permissions, on every store. */
  everywhere: ReadonlySet<string> | undefined
  /** Permissions by store. */
  stores: ReadonlyMap<string, ReadonlySet<string>>
}

export interface InstallationRecord {
  id: string
  store_id: StoreId
  app_id: string
  permissions: ReadonlySet<string>
  /** The operator has suspended the store. */
  is_suspended: boolean
  /** Limits of the plan of the store, by name. Undefined if it has no plan. */
  limits: Readonly<Record<string, number>> | undefined
}

/** What a token of /oauth/token ends with. */
export interface GrantRecord {
  id: string
  /** The person for whom a client without a secret acts: an assistant that they have connected. */
  account_id: string | null
  /** What the person has ticked for it. */
  permissions: ReadonlySet<string> | undefined
}

export interface TokenClaims {
  appId: string
  /** Incremented when tokens are revoked: tokens of an older generation are refused. */
  generation: number
  /** Present in a restricted token only. */
  installId: string | undefined
  /** Present in a token of the console only. */
  account?: { id: string; generation: number } | undefined
  /** Present in a token of /oauth/token only: the token ends with it. */
  grant?: string | undefined
  /** Unix seconds. */
  expires: number
}

type Maybe<T> = T | undefined | Promise<T | undefined>

/** Looks up apps and installations; implemented by the cache in auth/. */
interface AccessLookup {
  app(id: string): Maybe<AppRecord>
  installation(id: string): Maybe<InstallationRecord>
  account(id: string): Maybe<AccountRecord>
  grant(id: string): Maybe<GrantRecord>
}

interface TokenVerifier {
  verify(token: string): TokenClaims | Promise<TokenClaims>
}

/** Checks the session of a request to the console; implemented by accounts/. */
type SessionCheck = (request: FastifyRequest) => Promise<void>

export interface Caller {
  app: AppRecord
  /** The person in whose console the request was made. */
  account?: AccountRecord | undefined
  /** The person for whom a connected assistant acts. */
  assistantOf?: AccountRecord | undefined
  /** The installation a restricted token is bound to. */
  boundTo: string | undefined
  installation: InstallationRecord | undefined
  /** When the token expires, in Unix seconds. */
  expires: number
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * For a route that needs no permission: `open` to anybody, any valid token of an `app`, any `installation`, or
     * the session of an `account` in the console, or that of an `operator`.
     */
    access?: 'open' | 'app' | 'installation' | 'account' | 'operator'
    /** This route is not part of the contract. */
    extension?: boolean
  }
  interface FastifyRequest {
    caller: Caller
    store: StoreId
    /** Permissions that the handler has checked besides that of the route. */
    checkedPermissions?: string[]
    /**
     * Checks the caller again: before each batch of a stream, and after waiting. The token may have expired or been revoked,
     * and permissions may have changed.
     */
    checkAgain(): Promise<void>
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

/** A console token is valid only while its account is. No other token may name an account. */
const checkAccount = (app: AppRecord, account: AccountRecord | undefined, claims: TokenClaims) => {
  if (!app.built_in && !claims.account) return undefined
  if (app.built_in && account && !account.disabled && account.generation === claims.account?.generation) return account
  throw new ApiError('token_revoked')
}

/** Narrows the console's installation to the permissions of its user. */
const restrictToAccount = (installation: InstallationRecord, account: AccountRecord): InstallationRecord => {
  const permissions = account.everywhere ?? account.stores.get(installation.store_id)
  if (!permissions) throw notGranted()
  return { ...installation, permissions }
}

/** What the installation and the person may do, and the person has ticked. */
export const restrictToPerson = (
  installation: InstallationRecord,
  account: AccountRecord | undefined,
  ticked: ReadonlySet<string> | undefined,
): InstallationRecord => {
  if (!account || account.disabled || !ticked) throw new ApiError('token_revoked')
  const { permissions } = restrictToAccount(installation, account)
  return {
    ...installation,
    permissions: new Set([...installation.permissions].filter((name) => permissions.has(name) && ticked.has(name))),
  }
}

/** The person behind a request, whether in the console or through an assistant. */
export const personOf = ({ account, assistantOf }: Caller): AccountRecord | undefined => account ?? assistantOf

/** A restricted token is bound to an installation; with a full access token, the header names one. */
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

const READS = new Set(['GET', 'HEAD'])

/** The people of a suspended store still see it in the console. */
const refuseSuspended = ({ method }: FastifyRequest, { is_suspended }: InstallationRecord, isConsole: boolean) => {
  if (is_suspended && !(isConsole && READS.has(method))) throw new ApiError('store_suspended')
}

const checkInstallation = (installation: InstallationRecord | undefined, app: AppRecord): InstallationRecord => {
  if (installation?.app_id === app.id) return installation
  throw notGranted()
}

/** Checks token, app, installation, rate limit and permission, in this order. Throws at the first failure. */
export const authorize = async (
  accessCache: AccessLookup,
  tokens: TokenVerifier,
  request: FastifyRequest,
  { permission, access }: FastifyContextConfig = request.route,
): Promise<void> => {
  const claims = await tokens.verify(bearer(request))
  const app = checkApp(await accessCache.app(claims.appId), claims)
  const account = checkAccount(app, claims.account && (await accessCache.account(claims.account.id)), claims)
  const grant = claims.grant ? await accessCache.grant(claims.grant) : undefined
  if (claims.grant && !grant) throw new ApiError('token_revoked')
  const assistantOf = grant?.account_id ? await accessCache.account(grant.account_id) : undefined
  const person = account ?? assistantOf
  const via = assistantOf ? 'assistant' : innerCalls.getStore()?.via
  const caller: FastifyRequest['caller'] = {
    app: person || via ? { ...app, ...(person && { account: person }), via } : app,
    account,
    assistantOf,
    boundTo: claims.installId,
    installation: undefined,
    expires: claims.expires,
  }
  // Known before anything is refused. A caller who is checked again, while a reply is being written, stays whole meanwhile.
  request.caller ??= caller
  if (access === 'app' && !claims.installId) return
  const installed = checkInstallation(await accessCache.installation(chooseInstallation(request, claims)), app)
  const installation = account
    ? restrictToAccount(installed, account)
    : grant?.account_id
      ? restrictToPerson(installed, assistantOf, grant.permissions)
      : installed
  request.caller = Object.assign(caller, { installation })
  request.store = installation.store_id as StoreId
  await request.limitCall?.()
  refuseSuspended(request, installation, account !== undefined)
  if (permission && !installation.permissions.has(permission)) throw forbidden(permission)
}

/** Counts a request to an unknown route against its caller's rate limit. An invalid token is ignored. */
const countUnknownRoute = async (accessCache: AccessLookup, tokens: TokenVerifier, request: FastifyRequest) => {
  try {
    await authorize(accessCache, tokens, request, { access: 'installation' })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'rate_limited') throw error
  }
}

/** For permissions that depend on the request. Those of a route stand on it. */
export const requirePermission = (request: FastifyRequest, permission: string) => {
  if (!request.caller.installation?.permissions.has(permission)) throw forbidden(permission)
  request.checkedPermissions = [...(request.checkedPermissions ?? []), permission]
}

/**
 * Requires a token on every route that is neither open nor a console route, which requires a session. A route that does
 * not declare who may call it stops the server.
 */
export const guardRoutes = (
  app: FastifyInstance,
  accessCache: AccessLookup,
  tokens: TokenVerifier,
  checkSession: SessionCheck,
) => {
  app.decorateRequest('caller')
  app.decorateRequest('store')
  app.decorateRequest('checkedPermissions')
  app.decorateRequest('checkAgain', function checkAgain(this: FastifyRequest) {
    // A stream counts as one request, however long it lasts.
    delete this.limitCall
    return authorize(accessCache, tokens, this)
  })

  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.permission === !config?.access)
      throw new Error(`${method} ${url} must declare who may call it: config.permission or config.access.`)
  })

  app.addHook('onRequest', async (request) => {
    if (request.route.access === 'open') return
    const { access } = request.route
    if (access === 'account' || access === 'operator') await checkSession(request)
    else if (request.route.url !== undefined) await authorize(accessCache, tokens, request)
    else if (request.headers.authorization) await countUnknownRoute(accessCache, tokens, request)
  })
}
