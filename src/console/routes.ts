import type { Api } from '../core/http/api.ts'
import { peopleRoutes } from '../resources/accounts/people-routes.ts'
import { accountRoutes } from '../resources/accounts/routes.ts'
import type { AccountServices } from '../resources/accounts/sign-in.ts'
import { staffRoleRoutes } from '../resources/accounts/staff-role-routes.ts'
import type { AccessTokens } from '../resources/auth/access-tokens.ts'
import { callRoutes } from '../resources/calls/routes.ts'
import type { EventKinds } from '../resources/events/kinds.ts'
import { connectedAssistantRoutes } from '../resources/oauth/assistant-routes.ts'
import { type ConsentRouteServices, consentRoutes } from '../resources/oauth/consent-routes.ts'
import { type OperatorServices, operatorRoutes } from '../resources/operator/routes.ts'
import { type SecondFactorServices, secondFactorRoutes } from '../resources/second-factor/routes.ts'
import { developerWebhookRoutes } from '../resources/webhooks/developer-routes.ts'
import { pageRoutes } from './built-files.ts'
import { CONSOLE_API } from './same-origin.ts'
import { storeTokenRoute } from './store-token.ts'

interface ConsoleServices extends AccountServices, ConsentRouteServices, OperatorServices, SecondFactorServices {
  tokens: AccessTokens
  eventKinds: EventKinds
  demo?: { install_id: string } | undefined
}

/** The console: its pages, and routes for accounts and sessions. Stores are read and changed through the public API. */
export const consoleRoutes = async (app: Api, services: ConsoleServices) => {
  const { db, demo } = services
  const demoStore = async () =>
    demo &&
    (await db.selectFrom('installation').select('store_id').where('id', '=', demo.install_id).executeTakeFirst())
      ?.store_id
  await app.register(
    async (app) => {
      accountRoutes(app, { ...services, demoStore })
      await secondFactorRoutes(app, services)
      storeTokenRoute(app, services)
      peopleRoutes(app, services)
      staffRoleRoutes(app, services)
      consentRoutes(app, services)
      connectedAssistantRoutes(app, services)
      await operatorRoutes(app, services)
      await app.register(async (app) => callRoutes(app, { ...services, demoStore }))
      await app.register(async (app) => developerWebhookRoutes(app, services))
    },
    { prefix: CONSOLE_API },
  )
  pageRoutes(app, services)
}
