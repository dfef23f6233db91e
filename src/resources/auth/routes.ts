import type { Config } from '../../config/config.ts'
import type { AppRecord } from '../../core/http/access.ts'
import type { Api } from '../../core/http/api.ts'
import { clientAddress, networkOf } from '../../core/http/client-address.ts'
import { sendJson } from '../../core/http/json-reply.ts'
import { errors } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import type { AccessCache } from './access-cache.ts'
import type { AccessTokens } from './access-tokens.ts'
import { readCredentials } from './credentials.ts'
import { createAppUseRecorder, issueToken } from './issue-token.ts'
import { DEFAULT_TTL, MAX_TOKEN_REQUEST_BYTES, MeReply, TokenReply, TokenRequest } from './schema.ts'

const show = ({ id, client_id, created_at }: AppRecord) => ({ id, client_id, created_at: created_at.toISOString() })

export interface AuthServices {
  config: Config
  db: Db
  accessCache: AccessCache
  tokens: AccessTokens
}

export const authRoutes = (app: Api, { config, db, accessCache, tokens }: AuthServices) => {
  const recordUse = createAppUseRecorder(db)

  app.post(
    '/auth/get-token',
    {
      config: { access: 'open', authenticates: true },
      bodyLimit: MAX_TOKEN_REQUEST_BYTES,
      schema: {
        operationId: 'getToken',
        summary: 'Exchange credentials for a token',
        description:
          'After 30 failed attempts in a minute with one `client_id` from one address (IPv6: one /64 network), ' +
          'every attempt from there gets 429 until the minute ends, even with the right secret. Other addresses ' +
          'are not affected.',
        body: TokenRequest,
        response: { 200: TokenReply, ...errors },
      },
    },
    async (request, reply) => {
      const { body, headers } = request
      const address = networkOf(clientAddress(request, config.TRUST_PROXY))
      const credentials = readCredentials(body, headers.authorization)
      const ttl = body.ttl ?? DEFAULT_TTL
      const issued = await issueToken(db, accessCache, tokens, {
        credentials,
        installId: body.install_id,
        ttl,
        address,
      })
      recordUse(issued.app, body.install_id)
      reply.header('Cache-Control', 'no-store')
      return { data: { app: show(issued.app), token: issued.token, ttl } }
    },
  )

  app.get(
    '/auth/me',
    {
      config: { access: 'app' },
      schema: {
        operationId: 'getCurrentApp',
        summary: 'Fetch the app of the token',
        response: { 200: MeReply, ...errors },
      },
    },
    async ({ caller: { app, boundTo } }, reply) =>
      sendJson(reply, JSON.stringify({ data: { app: show(app), ...(boundTo && { install_id: boundTo }) } })),
  )
}
