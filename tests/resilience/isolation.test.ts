import { createHmac, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { RouteEntry } from '../../src/core/http/route-table.ts'
import { waitForListeners } from '../../src/core/storage/listener.ts'
import { ACCESS_CHANNEL } from '../../src/resources/auth/access-cache.ts'
import { revokePermissions } from '../../src/resources/auth/change-permissions.ts'
import { disableApp } from '../../src/resources/auth/disable-app.ts'
import { removeInstallation } from '../../src/resources/auth/remove-installation.ts'
import { rotateSecret } from '../../src/resources/auth/rotate-secret.ts'
import { PERMISSIONS, type Permission } from '../../src/resources/permissions/catalogue.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { form } from '../support/uploads.ts'
import { fingerprint } from './fingerprint.ts'
import { recordResult } from './results-table.ts'

/** Routes that need no token. A new one must be added here. */
const OPEN = [
  'GET /',
  'GET /.well-known/jwks.json',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-authorization-server/*',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/*',
  'GET /api/apps/v1',
  'GET /api/apps/v1/files/:store/:id',
  'GET /api/apps/v1/files/:store/:id/thumbnail',
  'GET /api/apps/v1/permission',
  'GET /console',
  'GET /console/*',
  'GET /console/api/state',
  'GET /console/assets/:name',
  'GET /docs',
  'GET /docs/*',
  'GET /docs/:script',
  'GET /docs/openapi.json',
  'GET /healthz',
  'GET /llms-full.txt',
  'GET /llms.txt',
  'GET /oauth/authorize',
  'GET /oauth/icons/:id',
  'GET /openapi.json',
  'GET /readyz',
  'POST /api/apps/v1/auth/get-token',
  'POST /api/apps/v1/billing/paid',
  'POST /console/api/link',
  'POST /console/api/link/check',
  'POST /console/api/sign-in',
  'POST /oauth/revoke',
  'POST /oauth/token',
]

const guarded = (api: TestApi) =>
  api.app.routeTable.filter(({ config }) => !['open', 'account', 'operator'].includes(config.access ?? ''))

const call = (api: TestApi, { method, url }: RouteEntry, headers: Record<string, string>) =>
  api.site.send(method, url.replace(/:\w+/g, randomUUID()), undefined, headers)

const bearer = (token: string, installation?: string) => ({
  authorization: `Bearer ${token}`,
  ...(installation !== undefined && { 'x-app-install-id': installation }),
})

const expectRefusal = (reply: Awaited<ReturnType<typeof call>>, status: number, code: string, about: string) => {
  expect(reply.status, `${about}: ${reply.text}`).toBe(status)
  if (reply.body) expect(reply.body.code, about).toBe(code)
}

test('only the listed routes need no token', async () => {
  const api = await startTestApi()
  const open = api.app.routeTable.filter(({ config, method }) => config.access === 'open' && method !== 'HEAD')
  expect(open.map(({ method, url }) => `${method} ${url}`).sort()).toEqual(OPEN)
  expect(guarded(api).length).toBeGreaterThan(40)
})

const unauthorizedCallers = async (api: TestApi) => {
  const app = await api.install(PERMISSIONS)
  const other = await api.install(PERMISSIONS)
  const elsewhere = await (await startTestApi()).install(PERMISSIONS)
  const removed = await api.install(PERMISSIONS)
  const full = await api.getToken(app)
  const restricted = await api.getToken(app, { install_id: app.install_id })
  const ofRemoved = await api.getToken(removed, { install_id: removed.install_id })
  const fullOfRemoved = await api.getToken(removed)
  await removeInstallation(api.db, removed.install_id)
  const expired = await api.services.tokens.sign({
    appId: randomUUID(),
    generation: 1,
    installId: app.install_id,
    expires: Math.floor(Date.now() / 1000) - 1,
  })
  const [header, claims] = restricted.split('.') as [string, string]
  const forged = `${header}.${claims}.${createHmac('sha256', 'a guess').update(`${header}.${claims}`).digest('base64url')}`
  const kinds: [string, Record<string, string>, number, string][] = [
    ['no token', {}, 401, 'unauthenticated'],
    ['Basic instead of Bearer', { authorization: `Basic ${restricted}` }, 401, 'unauthenticated'],
    ['an expired token', bearer(expired), 401, 'token_expired'],
    ['a forged token', bearer(forged), 401, 'unauthenticated'],
    ['another app’s installation', bearer(full, other.install_id), 403, 'install_not_granted'],
    ['an installation on another store', bearer(full, elsewhere.install_id), 403, 'install_not_granted'],
    ['a token bound to another installation', bearer(restricted, other.install_id), 403, 'install_not_granted'],
    ['a bound token of a removed installation', bearer(ofRemoved), 403, 'install_not_granted'],
    ['a removed installation', bearer(fullOfRemoved, removed.install_id), 403, 'install_not_granted'],
    ['a malformed installation', bearer(full, 'not-an-id'), 403, 'install_not_granted'],
    ['an installation that is SQL', bearer(full, "' or true --"), 403, 'install_not_granted'],
    ['no installation', bearer(full), 400, 'install_required'],
  ]
  return kinds
}

test('every route rejects every kind of unauthorized caller and changes nothing', async () => {
  const api = await startTestApi()
  const kinds = await unauthorizedCallers(api)
  const before = await fingerprint(api.db)
  let tried = 0
  for (const [kind, headers, status, code] of kinds) {
    const needsNoInstallation = (route: RouteEntry) => route.config.access === 'app' && status !== 401
    await Promise.all(
      guarded(api).map(async (route) => {
        // Where no installation is needed, only a restricted token can name the wrong one.
        if (needsNoInstallation(route) && !/bound/.test(kind)) return
        expectRefusal(await call(api, route, headers), status, code, `${kind}: ${route.method} ${route.url}`)
        tried++
      }),
    )
  }
  expect(await fingerprint(api.db)).toEqual(before)
  recordResult({ case: 'isolation: unauthorized callers on every route', tried, lost: 0 })
})

test('each route needs exactly its own permission', async () => {
  const api = await startTestApi()
  const routes = guarded(api).filter(({ config }) => config.permission)
  let tried = 0
  for (const permission of new Set(routes.map(({ config }) => config.permission as Permission))) {
    const without = await api.install(PERMISSIONS.filter((other) => other !== permission))
    const only = await api.install([permission])
    const lacking = bearer(await api.getToken(without, { install_id: without.install_id }))
    const sufficient = bearer(await api.getToken(only), only.install_id)
    for (const route of routes.filter(({ config }) => config.permission === permission)) {
      const about = `${route.method} ${route.url}`
      const refused = await call(api, route, lacking)
      expectRefusal(refused, 403, 'forbidden', about)
      if (refused.body) expect(refused.body.message).toContain(permission)
      expect([401, 403, 500], about).not.toContain((await call(api, route, sufficient)).status)
      tried += 2
    }
  }
  recordResult({ case: 'isolation: the required permission missing, and alone', tried, lost: 0 })
})

test('a private file is denied to unauthorized callers, and does not exist for other stores', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const bytes = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
  const { permanent_url } = (await all.post('/file', form({ file: { name: 'a.pdf', bytes } }))).body.data.file
  const path = new URL(permanent_url).pathname
  let tried = 0
  for (const [kind, headers, status, code] of await unauthorizedCallers(api)) {
    expectRefusal(await api.site.get(path, headers), status, code, kind)
    tried++
  }
  const neighbour = await startTestApi()
  const installed = await neighbour.install(PERMISSIONS)
  const headers = bearer(await neighbour.getToken(installed, { install_id: installed.install_id }))
  const foreign = await neighbour.site.get(path, headers)
  const missing = await neighbour.site.get(path.replace(/[^/]+$/, randomUUID()), headers)
  expect(foreign.text).toBe(missing.text)
  expect([foreign.status, missing.status]).toEqual([404, 404])
  recordResult({ case: 'isolation: private files', tried: tried + 1, lost: 0 })
})

/** Two servers on one database that have both cached the caller. */
const twoNodes = async () => {
  const secret = { TOKEN_SECRET: 'the same secret on both nodes, long enough' }
  const nodes = [
    await startTestApi({ ...secret, MAX_UPLOAD_MB: '1' }),
    await startTestApi({ ...secret, MAX_UPLOAD_MB: '2' }),
  ] as const
  const [api] = nodes
  const app = await api.install(PERMISSIONS)
  const tokens = [
    bearer(await api.getToken(app, { install_id: app.install_id })),
    bearer(await api.getToken(app), app.install_id),
  ]
  const everywhere = async (check: (reply: Awaited<ReturnType<typeof call>>, route: RouteEntry) => void) => {
    const calls = nodes.flatMap((node) =>
      tokens.flatMap((headers) =>
        guarded(node)
          .filter(({ config, method }) => config.access !== 'app' && method !== 'HEAD')
          .map(async (route) => check(await call(node, route, headers), route)),
      ),
    )
    await Promise.all(calls)
    return calls.length
  }
  for (const node of nodes)
    for (const headers of tokens)
      for (const path of ['/order', '/product', '/shipping-carrier'])
        expect((await node.site.get(API_PREFIX + path, headers)).status, path).toBe(200)
  return { api, app, everywhere }
}

const ENDS: [
  string,
  number,
  string,
  (api: TestApi, app: Awaited<ReturnType<TestApi['install']>>) => Promise<unknown>,
][] = [
  ['uninstalling the app', 403, 'install_not_granted', (api, app) => removeInstallation(api.db, app.install_id)],
  ['disabling the app', 401, 'token_revoked', (api, app) => disableApp(api.db, app.client_id)],
  [
    'rotating the secret with revocation',
    401,
    'token_revoked',
    (api, app) => rotateSecret(api.db, app.client_id, { revokeTokens: true }),
  ],
]

test.each(ENDS)('after %s every route on every node rejects the existing tokens', async (name, status, code, end) => {
  const { api, app, everywhere } = await twoNodes()
  await end(api, app)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  const tried = await everywhere((reply, { method, url }) => expectRefusal(reply, status, code, `${method} ${url}`))
  recordResult({ case: `isolation: tokens after ${name}, two nodes`, tried, lost: 0 })
})

test('a revoked permission is gone on every node, and only that one', async () => {
  const { api, app, everywhere } = await twoNodes()
  await revokePermissions(api.db, app.install_id, ['order:view'])
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  const tried = await everywhere((reply, { method, url, config }) => {
    if (config.permission === 'order:view') expectRefusal(reply, 403, 'forbidden', `${method} ${url}`)
    else expect([401, 403], `${method} ${url}`).not.toContain(reply.status)
  })
  recordResult({ case: 'isolation: a revoked permission, two nodes', tried, lost: 0 })
})
