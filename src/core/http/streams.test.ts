import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { ACCESS_CHANNEL } from '../../resources/auth/access-cache.ts'
import { revokePermissions } from '../../resources/auth/change-permissions.ts'
import { removeInstallation } from '../../resources/auth/remove-installation.ts'
import type { Permission } from '../../resources/permissions/catalogue.ts'
import { waitForListeners } from '../storage/listener.ts'

let api: TestApi
const job = randomUUID()

/** Much more than the buffers of a connection hold. */
beforeAll(async () => {
  api = await startTestApi({ LOG_LEVEL: 'fatal' })
  const store = api.store.id
  await sql`insert into orders (store_id, ref, currency) select ${store}, 'R' || n, 'TND'
    from generate_series(1, 600) n`.execute(api.db)
  await sql`insert into order_line (store_id, order_id, title, quantity, price, position, is_digital)
    select o.store_id, o.id, repeat('long title ', 6000), 1, 0, 0, false from orders o where o.store_id = ${store}`.execute(
    api.db,
  )
  await sql`insert into customer (store_id, email, email_key, search, address)
    select ${store}, 'b' || n, 'b' || n, '', repeat('x', 20000) from generate_series(1, 2000) n`.execute(api.db)
  await sql`insert into bulk_job (store_id, id, resource, mode, dry_run, app_name, status, finished_at)
    values (${store}, ${job}, 'customer', 'create', false, 'x', 'done', now())`.execute(api.db)
  await sql`insert into bulk_result (store_id, job_id, first_line, lines)
    select ${store}, ${job}, n, repeat('{"line":1}' || chr(10), 100000) from generate_series(1, 40) n`.execute(api.db)
})

const ALL: Permission[] = ['order:export', 'order:view', 'customer:view', 'customer:create']

/** Each route that streams in batches, and the permission it needs. Files are sent whole; events have tests of their own. */
const STREAMS = {
  '/order/export': 'order:export',
  '/snapshot': 'customer:view',
  '/bulk/:id/result': 'customer:create',
} as const

test('every route that sends something else than JSON is known here', () => {
  const routes = api.app.routeTable.filter(({ method, config }) => method === 'GET' && config.produces !== undefined)
  const streams = routes.map(({ url }) => url.replace('/api/apps/v1', '')).filter((url) => !url.startsWith('/files/'))
  expect(streams.filter((url) => !/^\/(docs|metrics|openapi|console)/.test(url)).sort()).toEqual(
    Object.keys(STREAMS).sort(),
  )
})

const REVOCATIONS = {
  'the installation is removed': (id: string) => removeInstallation(api.db, id),
  'the permission is withdrawn': (id: string, permission: Permission) => revokePermissions(api.db, id, [permission]),
}

test.each(
  Object.entries(STREAMS).flatMap(([url, permission]) =>
    Object.entries(REVOCATIONS).map(([about, revoke]) => ({ url, permission, about, revoke })),
  ),
)('$url ends when $about', async ({ url, permission, revoke }) => {
  const app = await api.install(ALL)
  const authorization = `Bearer ${await api.getToken(app, { install_id: app.install_id })}`
  const path = url.replace(':id', job) + (url === '/snapshot' ? '?types=customer' : '')
  const reply = await fetch(`${api.origin}/api/apps/v1${path}`, { headers: { authorization } })
  expect(reply.status).toBe(200)
  const body = reply.body as ReadableStream<Uint8Array>
  const reader = body.getReader()
  await reader.read()
  await revoke(app.install_id, permission)
  await waitForListeners(api.connection, ACCESS_CHANNEL)
  const drain = async () => {
    while (!(await reader.read()).done);
  }
  await expect(drain(), 'the reply is cut off').rejects.toThrow()
})
