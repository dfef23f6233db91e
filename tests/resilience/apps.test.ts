import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { API_PREFIX } from '../../src/config/config.ts'
import type { Api } from '../../src/core/http/api.ts'
import { describeRegistered } from '../../src/resources/apps/queries.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { addRegisteredApp, decide, LOCAL_APPS, manifestOf } from '../support/apps.ts'
import { type Caller, createCaller } from '../support/caller.ts'
import { addPerson, OWN_PAGE } from '../support/console.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startProcess, temporaryFolder } from '../support/server-process.ts'
import { databaseUrl } from '../support/test-database.ts'
import { killAt } from './kill-at.ts'
import { recordResult } from './results-table.ts'

const SETTINGS = { ...LOCAL_APPS, TOKEN_SECRET: 'the same secret on all of the nodes' }

type App = Awaited<ReturnType<typeof addRegisteredApp>>

let api: TestApi
let owner: Awaited<ReturnType<typeof addPerson>>
beforeAll(async () => {
  api = await startTestApi(SETTINGS)
  owner = await addPerson(api, { role: 'owner', store: api.store.id })
})

/** Another node of the same service, as a process that can be killed. */
const startNode = async () => {
  const server = startProcess({
    ...SETTINGS,
    DATABASE_URL: databaseUrl(api.connection),
    DATA_DIR: await temporaryFolder(),
    DATABASE_POOL: '4',
    DEMO: 'false',
    LOG_LEVEL: 'silent',
  })
  const origin = (await server.ready()).replace(API_PREFIX, '')
  return { server, origin }
}

type Node = Awaited<ReturnType<typeof startNode>>

/** Replies of a process are not compared with documents: it may be killed while it sends them. */
const UNDOCUMENTED = { routeTable: [] } as unknown as Api

const personAt = ({ origin }: Node, { cookie } = owner): { console: Caller } => ({
  console: createCaller(UNDOCUMENTED, origin, '/console/api', { ...OWN_PAGE, cookie }),
})

const ownerToken = async () => {
  const { body } = await owner.console.post(`/stores/${api.store.id}/token`)
  return body.data.token as string
}

const consentAt = (node: Node, app: App, permissions: string[] = []) =>
  decide(personAt(node), api.store.id, { client_id: app.client_id }, { permissions })

const removeAt = (origin: string, token: string, app: App) =>
  fetch(`${origin}${API_PREFIX}/app/${app.client_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  })

interface FeedEvent {
  type: string
  resource: { id: string }
}

/** All events of a kind, from the beginning. */
const feedOf = async (kind: string) => {
  const events: FeedEvent[] = []
  let cursor = ''
  for (;;) {
    const reply = await api.as().get(`/event?types=${kind}.*&page_size=200${cursor}`)
    expect(reply.status, reply.text).toBe(200)
    events.push(...reply.body.data.events)
    if (!reply.body.data.more) return events
    cursor = `&cursor=${encodeURIComponent(reply.body.data.next_cursor)}`
  }
}

/** Everything that is stored of an app in the store. */
const stateOf = async (app: App) => {
  const { rows } = await sql<Record<string, unknown>>`select
      (select permissions from installation where app_id = ${app.id}) as permissions,
      (select count(*)::int from installation where app_id = ${app.id}) as installations,
      (select count(*)::int from removed_installation where app_id = ${app.id}) as removed,
      (select count(*)::int from webhook w join installation i on i.id = w.installation_id
        where i.app_id = ${app.id}) as webhooks,
      (select count(*)::int from oauth_grant where app_id = ${app.id}) as grants,
      (select array_agg(type order by change) from lifecycle_post where app_id = ${app.id}) as posts,
      (select count(*)::int from audit_entry where app_id = ${app.id}) as acts`.execute(api.db)
  const events = (await feedOf('app')).filter(({ resource }) => resource.id === app.id)
  return { ...rows[0], events: events.map(({ type }) => type) }
}

/** What the app was told, without what was sent again because its reply was lost. */
const toldTo = ({ received }: Receiver) => {
  const seen = new Map(received.map(({ event }) => [event.data.change as number, event.type as string]))
  return [...seen].sort(([a], [b]) => a - b).map(([, type]) => type)
}

/** Kills a node at each step. Nothing may have happened. Then the same is done once more, to the end. */
const killAtEach = async (tables: readonly string[], app: App, act: (node: Node) => Promise<unknown>) => {
  const before = await stateOf(app)
  for (const table of tables) {
    const node = await startNode()
    await killAt(api, node.server, `lock table ${table} in exclusive mode`, () => act(node))
    expect(await stateOf(app), `killed at ${table}`).toEqual(before)
  }
  const node = await startNode()
  await act(node)
  // Whole, although nobody is there any more to tell.
  await node.server.stop('SIGKILL')
  return stateOf(app)
}

const whole = { installations: 1, removed: 0, webhooks: 0, grants: 0 }

test('a node killed at any step of an installation leaves all of it or nothing, and the app is told', async () => {
  const receiver = await startReceiver()
  const app = await addRegisteredApp(api, { lifecycle_url: receiver.url })
  const tables = ['app', 'installation', 'change', 'lifecycle_post', 'audit_entry']
  expect(await killAtEach(tables, app, (node) => consentAt(node, app, ['order:view']))).toEqual({
    ...whole,
    permissions: ['order:view', 'product:view'],
    events: ['app.installed'],
    posts: ['app.installed'],
    acts: 1,
  })
  await expect.poll(() => toldTo(receiver)).toEqual(['app.installed'])
  recordResult({ case: 'node killed while an app is installed', tried: tables.length + 1, lost: 0 })
})

test('a node killed at any step of a change of permissions leaves the old ones or the new, and the app is told', async () => {
  const receiver = await startReceiver()
  const app = await addRegisteredApp(api, { lifecycle_url: receiver.url })
  await decide(owner, api.store.id, { client_id: app.client_id })
  const tables = ['installation', 'change', 'lifecycle_post', 'audit_entry']
  expect(await killAtEach(tables, app, (node) => consentAt(node, app, ['order:view', 'product:update']))).toEqual({
    ...whole,
    permissions: ['order:view', 'product:update', 'product:view'],
    events: ['app.installed', 'app.permissions_changed'],
    posts: ['app.installed', 'app.permissions_changed'],
    acts: 2,
  })
  await expect.poll(() => toldTo(receiver)).toEqual(['app.installed', 'app.permissions_changed'])
  recordResult({ case: 'node killed while permissions of an app change', tried: tables.length + 1, lost: 0 })
})

test('a node killed while a manifest is read again leaves all installations as they were, or narrowed, and the app is told', async () => {
  const receiver = await startReceiver()
  const content = await manifestOf({ lifecycle_url: receiver.url })
  const app = await addRegisteredApp(api, content)
  await decide(owner, api.store.id, { client_id: app.client_id }, { permissions: ['order:view', 'product:update'] })
  const operator = await addPerson(api, { role: 'operator' })
  const narrower = {
    ...content,
    permissions: { required: ['product:view', 'customer:view'], optional: ['order:view'] },
  }
  const tables = ['app_manifest', 'installation', 'lifecycle_post', 'audit_entry']
  const left = await killAtEach(tables, app, async (node) => {
    const body = { manifest: JSON.stringify(narrower) }
    const reply = await personAt(node, operator).console.post(`/operator/apps/${app.id}/refresh`, body)
    expect(reply.status, reply.text).toBe(200)
  })
  expect(left).toEqual({
    ...whole,
    permissions: ['order:view', 'product:view'],
    events: ['app.installed', 'app.permissions_changed'],
    posts: ['app.installed', 'app.permissions_changed'],
    acts: 2,
  })
  const { permissions } = await describeRegistered(api.db, app.client_id)
  expect(permissions).toEqual(narrower.permissions)
  await expect.poll(() => toldTo(receiver)).toEqual(['app.installed', 'app.permissions_changed'])
  recordResult({ case: 'node killed while a manifest is read again', tried: tables.length + 1, lost: 0 })
})

test('a node killed at any step of an uninstallation leaves the app working or gone, and the app is told', async () => {
  const receiver = await startReceiver()
  const app = await addRegisteredApp(api, { lifecycle_url: receiver.url })
  const made = await decide(owner, api.store.id, { client_id: app.client_id })
  const token = await api.getToken(app, { install_id: made.body.data.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const types = ['product.*']
  expect((await caller.post('/webhook', { url: 'https://app.example/hook', types })).status).toBe(201)
  const byOwner = await ownerToken()
  const tables = ['app', 'installation', 'webhook', 'removed_installation', 'change', 'lifecycle_post']
  const left = await killAtEach(tables, app, async (node) => {
    expect((await caller.get('/product')).status).toBe(200)
    expect((await removeAt(node.origin, byOwner, app)).status).toBe(200)
  })
  expect(left).toEqual({
    permissions: null,
    installations: 0,
    removed: 1,
    webhooks: 0,
    grants: 0,
    events: ['app.installed', 'app.uninstalled'],
    posts: ['app.installed', 'app.uninstalled'],
    acts: 2,
  })
  await expect.poll(async () => (await caller.get('/product')).status).toBe(403)
  await expect.poll(() => toldTo(receiver)).toEqual(['app.installed', 'app.uninstalled'])
  recordResult({ case: 'node killed while an app is uninstalled', tried: tables.length + 1, lost: 0 })
})

const ROUNDS = 4
const CALLERS_PER_NODE = 4

interface Call {
  node: number
  /** When it was sent, and when it was answered. */
  at: number
  end: number
  accepted: boolean
  email: string
}

test('an app that is uninstalled under load stops on every node, and everything that it did is an event, once', async () => {
  const node = await startNode()
  const origins = [api.origin, node.origin]
  const receiver = await startReceiver()
  const app = await addRegisteredApp(api, {
    lifecycle_url: receiver.url,
    permissions: { required: ['customer:view', 'customer:create'], optional: [] },
  })
  const calls: Call[] = []
  let slowest = 0
  for (let round = 0; round < ROUNDS; round++) {
    const installed = await consentAt(node, app)
    expect(installed.status, installed.text).toBe(200)
    const { install_id } = installed.body.data
    const authorization = `Bearer ${await api.getToken(app, { install_id })}`
    let isStopped = false
    const work = async (place: number, number: number) => {
      for (let n = 0; !isStopped; n++) {
        const call = { node: place, at: performance.now(), email: `${round}-${place}-${number}-${n}@shop.example` }
        const { status } = await fetch(`${origins[place]}${API_PREFIX}/customer`, {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify({ email: call.email }),
        })
        expect([201, 401, 403]).toContain(status)
        calls.push({ ...call, end: performance.now(), accepted: status === 201 })
      }
    }
    const seenOf = (place: number, accepted: boolean) =>
      calls.some((call) => call.node === place && call.accepted === accepted && call.email.startsWith(`${round}-`))
    const working = [0, 1].flatMap((place) =>
      Array.from({ length: CALLERS_PER_NODE }, (_, number) => work(place, number)),
    )
    await expect.poll(() => [seenOf(0, true), seenOf(1, true)]).toEqual([true, true])
    // By turns, so that each node has to hear of it from the other one.
    const reply = await removeAt(origins[round % 2] as string, await ownerToken(), app)
    const gone = performance.now()
    expect(reply.status).toBe(200)
    await expect.poll(() => [seenOf(0, false), seenOf(1, false)]).toEqual([true, true])
    isStopped = true
    await Promise.all(working)
    const ofRound = calls.filter(({ email }) => email.startsWith(`${round}-`))
    for (const place of [0, 1]) {
      const own = ofRound.filter((call) => call.node === place)
      const refused = Math.min(...own.filter(({ accepted }) => !accepted).map(({ end }) => end))
      const late = own.filter(({ accepted, at }) => accepted && at > refused)
      expect(late, 'accepted after a refusal').toEqual([])
    }
    slowest = Math.max(slowest, ...ofRound.filter(({ accepted }) => accepted).map(({ at }) => at - gone))
    const again = await fetch(`${node.origin}${API_PREFIX}/customer`, { headers: { authorization } })
    expect(again.status).toBe(403)
  }
  const accepted = calls.filter((call) => call.accepted).map(({ email }) => email)
  const stored = await api.db
    .selectFrom('customer')
    .select(['id', 'email'])
    .where('store_id', '=', api.store.id)
    .execute()
  expect(stored.map(({ email }) => email).sort()).toEqual(accepted.sort())
  const created = (await feedOf('customer')).map(({ resource }) => resource.id)
  expect(created.sort()).toEqual(stored.map(({ id }) => id).sort())
  const told = Array.from({ length: ROUNDS }, () => ['app.installed', 'app.uninstalled']).flat()
  expect(await stateOf(app)).toMatchObject({
    installations: 0,
    removed: ROUNDS,
    grants: 0,
    webhooks: 0,
    events: told,
    posts: told,
  })
  await expect.poll(() => toldTo(receiver)).toEqual(told)
  recordResult({
    case: 'apps uninstalled under load on two nodes',
    tried: calls.length,
    lost: 0,
    note: `last accepted call begun ${Math.round(slowest)} ms after the reply`,
  })
})
