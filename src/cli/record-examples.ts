import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { kinds } from '../app.ts'
import { readConfig } from '../config/config.ts'
import type { RecordedReplies, RecordedRows } from '../core/http/resource.ts'
import type { RouteEntry } from '../core/http/route-table.ts'
import { openApiPath, operationIdOf } from '../core/openapi/operation.ts'
import { connectDatabase, migrateDatabase } from '../core/storage/connect.ts'
import type { DemoCredentials } from '../demo/credentials-file.ts'
import { loadDemoOnce } from '../demo/load.ts'
import { TODAY } from '../demo/random.ts'
import type { RecordedExamples } from '../docs/recorded-examples.ts'
import { PLACEHOLDERS } from '../resources/auth/placeholders.ts'
import { startHttpServer } from '../server/http-server.ts'

/** Listens on any free port. Recorded URLs have the default address. */
const ADDRESS = { PORT: '0', BASE_URL: 'http://127.0.0.1:3000' }

const MAX_ITEMS = 2

/** Truncates long lists, except the list that the reply is about, which has only one row. */
const cut = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(cut)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]))
}

/** Replaces values that are secret, or that differ between recordings, with placeholders. */
const replaceVolatile = (text: string, { client_id, install_id }: DemoCredentials) =>
  text
    .replaceAll(client_id, PLACEHOLDERS.client_id)
    .replaceAll(install_id, PLACEHOLDERS.install_id)
    .replace(/\?expires=\d+&signature=[\w-]+/g, '?expires=1793556000&signature=this-is-not-a-signature')

const callFor = (base: string, token: string) => async (path: string) => {
  const response = await fetch(base + path, { headers: { authorization: `Bearer ${token}` } })
  const text = await response.text()
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${text}`)
  return text
}

const getToken = async (base: string, credentials: DemoCredentials) => {
  const response = await fetch(`${base}/auth/get-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  return (await response.json()) as { data: { token: string } }
}

interface Query {
  properties?: Record<string, unknown>
}

/** The query of the resource's example, or one row of a list. */
const queryOf = ({ schema, resource }: RouteEntry, id: string) => {
  const { properties = {} } = (schema.querystring ?? {}) as Query
  const query = resource?.examples?.queries?.[id] ?? ('page_size' in properties ? 'page_size=1' : '')
  return query && `?${query}`
}

/** Records every read without an id in its path. `/product/{id}` reads the first row of `/product`. */
const readAll = async (routes: RouteEntry[], call: (path: string) => Promise<string>) => {
  const replies: RecordedReplies = {}
  const rows: RecordedRows = {}
  const firstIds = new Map<string, string>()
  for (const route of routes) {
    const id = operationIdOf(route)
    const path = openApiPath(route.url).replace(/^\/$/, '')
    const { produces } = route.config
    if (produces === 'text/csv') {
      const csv = await call(path + queryOf(route, id))
      Object.assign(replies, { [id]: csv.split('\r\n').slice(0, 2).join('\r\n') })
    } else if (!path.includes('{') && !produces) {
      const reply = JSON.parse(await call(path + queryOf(route, id)))
      replies[id] = reply
      const [list] = Object.values(reply.data)
      if (Array.isArray(list) && list[0]?.id) firstIds.set(`${path}/{id}`, list[0].id)
    } else if (firstIds.has(path)) {
      const reply = JSON.parse(await call(path.replace('{id}', firstIds.get(path) as string)))
      replies[id] = reply
      Object.assign(rows, reply.data)
    }
  }
  return { replies, rows }
}

/** Records an example of every read from a server with the demo store. */
const recordFrom = async (
  base: string,
  routeTable: RouteEntry[],
  credentials: DemoCredentials,
): Promise<RecordedExamples> => {
  const token = await getToken(base, credentials)
  const call = callFor(base, token.data.token)
  // It takes a token of the app, and the demo store has one of an installation.
  const routes = routeTable.filter(
    (route) => route.method === 'GET' && route.resource && operationIdOf(route) !== 'listInstallations',
  )
  const { replies, rows } = await readAll(routes, call)
  const declared = [...new Set(routes.flatMap(({ resource }) => resource?.examples ?? []))]
  const read = async (path: string) => JSON.parse(await call(path))
  for (const { rows: more } of declared) Object.assign(rows, await more?.(replies, read))
  const whole = declared.flatMap(({ whole = [] }) => whole)
  const cutReplies = Object.entries(replies).map(([id, reply]) => [id, whole.includes(id) ? reply : cut(reply)])
  return {
    replies: { getToken: { data: { ...token.data, token: PLACEHOLDERS.token } }, ...Object.fromEntries(cutReplies) },
    resources: cut(rows) as RecordedRows,
  }
}

/** Starts the service on a new database with the demo store, and returns the recorded replies as text. */
export const recordExamples = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-record-'))
  const config = readConfig({ ...ADDRESS, LOG_LEVEL: 'warn', DATA_DIR: folder, DEMO: 'true' })
  const database = await connectDatabase(config, { kind: 'command', name: 'record' }, () => {})
  try {
    await migrateDatabase(database.connection)
    const credentials = (await loadDemoOnce(database.connection, config, kinds, { endsAt: TODAY })) as DemoCredentials
    const server = await startHttpServer(config, database.connection)
    const base = `http://127.0.0.1:${server.port}/api/apps/v1`
    try {
      const recorded = JSON.stringify(await recordFrom(base, server.app.routeTable, credentials), null, 2)
      return `${replaceVolatile(recorded, credentials)}\n`
    } finally {
      await server.close()
    }
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
