import Type from 'typebox'
import { findConsoleInstallation, findStore } from '../accounts/queries.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import { notFound } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { data, errors, IdParams } from '../input/schemas.ts'
import type { Db } from '../storage/database.ts'

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
