import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { type Db, openDatabase, transact } from '../../src/core/storage/database.ts'
import type { StoreId } from '../../src/core/storage/store-id.ts'
import { createApp } from '../../src/resources/auth/create-app.ts'
import { createInstallation } from '../../src/resources/auth/create-installation.ts'
import { createPlan } from '../../src/resources/plans/manage-plans.ts'
import { choosePlan } from '../../src/resources/plans/switch-plan.ts'
import { createStore } from '../../src/resources/stores/create-store.ts'
import { addCleanup } from '../support/cleanup.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { cloneDatabase, databaseUrl } from '../support/test-database.ts'
import { killAt } from './kill-at.ts'
import { recordResult } from './results-table.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU'
const SETTINGS = {
  BILLING_SECRET: SECRET,
  BILLING_TAX_PERCENT: '19',
  TOKEN_SECRET: 'the same secret on all of the nodes',
}

/** A node runs the jobs of every minute when it gets this signal as well, so that nobody waits for a minute. */
const MINUTE = 'SIGUSR2'
const BY_SIGNAL = `const set = setInterval, jobs = []
globalThis.setInterval = (work, ms, ...more) => (ms === 60000 && jobs.push(work), set(work, ms, ...more))
process.on('${MINUTE}', () => jobs.forEach((work) => work()))`

/** Where a transaction can be stopped: before or after it writes a row of a table. The last row is the event of the plan. */
const STEPS = {
  'before the subscription is written': ['before', 'subscription', 'true'],
  'before the invoice is written': ['before', 'invoice', 'true'],
  'before the event of the invoice': ['before', 'change', "new.kind = 'invoice'"],
  'before the event of the plan': ['before', 'change', "new.kind = 'plan'"],
  'before the end': ['after', 'change', "new.kind = 'plan'"],
} as const
type Step = keyof typeof STEPS
const NAMES = Object.keys(STEPS) as Step[]
const keyOf = (step: Step) => NAMES.indexOf(step) + 1

let db: Db
let at: Parameters<typeof killAt>[0]
let plans: Record<'small' | 'large', { id: string }>

beforeAll(async () => {
  const connection = await cloneDatabase()
  const database = openDatabase(connection, { pool: 4, prepare: false, name: 'test', untimed: true })
  addCleanup(() => database.close())
  db = database.db
  at = { db, connection }
  await sql`create function stop_here() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint); return new; end $$`.execute(db)
  for (const step of NAMES) {
    const [when, table, condition] = STEPS[step]
    await sql`create trigger ${sql.id(step)} ${sql.raw(when)} insert or update on ${sql.table(table)} for each row
      when (${sql.raw(condition)}) execute function stop_here(${sql.lit(String(keyOf(step)))})`.execute(db)
  }
  const plan = (name: string, price: number) => createPlan(db, { name, price, currency: 'TND' })
  plans = { small: await plan('Small', 30), large: await plan('Large', 60) }
})

const startNode = async () => {
  const server = startProcess(
    {
      ...SETTINGS,
      DATABASE_URL: databaseUrl(at.connection),
      DATA_DIR: await temporaryFolder(),
      DATABASE_POOL: '4',
      DEMO: 'false',
      LOG_LEVEL: 'silent',
    },
    { nodeArguments: [`--import=data:text/javascript,${encodeURIComponent(BY_SIGNAL)}`] },
  )
  return { server, base: await server.ready() }
}

type Node = Awaited<ReturnType<typeof startNode>>

/** The jobs of a minute. They are cut off, because the node is killed before they end. */
const passMinute = async ({ server }: Node) => {
  server.child.kill(MINUTE)
  await server.ended()
  throw new Error('The node has ended.')
}

/** A store with the small plan, and an app that may see and do everything about it. */
const addShop = async () => {
  const { id } = await createStore(db, { name: 'Shop', domain: `${randomUUID()}.example`, currency: 'TND' })
  await transact(db, (db) => choosePlan(db, readConfig(SETTINGS), id as StoreId, plans.small.id))
  const app = await createApp(db, 'Books')
  await createInstallation(db, app.client_id, id, ['plan:switch', 'invoice:view', 'invoice:pay'])
  return { id, app }
}

type Shop = Awaited<ReturnType<typeof addShop>>

const post = (base: string, path: string, body: object, headers: Record<string, string>) =>
  fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const callerAt = async ({ base }: Node, { app, id }: Shop) => {
  const { rows } = await sql<{ id: string }>`select i.id from installation i join app a on a.id = i.app_id
    where a.client_id = ${app.client_id} and i.store_id = ${id}`.execute(db)
  const reply = await post(base, '/auth/get-token', { ...app, install_id: rows[0]?.id }, {})
  const headers = { authorization: `Bearer ${((await reply.json()) as { data: { token: string } }).data.token}` }
  return {
    post: (path: string, body: object, more: Record<string, string> = {}) =>
      post(base, path, body, { ...headers, ...more }),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape.
    get: async (path: string): Promise<any> => (await fetch(base + path, { headers })).json(),
  }
}

/** Ends the periods of stores, so that the next job finds this many that have not been invoiced. */
const endPeriods = (shops: readonly Shop[], months = 1) =>
  sql`update subscription set anchor = anchor - ${`${months} months`}::interval,
    period_start = period_start - ${`${months} months`}::interval, period_end = period_end - ${`${months} months`}::interval
    where store_id = any(${shops.map(({ id }) => id)}::uuid[])`.execute(db)

/** With those that have no position in the feed yet. */
const EVENTS = sql`(select store_id, n, kind, action from event union all select store_id, n, kind, action from change)`

/** Everything that is stored about what a store pays. */
const stateOf = async ({ id }: Shop) => {
  const { rows } = await sql<Record<string, unknown>>`select
      (select array_agg(total::float8 order by number) from invoice where store_id = ${id}) as totals,
      (select array_agg(status order by number) from invoice where store_id = ${id}) as statuses,
      (select array_agg(kind || '.' || action order by n) from ${EVENTS} e
        where store_id = ${id} and kind in ('plan', 'invoice')) as events,
      (select array_agg(p.name) from subscription s join plan p on p.id = s.plan_id where store_id = ${id}) as plan,
      (select periods from subscription where store_id = ${id}) as periods,
      (select period_end > now() from subscription where store_id = ${id}) as runs,
      (select count(*)::int from idempotency where store_id = ${id}) as replies`.execute(db)
  return rows[0]
}

/** Invoices of all stores are numbered 1, 2, 3 and so on. */
const expectNoGaps = async () => {
  const { rows } = await sql<{ number: number }>`select number::int as number from invoice order by number`.execute(db)
  expect(rows.map(({ number }) => number)).toEqual(rows.map((_, n) => n + 1))
}

/** Kills a node at each step. Nothing may have happened. Returns a node that goes on. */
const killAtEach = async (steps: readonly Step[], shop: Shop, act: (node: Node) => Promise<unknown>) => {
  const before = await stateOf(shop)
  for (const step of steps) {
    const node = await startNode()
    await killAt(at, node.server, `select pg_advisory_xact_lock(${keyOf(step)})`, () => act(node))
    expect(await stateOf(shop), `killed ${step}`).toEqual(before)
    await expectNoGaps()
  }
  return startNode()
}

test('a node killed at any step of a renewal leaves the old period or the next one with its invoice, once', async () => {
  const shop = await addShop()
  await endPeriods([shop])
  await sql`update subscription set next_plan_id = ${plans.large.id} where store_id = ${shop.id}`.execute(db)
  const node = await killAtEach(NAMES, shop, passMinute)
  const renewed = {
    totals: [35.7, 71.4],
    statuses: ['open', 'open'],
    events: ['invoice.created', 'plan.switched', 'invoice.created', 'plan.switched'],
    plan: ['Large'],
    runs: true,
  }
  node.server.child.kill(MINUTE)
  await expect.poll(() => stateOf(shop)).toMatchObject(renewed)
  await node.server.stop('SIGKILL')
  // Another node finds nothing left to do here, while it renews another store.
  const [other, later] = [await startNode(), await addShop()]
  await endPeriods([later])
  other.server.child.kill(MINUTE)
  await expect.poll(() => stateOf(later)).toMatchObject({ totals: [35.7, 35.7], runs: true })
  expect(await stateOf(shop)).toMatchObject(renewed)
  await expectNoGaps()
  const caller = await callerAt(other, shop)
  const { invoices, pagination } = (await caller.get('/invoice?order_direction=ASC')).data
  const { subscription } = (await caller.get('/plan')).data
  expect([pagination.total, invoices[1].period_end]).toEqual([2, subscription.period_end])
  await other.server.stop()
  recordResult({ case: 'node killed while a plan is renewed and invoiced', tried: NAMES.length + 1, lost: 0 })
})

test('a node killed at any step of a switch leaves the old plan or the new one with its invoice, and a retry makes no second', async () => {
  const shop = await addShop()
  const choose = async (node: Node) => {
    const caller = await callerAt(node, shop)
    const reply = await caller.post('/plan/switch', { plan_id: plans.large.id }, { 'idempotency-key': 'switch' })
    expect(reply.status).toBe(200)
    return reply.text()
  }
  const steps: Step[] = ['before the invoice is written', 'before the end']
  const node = await killAtEach(steps, shop, choose)
  const reply = await choose(node)
  // Whole, although nobody is there any more to tell. A retry elsewhere gets the same reply.
  await node.server.stop('SIGKILL')
  const other = await startNode()
  expect(await choose(other)).toBe(reply)
  expect(await stateOf(shop)).toMatchObject({
    totals: [35.7, expect.closeTo(35.7, 1)],
    events: ['invoice.created', 'plan.switched', 'invoice.created', 'plan.switched'],
    plan: ['Large'],
    periods: 1,
    replies: 1,
  })
  await expectNoGaps()
  await other.server.stop()
  recordResult({ case: 'node killed while a plan is switched and invoiced', tried: steps.length + 1, lost: 0 })
})

test('a node killed at any step of a reported payment leaves an open invoice or a paid one, and the report can be sent again', async () => {
  const shop = await addShop()
  const { rows } = await sql<{ id: string }>`select id from invoice where store_id = ${shop.id}`.execute(db)
  const report = async ({ base }: Node) => {
    const body = { invoice_id: rows[0]?.id, amount: 35.7, currency: 'TND', reference: 'pay_1' }
    const now = new Date()
    const reply = await post(base, '/billing/paid', body, {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(SECRET).sign('msg_1', now, JSON.stringify(body)),
    })
    expect(reply.status).toBe(200)
  }
  const steps: Step[] = ['before the invoice is written', 'before the event of the invoice']
  const node = await killAtEach(steps, shop, report)
  await report(node)
  await node.server.stop('SIGKILL')
  const other = await startNode()
  await report(other)
  expect(await stateOf(shop)).toMatchObject({
    statuses: ['paid'],
    events: ['invoice.created', 'plan.switched', 'invoice.paid'],
  })
  await other.server.stop()
  recordResult({ case: 'node killed while a payment is reported', tried: steps.length + 1, lost: 0 })
})

const SHOPS = 8
const MISSED = 4

test('of nodes that are killed while they invoice many stores, each period has one invoice, and no number is left out', async () => {
  const shops = await Promise.all(Array.from({ length: SHOPS }, addShop))
  await endPeriods(shops, MISSED)
  const ids = shops.map(({ id }) => id)
  const count = async () => {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from invoice
      where store_id = any(${ids}::uuid[])`.execute(db)
    return rows[0]?.n ?? 0
  }
  const all = SHOPS * (MISSED + 1)
  let kills = 0
  for (let seen = await count(); seen < all; seen = await count()) {
    const nodes = [await startNode(), await startNode()]
    for (const { server } of nodes) server.child.kill(MINUTE)
    await expect.poll(count, { interval: 1 }).toBeGreaterThanOrEqual(Math.min(all, seen + SHOPS))
    await Promise.all(nodes.map(({ server }) => server.stop('SIGKILL')))
    kills += nodes.length
  }
  await expectNoGaps()
  const { rows } = await sql<{ starts: string[]; ends: string[] }>`select
      array_agg(period_start::text order by number) as starts, array_agg(period_end::text order by number) as ends
    from invoice where store_id = any(${ids}::uuid[]) group by store_id`.execute(db)
  expect(rows).toHaveLength(SHOPS)
  for (const { starts, ends } of rows) {
    expect(starts).toHaveLength(MISSED + 1)
    // The first invoice is from before the periods were moved into the past.
    expect(starts.slice(2)).toEqual(ends.slice(1, -1))
  }
  const { rows: events } = await sql<{ n: number }>`select count(*)::int as n from ${EVENTS} e
    where store_id = any(${ids}::uuid[]) and kind = 'invoice' and action = 'created'`.execute(db)
  expect(events[0]?.n).toBe(all)
  recordResult({ case: 'nodes killed while many stores are invoiced', tried: kills, lost: 0 })
})
