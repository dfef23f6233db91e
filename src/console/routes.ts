import { peopleRoutes } from '../accounts/people-routes.ts'
import { accountRoutes } from '../accounts/routes.ts'
import type { AccountServices } from '../accounts/sign-in.ts'
import type { AccessTokens } from '../auth/access-tokens.ts'
import type { Api } from '../http/api.ts'
import { pageRoutes } from './built-files.ts'
import { CONSOLE_API } from './same-origin.ts'
import { storeTokenRoute } from './store-token.ts'

interface ConsoleServices extends AccountServices {
  tokens: AccessTokens
  demo?: { install_id: string } | undefined
}

/** The console: its pages, and routes for accounts and sessions. Stores are read and changed through the public API. */
export const consoleRoutes = async (app: Api, services: ConsoleServices) => {
  const { config, db, demo } = services
  const demoStore = async () =>
    demo &&
    (await db.selectFrom('installation').select('store_id').where('id', '=', demo.install_id).executeTakeFirst())
      ?.store_id
  await app.register(
    async (app) => {
      accountRoutes(app, { ...services, demoStore })
      storeTokenRoute(app, services)
      peopleRoutes(app, services)
    },
    { prefix: CONSOLE_API },
  )
  pageRoutes(app, config)
}
