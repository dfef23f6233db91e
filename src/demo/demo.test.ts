import { readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Caller, createCaller } from '../../tests/support/caller.ts'
import { addCleanup } from '../../tests/support/cleanup.ts'
import { cloneDemo } from '../../tests/support/demo-store.ts'
import { temporaryFolder } from '../../tests/support/server-process.ts'
import { databaseUrl } from '../../tests/support/test-database.ts'
import { kinds } from '../app.ts'
import { runCommandLine } from '../cli/run.ts'
import { API_PREFIX, type Config, readConfig } from '../config/config.ts'
import { namedSchemas } from '../core/input/schemas.ts'
import { mergeRowCounts } from '../core/reading/row-counts.ts'
import { type Db, openDatabase } from '../core/storage/database.ts'
import { waitForListeners } from '../core/storage/listener.ts'
import { mergeAnalyticChanges } from '../resources/analytics/merge-changes.ts'
import { ACCESS_CHANNEL } from '../resources/auth/access-cache.ts'
import { disableApp } from '../resources/auth/disable-app.ts'
import { enableApp } from '../resources/auth/queries.ts'
import { rotateSecret } from '../resources/auth/rotate-secret.ts'
import { Customer } from '../resources/customers/schema.ts'
import { File } from '../resources/files/schema.ts'
import { LandingPage } from '../resources/landing-pages/schema.ts'
import { Order } from '../resources/orders/schema.ts'
import { Product } from '../resources/products/schema.ts'
import { Review } from '../resources/reviews/schema.ts'
import { createStore } from '../resources/stores/create-store.ts'
import { listStores } from '../resources/stores/queries.ts'
import { updateStore } from '../resources/stores/update-store.ts'
import { startHttpServer } from '../server/http-server.ts'
import { prepareDemo } from './at-start.ts'
import type { DemoCredentials } from './credentials-file.ts'
import { loadDemoOnce } from './load.ts'
import { HOUR, TODAY } from './random.ts'
import { STORE } from './store.ts'

type Json = Record<string, unknown>

const COLLECTIONS: Record<string, string> = {
  product: 'products',
  order: 'orders',
  customer: 'customers',
  review: 'reviews',
  'landing-page': 'landingPages',
  file: 'files',
}

/** A copy of a database with the demo store, and its data folder. Loading it takes seconds. */
const openCopy = async () => {
  const { connection, config, demo } = await cloneDemo()
  const { db, close } = openDatabase(connection, { pool: 3, prepare: false, name: 'test', untimed: true })
  addCleanup(close)
  const load = (more: Partial<Config> = {}, options: { again?: boolean; endsAt?: number | undefined } = {}) =>
    loadDemoOnce(connection, { ...config, ...more }, kinds, { endsAt: TODAY, ...options })
  return { db, connection, config, demo, load }
}

/** The loading tests share one database, and run one after the other. */
let place: ReturnType<typeof openCopy> | undefined
const sharedDatabase = () => {
  place ??= openCopy()
  return place
}

/** A server for another copy. */
const startDemoServer = async () => {
  const { db, connection, config, demo } = await openCopy()
  const server = await startHttpServer(config, connection)
  addCleanup(server.close)
  const anonymous = createCaller(server.app, `http://127.0.0.1:${server.port}`, API_PREFIX, {})
  const getToken = async () => {
    const reply = await anonymous.post('/auth/get-token', demo)
    expect(reply.status).toBe(200)
    return reply.body.data.token as string
  }
  return { db, connection, config, demo, anonymous, getToken }
}

/** What the first database has of its own: credentials, and what commands and other stores left. */
const OWN = [
  'app',
  'installation',
  'setting',
  'store',
  'domain',
  'host_claim',
  'change',
  'event',
  'feed',
  'store_work',
  'audit_entry',
]

/** Tables without rows of the demo store. */
const WITHOUT_DEMO_ROWS = [
  ...[
    'analytic_change',
    'blob_claim',
    'bulk_job',
    'bulk_result',
    'idempotency',
    'assistant_plan',
    'rate_window',
    'shared_phone',
    'app_manifest',
    'removed_installation',
    'lifecycle_post',
    'connected_assistant',
    'permission_request',
    'oauth_grant',
    'oauth_code',
    'oauth_refresh',
    'invitation',
    'plan',
    'subscription',
    'order_use',
    'invoice',
    'deleted_customer',
    'deleted_customer_order',
  ],
  ...['webhook', 'webhook_delivery'],
  // People belong to the service, not to a store.
  ...['account', 'app_member', 'audit_entry', 'membership', 'staff_role', 'one_time_link', 'saved_view', 'session'],
  ...['authenticator', 'passkey', 'recovery_code'],
  'stock_change',
]

/** The number of rows in every table, and a digest of them. */
const dump = async (db: Db) => {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not in ('country', 'schema_migration')
      and table_name not like 'call%' and table_name <> 'permission_use' order by 1`.execute(db)
  const all: Record<string, { count: number; digest: string }> = {}
  for (const { name } of tables) {
    // The console is an app of the service. Other stores have counters too.
    const own = { app: sql`where not t.built_in`, tally: sql`where t.store_id = ${STORE.id}` }[name] ?? sql``
    const { rows } = await sql<{ count: number; digest: string }>`
      select count(*)::int as count, coalesce(md5(string_agg(digest, '' order by digest)), '') as digest
      from (select md5(row_to_json(t)::text) as digest from ${sql.table(name)} t ${own}) d`.execute(db)
    all[name] = rows[0] as { count: number; digest: string }
  }
  return all
}

const countStores = async (db: Db) => (await db.selectFrom('store').select('id').execute()).length

let api: Awaited<ReturnType<typeof startDemoServer>>
let credentials: DemoCredentials
let caller: Caller
const rows: Record<string, Json[]> = {}

const listAll = async (resource: string): Promise<Json[]> => {
  const found: Json[] = []
  for (let page = 1, last = 1; page <= last; page++) {
    const { body } = await caller.get(`/${resource}?page_size=200&page=${page}`)
    found.push(...body.data[COLLECTIONS[resource] as string])
    last = body.data.pagination.last_page
  }
  return found
}

beforeAll(async () => {
  api = await startDemoServer()
  credentials = api.demo
  caller = api.anonymous.with({ authorization: `Bearer ${await api.getToken()}` })
  for (const resource of Object.keys(COLLECTIONS)) rows[resource] = await listAll(resource)
})

const all = (resource: string) => rows[resource] as Json[]

describe('the content of the demo store', () => {
  test('it has the documented number of each resource', async () => {
    expect(all('product')).toHaveLength(40)
    expect(all('customer')).toHaveLength(200)
    expect(all('order')).toHaveLength(1_000)
    expect(all('landing-page')).toHaveLength(10)
    expect(all('review')).toHaveLength(150)
    const carriers = (await caller.get('/shipping-carrier')).body.data.carriers
    expect(carriers).toHaveLength(4)
  })

  const states: [resource: string, query: string, values: string[]][] = [
    ['product', 'status', ['active', 'inactive']],
    ['product', 'is_digital', ['true', 'false']],
    ['product', 'out_of_stock', ['true', 'false']],
    ['order', 'status', ['pending', 'paid', 'abandoned']],
    ['order', 'delivery_status', ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']],
    ['order', 'return_status', ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled']],
    ['order', 'refund_status', ['pending', 'refunded']],
    ['order', 'is_cancelled', ['true', 'false']],
    ['order', 'is_archived', ['true', 'false']],
    ['review', 'status', ['pending', 'hidden', 'published']],
    ['review', 'rating', ['1', '2', '3', '4', '5']],
    ['landing-page', 'cod_type', ['checkout', 'popup', 'embedded']],
    ['customer', 'country', ['TN', 'FR', 'AE', 'SA']],
    ['file', 'mime_type', ['image/jpeg', 'image/png', 'image/webp', 'video/webm', 'application/pdf', 'audio/*']],
    ['file', 'fileable_type', ['product', 'variant', 'landing_page', 'review']],
  ]
  test.each(states)('%s: every %s occurs', async (resource, query, values) => {
    for (const value of values) {
      const { body } = await caller.get(`/${resource}?${query}=${encodeURIComponent(value)}&page_size=1`)
      expect(body.data.pagination.total, `${query}=${value}`).toBeGreaterThan(0)
    }
  })

  test.each([
    ['product', 'mug', /mug/i],
    ['product', 'cafe', /café/i],
    ['product', 'café', /café/i],
    ['product', 'فانوس', /فانوس/],
    ['customer', 'trabelsi', /trabelsi/i],
    ['customer', 'العتيبي', /العتيبي/],
    ['order', 'kairouan', /Kairouan/],
  ])('searching %s for %s finds something', async (resource, search, hit) => {
    const { body } = await caller.get(`/${resource}?search=${encodeURIComponent(search)}`)
    const found = body.data[COLLECTIONS[resource] as string]
    expect(found.length).toBeGreaterThan(0)
    for (const row of found) expect(JSON.stringify(row)).toMatch(hit)
  })

  const empty = (value: unknown) =>
    value === null ||
    value === undefined ||
    value === '' ||
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === 'object' && Object.keys(value as object).length === 0)

  interface Shape {
    $ref?: string
    anyOf?: Shape[]
    items?: Shape
    properties?: Record<string, Shape>
  }

  /** Records which fields of which schema have a value, on a row or in a nested object. */
  const note = (shape: Shape, name: string, value: unknown, shown: Set<string>) => {
    if (shape.$ref) return note(namedSchemas()[shape.$ref] as Shape, shape.$ref, value, shown)
    for (const choice of shape.anyOf ?? []) note(choice, name, value, shown)
    if (shape.items) for (const item of value as unknown[]) note(shape.items, `${name}[]`, item, shown)
    for (const [field, type] of Object.entries(shape.properties ?? {})) {
      const inner = (value as Json)[field]
      if (empty(inner)) continue
      shown.add(`${name}.${field}`)
      note(type, `${name}.${field}`, inner, shown)
    }
  }

  const resources = { product: Product, order: Order, customer: Customer, review: Review, file: File }
  const fieldsOf = (shape: Shape, name: string): string[] => [
    ...Object.entries(shape.properties ?? {}).flatMap(([field, type]) => [
      `${name}.${field}`,
      ...fieldsOf(type, `${name}.${field}`),
    ]),
    ...(shape.anyOf ?? []).flatMap((choice) => fieldsOf(choice, name)),
    ...(shape.items ? fieldsOf(shape.items, `${name}[]`) : []),
  ]

  test.each([...Object.entries(resources), ['landing-page', LandingPage] as const])(
    'every field of a %s has a value on some row',
    (resource, schema) => {
      const fields = Object.keys(schema.properties)
      expect(fields.filter((field) => all(resource).every((row) => empty(row[field])))).toEqual([])
    },
  )

  test('every field of nested objects has a value on some row', () => {
    const shown = new Set<string>()
    for (const [resource, schema] of Object.entries(resources))
      for (const row of all(resource)) note(schema as Shape, resource, row, shown)
    const inside = ['Option', 'Variant', 'OrderVariant', 'Delivery', 'Return', 'ReturnVariant', 'Refund']
    const more = ['RefundVariant', 'OrderEvent', 'PaymentMethod', 'Country', 'ShippingCarrier', 'LandingPage']
    const fields = [...inside, ...more].flatMap((name) => fieldsOf(namedSchemas()[name] as Shape, name))
    expect(fields.length).toBeGreaterThan(60)
    // Nobody has worked on the demo store in the console yet.
    expect(fields.filter((field) => !shown.has(field))).toEqual(['OrderEvent.account_name', 'OrderEvent.via'])
  })

  test('amounts and quantities that may be 0 are not 0 on all orders', () => {
    const fields = ['shipping_rate', 'discount', 'tip', 'tip_value', 'bundle_price', 'fee', 'subtotal', 'total']
    for (const field of fields) expect(all('order').some((order) => Number(order[field]) > 0)).toBe(true)
    expect(all('customer').some(({ amount_spent }) => Number(amount_spent) > 0)).toBe(true)
  })

  test('every checked-in media file is in it, and together they are small', async () => {
    const media = await readdir('src/demo/media')
    expect(all('file')).toHaveLength(media.length)
    const sizes = await Promise.all(media.map(async (name) => (await stat(path.join('src/demo/media', name))).size))
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(1_000_000)
  })

  test('all pictures can be decoded, and so can their thumbnails', async () => {
    const pictures = all('file').filter(({ mime_type }) => String(mime_type).startsWith('image/'))
    expect(pictures.length).toBeGreaterThan(80)
    const fetched = pictures.filter((_, index) => index % 7 === 0)
    for (const { permanent_url, thumbnail, size } of fetched) {
      const bytes = Buffer.from(await (await fetch(permanent_url as string)).arrayBuffer())
      expect(bytes).toHaveLength(size as number)
      const { width = 0 } = await sharp(bytes).metadata()
      expect(width).toBeGreaterThanOrEqual(360)
      expect((await sharp(bytes).stats()).entropy).toBeGreaterThan(1)
      const small = Buffer.from(await (await fetch(thumbnail as string)).arrayBuffer())
      expect((await sharp(small).metadata()).format).toBe('webp')
    }
  })
})

describe('the numbers of the demo store', () => {
  const none = async (query: ReturnType<typeof sql<{ id: string }>>) =>
    expect((await query.execute(api.db)).rows).toEqual([])

  test('totals add up', async () => {
    await none(sql<{ id: string }>`
      select o.id from orders o join lateral (
        select sum(l.price * l.quantity) as subtotal, sum(l.quantity) as quantity
        from order_line l where l.store_id = o.store_id and l.order_id = o.id) l on true
      where o.store_id = ${STORE.id} and (o.subtotal <> l.subtotal or o.quantity <> l.quantity
        or o.total <> o.subtotal + o.shipping_rate + o.fee + o.tip - o.discount or o.total <= 0)`)
  })

  test('order counts and amounts spent of customers equal a recount', async () => {
    await none(sql<{ id: string }>`
      select c.id from customer c join lateral (
        select count(*) as orders,
          coalesce(sum(o.total) filter (where o.status = 'paid' and not o.is_cancelled), 0) as spent,
          (array_agg(o.id order by o.created_at desc, o.id desc))[1] as latest
        from orders o where o.store_id = c.store_id and o.customer_id = c.id) r on true
      where c.store_id = ${STORE.id}
        and (c.order_count, c.amount_spent, c.latest_order_id) is distinct from (r.orders, r.spent, r.latest)`)
  })

  test('returns do not exceed shipped units, and refunds do not exceed payments', async () => {
    await none(sql<{ id: string }>`
      select l.id from order_line l
      left join return_line r on r.store_id = l.store_id and r.order_line_id = l.id
      left join refund_line f on f.store_id = l.store_id and f.order_line_id = l.id
      where l.store_id = ${STORE.id} group by l.store_id, l.id
      having coalesce(sum(r.quantity), 0) > max(l.quantity) or coalesce(sum(f.quantity), 0) > max(l.quantity)`)
    await none(sql<{ id: string }>`
      select o.id from orders o join refund r on r.store_id = o.store_id and r.order_id = o.id
      where o.store_id = ${STORE.id} group by o.store_id, o.id
      having sum(r.amount) > max(o.total) or bool_or(o.status <> 'paid')`)
    await none(sql<{ id: string }>`
      select r.id from refund r join refund_line l on l.store_id = r.store_id and l.refund_id = r.id
      where r.store_id = ${STORE.id} group by r.store_id, r.id having sum(l.amount) > max(r.amount)`)
  })

  test('each physical unit is in exactly one delivery, and nothing digital is', async () => {
    await none(sql<{ id: string }>`
      select l.id from order_line l left join (
        select h.store_id, h.order_line_id, h.quantity from delivery_line h
        join delivery d on d.store_id = h.store_id and d.id = h.delivery_id where not d.is_return
      ) h on h.store_id = l.store_id and h.order_line_id = l.id
      where l.store_id = ${STORE.id} group by l.store_id, l.id
      having coalesce(sum(h.quantity), 0) <> max(case when l.is_digital then 0 else l.quantity end)`)
  })

  test('the last history entry of an order is its current state, and no date is in the future', async () => {
    for (const { history, status, created_at, updated_at } of all('order')) {
      const own = (history as Json[]).filter(({ subject }) => subject === 'status')
      expect(own.at(-1)?.to).toBe(status)
      expect(Date.parse(updated_at as string)).toBeGreaterThanOrEqual(Date.parse(created_at as string))
      expect(Date.parse(updated_at as string)).toBeLessThan(Date.UTC(2026, 10, 2))
    }
  })

  test('the console is installed on it', async () => {
    const { rows } = await sql`select a.name from installation i join app a on a.id = i.app_id
      where i.store_id = ${STORE.id} and a.built_in`.execute(api.db)
    expect(rows).toEqual([{ name: 'Console' }])
  })

  test('stock flags equal a recount', async () => {
    await none(sql<{ id: string }>`
      select p.id from product p where p.store_id = ${STORE.id} and p.has_stock <> exists (
        select from variant v where v.store_id = p.store_id and v.product_id = p.id and v.quantity > 0)`)
  })
})

describe('loading', () => {
  test('the credentials file can be sent to get-token as it is, and only its owner can read it', async () => {
    const file = path.join(api.config.DATA_DIR, 'demo.json')
    const text = await readFile(file, 'utf8')
    expect(JSON.parse(text)).toEqual(credentials)
    expect(Object.keys(JSON.parse(text))).toEqual(['install_id', 'client_id', 'client_secret'])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const reply = await api.anonymous.post('/auth/get-token', text, { 'content-type': 'application/json' })
    expect(reply.status).toBe(200)
  })

  test('a lost credentials file is written again; a secret that the operator changed is kept', async () => {
    const { db, config, load } = await sharedDatabase()
    const first = (await load()) as DemoCredentials
    const file = path.join(config.DATA_DIR, 'demo.json')
    await rm(file)
    expect(await load()).toEqual(first)
    await rm(file)
    const moved = (await load({ TOKEN_SECRET: 'z'.repeat(40) })) as DemoCredentials
    expect(moved).toEqual({ ...first, client_secret: expect.any(String) })
    expect(moved.client_secret).not.toBe(first.client_secret)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(moved)

    await rotateSecret(db, first.client_id, { revokeTokens: false })
    const before = await dump(db)
    expect(await load()).toBeUndefined()
    expect(await dump(db)).toEqual(before)
  })

  test('removing it deletes all rows, files and credentials; it comes back only on request; a failed load leaves nothing', async () => {
    const { db, connection, config, load } = await sharedDatabase()
    await createStore(db, { name: 'Mine' })
    const command = (...words: string[]) =>
      runCommandLine(words, {
        config: () => ({ ...config, DATABASE_URL: databaseUrl(connection) }),
        print: async () => {},
        say: () => {},
      })
    expect((await readdir(path.join(config.DATA_DIR, 'blobs', STORE.id), { recursive: true })).length).toBeGreaterThan(
      99,
    )
    expect(await command('demo', 'remove')).toBe(0)
    const left = await dump(db)
    const kept = ['audit_entry', 'change', 'domain', 'host_claim', 'installation', 'setting', 'store', 'store_work']
    expect(Object.keys(left).filter((table) => left[table]?.count)).toEqual(kept)
    expect([left.store?.count, left.domain?.count]).toEqual([1, 1])
    const { rows: work } = await sql`select 1 from store_work where store_id = ${STORE.id}`.execute(db)
    expect(work).toEqual([])
    const bytes = await readdir(path.join(config.DATA_DIR, 'blobs'), { recursive: true, withFileTypes: true })
    expect(bytes.filter((entry) => entry.isFile())).toEqual([])
    expect(await readdir(config.DATA_DIR)).not.toContain('demo.json')
    expect(await command('demo', 'remove')).toBe(0)
    expect(await load({ DEMO: 'true' })).toBeUndefined()

    await sql`alter table orders add constraint broken check (status <> 'paid') not valid`.execute(db)
    await expect(load({ DEMO: 'true' }, { again: true })).rejects.toThrow('broken')
    await sql`alter table orders drop constraint broken`.execute(db)
    expect(await dump(db)).toEqual(left)
  })

  test('a database with a store gets no demo store, unless the operator asks; several nodes load it once, and all have the credentials', async () => {
    const { db, load } = await sharedDatabase()
    await sql`delete from setting where name = 'demo_store'`.execute(db)
    const [mine] = await listStores(db)
    await updateStore(db, mine?.id as string, { domain: STORE.domain.toUpperCase() })
    expect(await load({ DEMO: 'auto' })).toBeUndefined()
    expect(await countStores(db)).toBe(1)

    const other = await temporaryFolder()
    const both = await Promise.all([load(), load({ DATA_DIR: other })])
    expect(both[0]).toEqual(both[1])
    expect(both[0]?.client_secret).toMatch(/^sk_/)
    expect(JSON.parse(await readFile(path.join(other, 'demo.json'), 'utf8'))).toEqual(both[0])
    expect(await countStores(db)).toBe(2)
    // The other store has its domain.
    const demo = await db.selectFrom('store').select('domain').where('id', '=', STORE.id).executeTakeFirst()
    expect(demo?.domain).toMatch(new RegExp(`^[0-9a-f]{6}\\.${STORE.domain}$`))
  })

  test('two databases get the same rows except for the credentials; loading again changes nothing', async () => {
    const { db, load } = await sharedDatabase()
    // A server merges them within a minute.
    for (const one of [db, api.db]) await Promise.all([mergeAnalyticChanges(one), mergeRowCounts(one)])
    const [here, there] = [await dump(db), await dump(api.db)]
    for (const [table, rows] of Object.entries(here)) {
      if (OWN.includes(table)) continue
      expect(rows.count > 0, table).toBe(!WITHOUT_DEMO_ROWS.includes(table))
      expect(there[table], table).toEqual(rows)
    }
    expect(there.app?.digest).not.toBe(here.app?.digest)
    const before = await load()
    expect(await load()).toEqual(before)
    expect(await dump(db)).toEqual(here)
  })

  test('a store that is loaded today ends today; all else is as in any other', async () => {
    const { db, connection, config, load } = await sharedDatabase()
    const orders = async () =>
      (
        await sql<{ id: string; total: number; age: number; latest: Date }>`
          select id, total, extract(epoch from max(updated_at) over () - created_at)::int as age,
            max(updated_at) over () as latest
          from orders where store_id = ${STORE.id} order by id`.execute(db)
      ).rows
    const before = await orders()
    const command = runCommandLine(['demo', 'remove'], {
      config: () => ({ ...config, DATABASE_URL: databaseUrl(connection) }),
      print: async () => {},
      say: () => {},
    })
    expect(await command).toBe(0)
    await load({ DEMO: 'true' }, { again: true, endsAt: undefined })
    const after = await orders()
    const shape = (rows: typeof before) => rows.map(({ id, total, age }) => ({ id, total, age }))
    expect(shape(after)).toEqual(shape(before))
    const age = Date.now() - (after[0]?.latest.getTime() as number)
    expect(age).toBeGreaterThanOrEqual(0)
    // The newest rows are some hours older than the end.
    expect(age).toBeLessThan(8 * HOUR)
  })
})

describe('access to the demo credentials', () => {
  const start = async (env: Record<string, string>) => {
    const said: string[] = []
    const { DATA_DIR, TOKEN_SECRET = '' } = api.config
    const config = readConfig({ DATA_DIR, TOKEN_SECRET, DATABASE_URL: databaseUrl(api.connection), ...env })
    const shown = await prepareDemo(api.connection, config, kinds, (line) => said.push(line))
    await waitForListeners(api.connection, ACCESS_CHANNEL)
    return { shown, said: said.join('\n') }
  }
  const tokenStatus = async () => (await api.anonymous.post('/auth/get-token', credentials)).status
  const PUBLIC: Record<string, string>[] = [
    { HOST: '0.0.0.0' },
    { BASE_URL: 'https://api.example.com' },
    { TRUST_PROXY: '1' },
    { NODE_ENV: 'production' },
  ]

  test('a service that only this machine can reach shows them', async () => {
    expect(await start({ DEMO: 'auto' })).toEqual({ shown: credentials, said: '' })
    expect(await start({ DEMO: 'true', HOST: '::1' })).toEqual({ shown: credentials, said: '' })
  })

  test('on any other service DEMO=true keeps the store and warns, but shows no credentials', async () => {
    for (const settings of PUBLIC) {
      const { shown, said } = await start({ DEMO: 'true', ...settings })
      expect(shown).toBeUndefined()
      expect(said).toMatch(/^Warning: .*demo\.json/)
      expect(said).not.toContain(credentials.client_secret)
      expect(await tokenStatus()).toBe(200)
    }
  })

  test('on any other service, or with DEMO=false, its secret and tokens stop working until it is enabled again', async () => {
    for (const settings of [{ DEMO: 'false' }, ...PUBLIC]) {
      const token = await api.getToken()
      const { shown, said } = await start(settings)
      expect(shown).toBeUndefined()
      expect(said).toContain('app of the demo store is disabled')
      expect(await tokenStatus()).toBe(401)
      const used = await api.anonymous.with({ authorization: `Bearer ${token}` }).get('/product')
      expect(used).toFailWith('token_revoked')
      expect((await start(settings)).said).toBe('')
      expect((await start({ DEMO: 'auto' })).shown).toEqual(credentials)
      expect(await tokenStatus()).toBe(200)
    }
  })

  test('an app that the operator disabled stays disabled', async () => {
    await disableApp(api.db, credentials.client_id)
    expect(await start({ DEMO: 'true' })).toEqual({ shown: undefined, said: '' })
    expect(await start({ DEMO: 'false' })).toEqual({ shown: undefined, said: '' })
    expect(await start({ DEMO: 'true' })).toEqual({ shown: undefined, said: '' })
    expect(await tokenStatus()).toBe(401)
  })
})

/** Runs last: it writes to the store that the tests above compare row by row. */
test('every product can be sent back as read, and stays the same', async () => {
  await enableApp(api.db, credentials.client_id)
  const token = await api.getToken()
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const bare = (product: Json) =>
    JSON.parse(JSON.stringify(product, (key, value) => (key === 'url' ? undefined : value)))
  for (const product of all('product')) {
    const reply = await caller.post(`/product/${product.id}/update`, product)
    expect(reply.status, `${product.title}: ${reply.text}`).toBe(200)
    expect(bare(reply.body.data.product)).toEqual(bare(product))
  }
})
