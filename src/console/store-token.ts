import { Type } from 'typebox'
import type { Api } from '../core/http/api.ts'
import { data, errors, IdParams } from '../core/input/schemas.ts'
import type { Db } from '../core/storage/database.ts'
import { notFound } from '../errors.ts'
import { findConsoleInstallation, findStore } from '../resources/accounts/queries.ts'
import type { AccessTokens } from '../resources/auth/access-tokens.ts'

const TTL_SECONDS = 600

/** A short-lived token of the built-in app for one store, on behalf of the signed-in person. */
export const storeTokenRoute = (app: Api, { db, tokens }: { db: Db; tokens: AccessTokens }) => {
  app.post(
    '/stores/:id/token',
    {
      config: { access: 'account', subject: 'store' },
      schema: {
        params: IdParams,
        response: { 200: data({ token: Type.String(), ttl: Type.Integer() }), ...errors },
      },
    },
    async ({ session: { account }, params }, reply) => {
      const store = await findStore(db, account, params.id)
      const installation = store && (await findConsoleInstallation(db, store.id))
      if (!installation) throw notFound('store')
      const token = tokens.sign({
        appId: installation.app_id,
        generation: installation.generation,
        installId: installation.id,
        account: { id: account.id, generation: account.generation },
        expires: Date.now() / 1000 + TTL_SECONDS,
      })
      reply.header('Cache-Control', 'no-store')
      return { data: { token, ttl: TTL_SECONDS } }
    },
  )
}
