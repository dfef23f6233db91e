import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { API_PREFIX, type Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { etagOf, matchesEtag } from '../../core/http/etag.ts'
import { errors, IdParams } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { ApiError, notFound } from '../../errors.ts'
import { publicOrigin } from '../accounts/transport.ts'
import { findIcon } from '../apps/queries.ts'
import type { SessionTokens } from '../apps/session-tokens.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'

const authorizationServer = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  jwks_uri: `${issuer}/.well-known/jwks.json`,
  scopes_supported: PERMISSIONS,
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${issuer}/docs`,
})

const protectedResource = (issuer: string) => ({
  resource: issuer + API_PREFIX,
  authorization_servers: [issuer],
  scopes_supported: PERMISSIONS,
  bearer_methods_supported: ['header'],
  resource_documentation: `${issuer}/docs`,
})

export interface MetadataServices {
  config: Config
  db: Db
  sessionTokens: SessionTokens
}

/** What clients read to find their way: RFC 8414, RFC 9728, the keys of session tokens, and the icons of apps. */
export const metadataRoutes = (app: Api, { config, db, sessionTokens }: MetadataServices) => {
  const open = { config: { access: 'open', quiet: true } } as const
  const Document = Type.Unsafe<object>({ type: 'object' })
  const pathOf = (request: FastifyRequest) => new URL(publicOrigin(request, config)).pathname.replace(/\/$/, '')

  /** With a path, clients ask for /.well-known/name/path of the host; behind the path, for /.well-known/name. */
  const document = (name: string, suffix: string, build: (issuer: string) => object) => {
    const schema = { response: { 200: Document, ...errors } }
    app.get(`/.well-known/${name}`, { ...open, schema }, async (request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300')
      return build(publicOrigin(request, config))
    })
    app.get(`/.well-known/${name}/*`, { ...open, schema }, async (request, reply) => {
      if (request.url.split('?', 1)[0] !== `/.well-known/${name}${pathOf(request)}${suffix}`)
        throw new ApiError('not_found')
      reply.header('Cache-Control', 'public, max-age=300')
      return build(publicOrigin(request, config))
    })
  }
  document('oauth-authorization-server', '', authorizationServer)
  document('oauth-protected-resource', API_PREFIX, protectedResource)

  app.get(
    '/.well-known/jwks.json',
    { ...open, schema: { response: { 200: Document, ...errors } } },
    async (_request, reply) => {
      reply.header('Cache-Control', 'public, max-age=300')
      return { keys: await sessionTokens.publicKeys() }
    },
  )

  /** A page of the console. It is under another path because the cookie of the session is. */
  app.get('/oauth/authorize', { ...open, schema: { response: errors } }, async (request, reply) => {
    const query = request.raw.url?.split('?').slice(1).join('?') ?? ''
    return reply
      .header('Cache-Control', 'no-store')
      .redirect(`${publicOrigin(request, config)}/console/authorize?${query}`)
  })

  app.get(
    '/oauth/icons/:id',
    {
      ...open,
      config: { ...open.config, subject: 'icon' },
      schema: {
        params: IdParams,
        response: { 200: Type.Unsafe<Buffer>({ type: 'string' }), 304: Type.Null(), ...errors },
      },
    },
    async ({ params, headers }, reply) => {
      const icon = await findIcon(db, params.id)
      if (!icon) throw notFound('icon')
      const etag = etagOf(icon)
      reply.headers({ 'Cache-Control': 'public, max-age=86400', ETag: etag })
      if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send(null)
      return reply.type('image/webp').send(icon)
    },
  )
}
