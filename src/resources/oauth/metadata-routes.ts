import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { API_PREFIX, type Config, MCP_PATH } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { etagOf, matchesEtag } from '../../core/http/encoded-body.ts'
import { errors, IdParams, Uuid } from '../../core/input/schemas.ts'
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

const protectedResource = (issuer: string, path: string) => ({
  resource: issuer + path,
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
  const document = (
    name: string,
    suffixes: readonly string[],
    build: (issuer: string, suffix: string, request: FastifyRequest) => object,
  ) => {
    const querystring = Type.Object({ store: Type.Optional(Uuid) })
    const schema = { querystring, response: { 200: Document, ...errors } }
    const send = (request: FastifyRequest, reply: FastifyReply, suffix: string) => {
      reply.header('Cache-Control', 'public, max-age=300')
      return build(publicOrigin(request, config), suffix, request)
    }
    app.get(`/.well-known/${name}`, { ...open, schema }, async (request, reply) =>
      send(request, reply, suffixes[0] as string),
    )
    app.get(`/.well-known/${name}/*`, { ...open, schema }, async (request, reply) => {
      const path = request.url.split('?', 1)[0]
      const suffix = suffixes.find((suffix) =>
        // Behind a path, whoever asks below it has it taken off.
        [`${pathOf(request)}${suffix}`, suffix].some((end) => path === `/.well-known/${name}${end}`),
      )
      if (suffix === undefined) throw new ApiError('not_found')
      return send(request, reply, suffix)
    })
  }
  document('oauth-authorization-server', [''], authorizationServer)
  document('oauth-protected-resource', [API_PREFIX, MCP_PATH], (issuer, path, request) => {
    const { store } = request.query as { store?: string }
    return protectedResource(issuer, path === MCP_PATH && store !== undefined ? `${path}?store=${store}` : path)
  })

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
