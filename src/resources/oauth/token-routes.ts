import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import { type AppRecord, restrictToPerson } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { clientAddress, networkOf } from '../../core/http/client-address.ts'
import { sendError } from '../../core/http/error-replies.ts'
import { isUuid } from '../../core/input/uuid.ts'
import type { Db } from '../../core/storage/database.ts'
import { ApiError } from '../../errors.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import { authenticate, createAppUseRecorder } from '../auth/issue-token.ts'
import { findAccount, findGrant, findInstallation } from '../auth/queries.ts'
import { MAX_TOKEN_REQUEST_BYTES } from '../auth/schema.ts'
import {
  ACCESS_SECONDS,
  endGrant,
  exchangeCode,
  exchangeRefreshToken,
  type Granted,
  grantInstallation,
  noInstallation,
  revokeRefreshToken,
} from './grants.ts'
import { OAuthError, oauthError } from './oauth-error.ts'

export interface TokenServices {
  config: Config
  db: Db
  accessCache: AccessCache
  tokens: AccessTokens
}

const FORM = 'application/x-www-form-urlencoded'
const MAX_FIELD_LENGTH = 4_096

const TokenReply = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer(),
    scope: Type.String(),
    install_id: Type.String(),
    store: Type.String(),
    refresh_token: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)

const Refusal = Type.Object({ error: Type.String(), error_description: Type.String() }, { additionalProperties: false })

const parseForm = (text: string): Map<string, string> => {
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw oauthError('invalid_request', `${name} is given twice.`)
    if (value.length > MAX_FIELD_LENGTH) throw oauthError('invalid_request', `${name} is too long.`)
    form.set(name, value)
  }
  return form
}

/** RFC 6749, section 2.3.1: both parts of the Basic credentials are form-encoded. */
const decodePart = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw oauthError('invalid_client', 'The Basic credentials are not form-encoded.')
  }
}

const basicCredentials = (authorization: string | undefined) => {
  if (authorization === undefined) return undefined
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*)$/i.exec(authorization)?.[1]
  const [id, secret] = Buffer.from(encoded ?? '', 'base64')
    .toString('utf8')
    .split(/:(.*)/s)
  if (!id || secret === undefined) throw oauthError('invalid_client', 'The Basic credentials are not well-formed.')
  return { clientId: decodePart(id), clientSecret: decodePart(secret) }
}

const required = (form: Map<string, string>, name: string) => {
  const value = form.get(name)
  if (!value) throw oauthError('invalid_request', `${name} is required.`)
  return value
}

/** Translates errors of get-token, whose checks and limits these endpoints share. */
const toOAuthError = (error: unknown): OAuthError | undefined => {
  if (error instanceof OAuthError) return error
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'invalid_credentials') return new OAuthError('invalid_client', error.message)
  if (error.code === 'install_not_granted') return new OAuthError('invalid_grant', error.message)
  if (error.code === 'rate_limited') return new OAuthError('temporarily_unavailable', error.message, 429)
  if (['unsupported_media_type', 'bad_request', 'payload_too_large'].includes(error.code))
    return new OAuthError('invalid_request', error.message)
  return undefined
}

const sendOAuthError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  const known = toOAuthError(error)
  if (!known) return sendError(error, request, reply)
  if (known.status === 401) reply.header('WWW-Authenticate', 'Basic realm="storefront-apps", charset="UTF-8"')
  if (error instanceof ApiError && error.retryAfter !== undefined) reply.header('Retry-After', String(error.retryAfter))
  return reply
    .code(known.status)
    .header('Cache-Control', 'no-store')
    .send({ error: known.code, error_description: known.message })
}

const createEndpoints = ({ config, db, accessCache, tokens }: TokenServices) => {
  const recordUse = createAppUseRecorder(db)

  const publicClient = async (clientId: string): Promise<AppRecord> => {
    const app = await accessCache.client(clientId)
    if (app?.is_public && !app.disabled) return app
    throw oauthError('invalid_client', 'This client needs its secret, or is not known.')
  }

  const authenticateClient = async (request: FastifyRequest, form: Map<string, string>): Promise<AppRecord> => {
    const basic = basicCredentials(request.headers.authorization)
    const bodyId = form.get('client_id')
    if (basic && (form.has('client_secret') || (bodyId !== undefined && bodyId !== basic.clientId)))
      throw oauthError('invalid_request', 'Send the client credentials once: as Basic, or in the body.')
    const clientId = basic?.clientId ?? required(form, 'client_id')
    const clientSecret = basic?.clientSecret ?? form.get('client_secret')
    if (clientSecret === undefined) return publicClient(clientId)
    const address = networkOf(clientAddress(request, config.TRUST_PROXY))
    return authenticate(db, accessCache, { credentials: { clientId, clientSecret }, address })
  }

  const byCredentials = async (app: AppRecord, form: Map<string, string>): Promise<Granted> => {
    if (app.is_public) throw oauthError('unauthorized_client', 'Only a client with a secret may do this.')
    const installation = required(form, 'install_id').toLowerCase()
    const isOwn = isUuid(installation) && (await accessCache.installation(installation))?.app_id === app.id
    if (!isOwn) throw noInstallation()
    const grant = await grantInstallation(db, app, installation)
    return { grant, installation, account: null, refreshToken: undefined }
  }

  const grantBy = async (app: AppRecord, form: Map<string, string>): Promise<Granted> => {
    const type = required(form, 'grant_type')
    if (type === 'client_credentials') return byCredentials(app, form)
    if (type === 'authorization_code')
      return exchangeCode(
        db,
        app,
        {
          code: required(form, 'code'),
          redirectUri: required(form, 'redirect_uri'),
          verifier: required(form, 'code_verifier'),
        },
        accessCache.clear,
      )
    if (type === 'refresh_token' && app.is_public)
      return exchangeRefreshToken(db, app, required(form, 'refresh_token'), accessCache.clear)
    throw type === 'refresh_token'
      ? oauthError('unauthorized_client', 'Only public clients have refresh tokens: use client_credentials.')
      : oauthError('unsupported_grant_type', 'grant_type must be one of those in the metadata of this server.')
  }

  /** The installation, with what the person may do for whom the token is. Not from the cache: it may be as new as the code. */
  const usableBy = async ({ installation: id, grant, account }: Granted) => {
    const installation = await findInstallation(db, id)
    if (!installation) throw oauthError('invalid_grant', 'The app has been uninstalled.')
    if (account === null) return installation
    try {
      return restrictToPerson(installation, await findAccount(db, account), (await findGrant(db, grant))?.permissions)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw oauthError('invalid_grant', 'The person who let this client in no longer has access to the store.')
    }
  }

  const issue = async (request: FastifyRequest, form: Map<string, string>) => {
    const app = await authenticateClient(request, form)
    const granted = await grantBy(app, form)
    const { grant, installation, refreshToken } = granted
    const found = await usableBy(granted)
    recordUse(app, installation)
    const expires = Date.now() / 1000 + ACCESS_SECONDS
    const claims = { appId: app.id, generation: app.generation, installId: installation, grant, expires }
    return {
      access_token: tokens.sign(claims),
      token_type: 'Bearer' as const,
      expires_in: ACCESS_SECONDS,
      scope: [...found.permissions].join(' '),
      install_id: installation,
      store: found.store_id,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    }
  }

  /** RFC 7009: an unknown token is no error, because the result is the one that was wanted. */
  const revoke = async (request: FastifyRequest, form: Map<string, string>) => {
    const app = await authenticateClient(request, form)
    const token = required(form, 'token')
    if (token.startsWith('rt_')) {
      if ((await revokeRefreshToken(db, app, token)).length > 0) accessCache.clear()
      return
    }
    const claims = await Promise.resolve(tokens.verify(token)).catch(() => undefined)
    if (claims?.appId !== app.id) return
    if (!claims.grant)
      throw oauthError(
        'unsupported_token_type',
        'Tokens of get-token end with the secret, the installation or the app.',
      )
    await endGrant(db, claims.grant)
    accessCache.clear()
  }

  return { issue, revoke }
}

/** /oauth/token and /oauth/revoke, which take forms and reply as RFC 6749 says. */
export const tokenRoutes = async (app: Api, services: TokenServices) => {
  const { issue, revoke } = createEndpoints(services)
  await app.register(async (app) => {
    app.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, parseForm(text as string))
      } catch (error) {
        done(error as Error)
      }
    })
    app.setErrorHandler(sendOAuthError)
    const route = { config: { access: 'open', authenticates: true }, bodyLimit: MAX_TOKEN_REQUEST_BYTES } as const
    const formOf = ({ body }: FastifyRequest) => (body instanceof Map ? body : new Map<string, string>())

    app.post(
      '/oauth/token',
      { ...route, schema: { response: { 200: TokenReply, '4xx': Refusal } } },
      async (request, reply) => {
        const issued = await issue(request, formOf(request))
        reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' })
        return issued
      },
    )

    app.post(
      '/oauth/revoke',
      { ...route, schema: { response: { 200: Type.Object({}), '4xx': Refusal } } },
      async (request, reply) => {
        await revoke(request, formOf(request))
        return reply.header('Cache-Control', 'no-store').send({})
      },
    )
  })
}
