import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { readConfig } from '../src/config/config.ts'
import { databaseCaller } from '../src/core/storage/database-caller.ts'
import { sqlText, t } from '../src/core/storage/sql.ts'
import { runSql } from '../src/core/storage/statement.ts'
import type { StoreId } from '../src/core/storage/store-id.ts'
import { inStore } from '../src/core/storage/store-statement.ts'
import { PERMISSIONS } from '../src/resources/permissions/catalogue.ts'
import { startHttpServer } from '../src/server/http-server.ts'
import { send } from './resilience/foreign-id-sweep.ts'
import { createFullStore, samplesFor } from './resilience/full-store.ts'
import { startTestApi } from './support/api.ts'
import { isOnCitus } from './support/citus.ts'
import { addProduct } from './support/products.ts'
import { temporaryFolder } from './support/server-process.ts'
import { cloneDatabase, databaseUrl } from './support/test-database.ts'

if (!isOnCitus) console.log('Not tried on Citus: set CITUS_URL to the coordinator of a cluster with workers.')

interface Sent {
  text: string
  values: unknown[]
}

/** Sends the statement in its second value. */
const RUN_IN_STORE = 'select run_in_store($1, $2, $3) as found'

/** The statements of requests with their values, once per text. */
const sentBy = async (work: () => Promise<unknown>): Promise<Sent[]> => {
  const sent = new Map<string, Sent>()
  const prototype = pg.Client.prototype as { query: (...given: unknown[]) => unknown }
  const { query } = prototype
  const spy = vi.spyOn(prototype, 'query')
  spy.mockImplementation(function record(this: unknown, ...given: unknown[]) {
    const [statement] = given as [string | Sent]
    const { text, values } = typeof statement === 'string' ? { text: statement, values: [] } : statement
    if (databaseCaller.getStore()?.store && /^\s*(select|insert|update|delete|with)\b/i.test(text))
      sent.set(text === RUN_IN_STORE ? String(values?.[1]) : text, { text, values: values ?? [] })
    return query.apply(this, given)
  })
  try {
    await work()
  } finally {
    spy.mockRestore()
  }
  return [...sent.values()]
}

test.skipIf(!isOnCitus)('every statement of every operation goes to one shard', async () => {
  const store = await createFullStore()
  const sent = await sentBy(async () => {
    for (const sample of samplesFor(store)) await send(store, sample)
    for (const list of ['order', 'product', 'customer', 'file', 'review', 'landing-page', 'event'])
      expect((await store.all.get(`/${list}?search=mug`)).status, list).toBeLessThan(500)
  })
  expect(sent.length).toBeGreaterThan(100)
  const client = new pg.Client({ connectionString: databaseUrl(store.api.connection) })
  await client.connect()
  const spread: string[] = []
  for (const { text, values } of sent) {
    const { rows } = await client.query({ text: `explain (costs off) ${text}`, values }).catch((error) => {
      // Citus explains no INSERT … SELECT with parameters. It writes to the shard of the store that the values name.
      if (/insert into/i.test(text) && error.message.includes('could not create distributed plan')) return { rows: [] }
      throw new Error(`${error.message}: ${text}`)
    })
    const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n')
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
    if (tasks.some((count) => count > 1)) spread.push(text.replace(/\s+/g, ' ').slice(0, 300))
  }
  await client.end()
  expect(spread).toEqual([])
})

/** Citus keeps the plan of a statement of one table. It plans others each time, on the coordinator and on the worker. */
const SEVERAL_TABLES = /\bjoin\b|^\s*with\b|\(\s*select\b/i
/** Of landing pages, options and parcels on their way: small statements that most orders do not need. */
const RARE = /from (landing_page|variant_value|delivery)\b/
test.skipIf(!isOnCitus)('reads by id, lists and new orders take few statements that Citus has to plan', async () => {
  const { all, product, order, customer } = await createFullStore()
  const sent = await sentBy(async () => {
    for (const path of ['order', 'product', 'customer']) expect((await all.get(`/${path}`)).status).toBe(200)
    for (const path of [`order/${order.id}`, `product/${product.id}`, `customer/${customer.id}`])
      expect((await all.get(`/${path}`)).status).toBe(200)
    const variants = [{ variant_id: product.default.id, quantity: 1 }]
    expect((await all.post('/order', { variants })).status).toBe(201)
  })
  expect(sent.length).toBeGreaterThan(5)
  const planned = sent.filter(({ text }) => SEVERAL_TABLES.test(text) && !RARE.test(text))
  expect(planned.map(({ text }) => text)).toEqual([])
})

test.skipIf(!isOnCitus)('a resource that was read before is read again by one statement', async () => {
  const { all, product, order, customer } = await createFullStore()
  for (const path of [`order/${order.id}`, `product/${product.id}`, `customer/${customer.id}`]) {
    const read = async () => (await all.get(`/${path}`)).text
    const first = await read()
    await read()
    let again = ''
    const sent = await sentBy(async () => {
      again = await read()
    })
    expect(again).toBe(first)
    expect(sent.map(({ text }) => text)).toHaveLength(1)
  }
})

test.skipIf(!isOnCitus)('a new customer is one statement, attributed to the app that created it', async () => {
  const api = await startTestApi()
  const all = api.as(...PERMISSIONS)
  const create = async (email: string) => expect((await all.post('/customer', { email })).status).toBe(201)
  await create('first@example.com')
  const sent = await sentBy(() => create('second@example.com'))
  expect(sent.map(({ text }) => text)).toEqual([expect.stringContaining('insert into customer')])
  const { events } = (await all.get('/event?types=customer.created')).body.data
  expect(events.map(({ app }: { app: object | null }) => app)).toEqual([
    expect.objectContaining({ name: 'Test app' }),
    expect.objectContaining({ name: 'Test app' }),
  ])
})

test.skipIf(!isOnCitus)('a write raises no warning of a worker', async () => {
  const { all, product } = await createFullStore()
  const emit = vi.spyOn(pg.Client.prototype, 'emit')
  const variants = [{ variant_id: product.default.id, quantity: 1 }]
  expect((await all.post('/order', { variants })).status).toBe(201)
  const notices = emit.mock.calls.flatMap(([event, notice]) => ((event as string) === 'notice' ? [String(notice)] : []))
  emit.mockRestore()
  expect(notices).toEqual([])
})

test.skipIf(!isOnCitus)('standbys of a coordinator are refused: its log says nothing about the workers', async () => {
  const connection = await cloneDatabase()
  const settings = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: await temporaryFolder() }
  const config = readConfig({ ...settings, DATABASE_REPLICA_URL: databaseUrl(connection) })
  await expect(startHttpServer(config, connection)).rejects.toThrow('DATABASE_REPLICA_URL cannot be used')
})

test.skipIf(!isOnCitus)('a statement that finds nothing returns nothing', async () => {
  const { db, store } = await startTestApi()
  const find = (domain: string) =>
    inStore(db, store.id as StoreId, sqlText`select s.domain from ${t.store} s where s.id = $1 and s.domain = $2`, [
      store.id,
      domain,
    ])
  const [{ domain } = { domain: '' }] = await runSql<{ domain: string }>(
    db,
    sqlText`select domain from store where id = $1`,
    [store.id],
  )
  expect(await find(domain)).toEqual({ domain })
  expect(await find('elsewhere.example')).toBeUndefined()
})

test.skipIf(!isOnCitus)(
  'functions that read orders are called by statements that Citus plans, and by others',
  async () => {
    const { db, store, as } = await startTestApi()
    const { variant } = await addProduct({ db, store })
    const customer_phone = '+21620123456'
    for (let n = 0; n < 2; n++)
      expect(
        (await as().post('/order', { customer_phone, variants: [{ variant_id: variant, quantity: 1 }] })).status,
      ).toBe(201)
    const text = sqlText`select json_agg(json_build_array(
      earliest_twin($1, o.id, o.phone_e164, null, o.created_at) is not null,
      is_first_of_phone($1, o.phone_e164, o.created_at, o.id),
      is_placed_before($1, o.id, o.created_at, o.id)) order by o.created_at) as found from ${t.orders} o where o.store_id = $1`
    const found = [
      [true, true, false],
      [true, false, false],
    ]
    expect(await runSql(db, text, [store.id])).toEqual([{ found }])
    expect(await inStore(db, store.id as StoreId, text, [store.id])).toEqual({ found })
  },
)
