import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readConfig } from '../config/config.ts'
import { type DemoCredentials, loadDemoOnce } from '../demo/load.ts'
import type { RecordedExamples, RecordedResources } from '../docs/recorded-examples.ts'
import { PLACEHOLDERS } from '../docs/request-examples.ts'
import { startHttpServer } from '../server/http-server.ts'
import { connectDatabase, migrateDatabase } from '../storage/connect.ts'

type Json = Record<string, unknown>

/** Replies that show much: an order with everything that can happen to one, a product with options. */
const QUERIES: Record<string, string> = {
  '/product': 'search=mug&page_size=1',
  '/order': 'refund_status=refunded&return_status=delivered&page_size=1',
  '/order/export': 'status=paid',
  '/customer': 'order_by=order_count&page_size=1',
}

/** Any free port, under the address that the documents are written for. */
const PLACE = { PORT: '0', BASE_URL: 'http://127.0.0.1:3000' }

const MAX_ITEMS = 2

/** Long lists are cut, but not the list that the reply is about: that has one row already. */
const cut = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(cut)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]))
}

/** What differs from one recording to the next, or is nobody's business, by a stand-in. */
const replaceVolatile = (text: string, { client_id, install_id }: DemoCredentials) =>
  text
    .replaceAll(client_id, PLACEHOLDERS.client_id)
    .replaceAll(install_id, PLACEHOLDERS.install_id)
    .replace(/\?expires=\d+&signature=[\w-]+/g, '?expires=1793556000&signature=this-is-not-a-signature')

const callFor = (base: string, token: string) => async (route: string, query?: string) => {
  const response = await fetch(`${base}${route}${query ? `?${query}` : ''}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`GET ${route} answered ${response.status}: ${text}`)
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

/** The resources with a list and a single read: path, key of the list, and the operation ids of both. */
const COLLECTIONS = [
  ['product', 'products', 'listProducts', 'getProduct'],
  ['order', 'orders', 'listOrders', 'getOrder'],
  ['customer', 'customers', 'listCustomers', 'getCustomer'],
  ['review', 'reviews', 'listReviews', 'getReview'],
  ['landing-page', 'landingPages', 'listLandingPages', 'getLandingPage'],
  ['file', 'files', 'listFiles', 'getFile'],
] as const

/** Asks a server with the demo store for one of everything. */
const recordFrom = async (base: string, credentials: DemoCredentials): Promise<RecordedExamples> => {
  const token = await getToken(base, credentials)
  const call = callFor(base, token.data.token)
  const replies: Json = { getToken: { data: { ...token.data, token: PLACEHOLDERS.token } } }
  const resources: Json = {}
  const read = async (route: string, query?: string) => JSON.parse(await call(route, query)) as { data: Json }

  for (const [name, collection, listId, getId] of COLLECTIONS) {
    const route = `/${name}`
    const list = await read(route, QUERIES[route] ?? 'page_size=1')
    const [row] = list.data[collection] as [{ id: string }]
    const one = await read(`${route}/${row.id}`)
    replies[listId] = list
    replies[getId] = one
    Object.assign(resources, one.data)
  }
  replies.getCurrentApp = await read('/auth/me')
  replies.listPermissions = await read('/permission')
  replies.getIndex = await read('')
  replies.listShippingCarriers = await read('/shipping-carrier')
  replies.listCountries = await read('/country')
  replies.listCategories = await read('/category', 'page_size=1')
  const csv = await call('/order/export', QUERIES['/order/export'])
  replies.exportOrders = csv.split('\r\n').slice(0, 2).join('\r\n')
  const waiting = await read('/order', 'delivery_status=unfulfilled&is_cancelled=false&order_by=quantity&page_size=1')
  const [{ id, variants }] = waiting.data.orders as [{ id: string; variants: { id: string }[] }]
  const order = resources.order as Record<'deliveries' | 'returns' | 'refunds', unknown[]>
  const first = (id: string, key: string) => ((replies[id] as { data: Record<string, unknown[]> }).data[key] ?? [])[0]
  Object.assign(resources, {
    waiting_order: { id, variants: variants.map(({ id }) => ({ id })) },
    delivery: order.deliveries[0],
    return: order.returns[0],
    refund: order.refunds[0],
    carrier: first('listShippingCarriers', 'carriers'),
    category: first('listCategories', 'categories'),
  })
  const catalogue = replies.listPermissions
  const cutReplies = cut(replies) as Json
  return { replies: { ...cutReplies, listPermissions: catalogue }, resources: cut(resources) as RecordedResources }
}

/** Starts the service on a database of its own with the demo store, and gives the text of what it answers. */
export const recordExamples = async (): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'storefront-record-'))
  const config = readConfig({ ...PLACE, LOG_LEVEL: 'warn', DATA_DIR: folder, DEMO: 'true' })
  const database = await connectDatabase(config, { kind: 'command', name: 'record' }, () => {})
  try {
    await migrateDatabase(database.connection)
    const credentials = (await loadDemoOnce(database.connection, config)) as DemoCredentials
    const server = await startHttpServer(config, database.connection)
    const base = `http://127.0.0.1:${server.port}/api/apps/v1`
    try {
      const recorded = JSON.stringify(await recordFrom(base, credentials), null, 2)
      return `${replaceVolatile(recorded, credentials)}\n`
    } finally {
      await server.close()
    }
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}
