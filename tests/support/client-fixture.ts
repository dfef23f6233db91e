import { type ClientOptions, createClient } from '../../client/src/client.ts'
import { PERMISSIONS, type Permission } from '../../src/resources/permissions/catalogue.ts'
import { startTestApi } from './api.ts'
import { type Failure, type SeenRequest, startFlakyProxy } from './flaky-proxy.ts'

interface ShopOptions {
  permissions?: readonly Permission[]
  settings?: Record<string, string>
  plan?: (seen: SeenRequest, count: number) => Failure | undefined
}

/** A store on a real server, an app with every permission, and a client that calls it through a proxy. */
export const startClientFixture = async ({
  permissions = PERMISSIONS,
  settings = {},
  plan = () => undefined,
}: ShopOptions = {}) => {
  const api = await startTestApi(settings)
  const app = await api.install(permissions)
  const proxy = await startFlakyProxy(api.origin, plan)
  const credentials = { clientId: app.client_id, clientSecret: app.client_secret, installId: app.install_id }
  const connect = (options: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl: proxy.baseUrl, ...credentials, backoff: 10, timeout: 60_000, ...options } as ClientOptions)
  return { api, app, proxy, credentials, connect, client: connect() }
}
