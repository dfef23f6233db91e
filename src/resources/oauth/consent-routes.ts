import { Type } from 'typebox'
import type { Config } from '../../config/config.ts'
import type { Api } from '../../core/http/api.ts'
import { data, errors, Uuid } from '../../core/input/schemas.ts'
import type { Db } from '../../core/storage/database.ts'
import { publicOrigin } from '../accounts/transport.ts'
import type { Lifecycle } from '../apps/lifecycle.ts'
import type { Hub } from '../events/hub.ts'
import type { Webhooks } from '../webhooks/start.ts'
import { applyDecision, describeConsent } from './consent.ts'
import { AuthorizationRequest, Consent, Decision } from './consent-schema.ts'

const SMALL_BODY = 16 * 1024

export interface ConsentRouteServices {
  config: Config
  db: Db
  hub: Hub
  webhooks: Webhooks
  lifecycle: Lifecycle
}

/** What the page of /oauth/authorize reads, and where it sends what a person has decided. */
export const consentRoutes = (app: Api, { config, db, hub, webhooks, lifecycle }: ConsentRouteServices) => {
  const services = { db, egress: webhooks.egress }

  app.get(
    '/authorize',
    {
      config: { access: 'account', subject: 'app' },
      schema: {
        querystring: AuthorizationRequest,
        response: {
          200: data({ consent: Type.Optional(Consent), redirect: Type.Optional(Type.String()) }),
          ...errors,
        },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'no-store')
      return {
        data: await describeConsent(services, request.session.account, request.query, publicOrigin(request, config)),
      }
    },
  )

  app.post(
    '/authorize',
    {
      config: { access: 'account', confirmed: true, subject: 'app' },
      bodyLimit: SMALL_BODY,
      schema: {
        body: Decision,
        response: {
          200: data({ install_id: Type.Optional(Uuid), redirect: Type.Optional(Type.String()) }),
          ...errors,
        },
      },
    },
    async (request, reply) => {
      const { request: given, ...decision } = request.body
      const { store_id, ...decided } = await applyDecision(
        services,
        request.session,
        given,
        decision,
        publicOrigin(request, config),
      )
      lifecycle.wake()
      if (store_id) hub.wrote(store_id)
      reply.header('Cache-Control', 'no-store')
      return { data: decided }
    },
  )
}
