import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test, vi } from 'vitest'
import { ACCESS_CHANGE_MS, startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { type Received, type Receiver, startReceiver } from '../../../tests/support/receiver.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { grantPermissions, revokePermissions } from '../auth/change-permissions.ts'
import { disableApp } from '../auth/disable-app.ts'
import { numberChanges } from '../events/feed.ts'
import { PERMISSIONS, type Permission } from '../permissions/catalogue.ts'
import { RETRY_RULES } from './retries.ts'
import type { WebhookOptions } from './start.ts'

const HOUR = 3_600_000
const options: WebhookOptions = {
  pollMs: 20,
  idleMs: 60,
  pausedMs: 50,
  timeoutMs: 1_000,
  retries: { ...RETRY_RULES, delaysMs: [30, 30, 30, 60], maxProbeMs: 60, minRetryAfterMs: 0 },
}
const start = () => startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, options)

/** An app with its own webhook, and the receiver of that. */
const startApp = async (
  api: TestApi,
  receiver: Receiver,
  body: object = {},
  permissions: readonly Permission[] = PERMISSIONS,
) => {
  const app = await api.install(permissions)
  const token = await api.getToken(app, { install_id: app.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const made = await caller.post('/webhook', { url: receiver.url, types: ['customer.*'], payload: 'thin', ...body })
  expect(made.status, made.text).toBe(201)
  const { id, secret } = made.body.data.webhook as { id: string; secret: string }
  const log = async (query = '') => (await caller.get(`/webhook/${id}/delivery${query}`)).body.data
  const read = async () => (await caller.get(`/webhook/${id}`)).body.data.webhook
  return { app, caller, id, secret, log, read }
}

let count = 0
const addCustomer = async (api: TestApi) => {
  const reply = await api.as().post('/customer', { email: `hook-${++count}@shop.example` })
  return reply.body.data.customer as { id: string; email: string }
}
const rename = (api: TestApi, id: string, name: string) => api.as().put(`/customer/${id}`, { name })

const arrived = (receiver: Receiver, length: number) => expect.poll(() => receiver.received.length).toBe(length)
const settled = (log: () => Promise<{ deliveries: { state: string }[] }>, states: string[]) =>
  expect.poll(async () => (await log()).deliveries.map(({ state }) => state)).toEqual(states)

const verify = (secret: string, { body, headers }: Received) =>
  new Verifier(secret).verify(body, headers as Record<string, string>)
const fail =
  (status: number, headers = {}) =>
  (_: Received, reply: ServerResponse) =>
    reply.writeHead(status, headers).end()

test('events arrive as they happen, signed, as the feed shows them', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { secret, caller, id, log } = await startApp(api, receiver, {
    types: ['customer.*', 'product.*'],
    payload: 'full',
  })
  const customer = await addCustomer(api)
  const product = (await api.as().post('/product', { title: 'Mug' })).body.data.product
  await rename(api, customer.id, 'Leila')
  await arrived(receiver, 3)
  const { events } = (await caller.get('/event?types=customer.*,product.*')).body.data
  const byPosition = receiver.received.map(({ event }) => event).sort((a, b) => a.position - b.position)
  const without = ({ as_of: _, data: __, ...event }: Record<string, unknown>) => event
  expect(byPosition.map(without)).toEqual(events.map(without))
  expect(byPosition[1].data).toMatchObject({ id: product.id, title: expect.any(String) })
  for (const one of receiver.received) {
    expect(verify(secret, one)).toEqual(one.event)
    expect(one.id).toBe(one.event.id)
    expect(one.headers['content-type']).toContain('application/json')
    expect(() =>
      new Verifier('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(one.body, one.headers as never),
    ).toThrow()
  }

  // During the overlap both secrets verify, afterwards the new one only.
  const rotated = (await caller.post(`/webhook/${id}/rotate-secret`, {})).body.data.webhook.secret
  await addCustomer(api)
  await arrived(receiver, 4)
  for (const known of [secret, rotated]) verify(known, receiver.received[3] as Received)
  await runSql(api.db, sqlText`update webhook set previous_until = now() where id = $1`, [id])
  await addCustomer(api)
  await arrived(receiver, 5)
  verify(rotated, receiver.received[4] as Received)
  expect(() => verify(secret, receiver.received[4] as Received)).toThrow()

  await settled(log, Array(5).fill('delivered'))
  const { deliveries, behind } = await log('?page_size=2')
  expect(behind).toBe(0)
  expect(deliveries[0]).toMatchObject({ event_id: receiver.received[4]?.id, attempts: 1, status: 204, error: null })
  const older = await log(`?page_size=2&cursor=${(await log('?page_size=2')).next_cursor}`)
  expect(older.deliveries.map(({ event_id }: { event_id: string }) => event_id)).not.toContain(deliveries[1].event_id)
  const metrics = await api.services.metrics.read()
  expect(metrics).toMatch(/webhook_attempts_total\{outcome="delivered"\} [5-9]/)
  expect(metrics).toContain(`webhook_lag_events{webhook="${id}"} 0`)
})

test('an event that fails holds up its resource alone, and all arrive in order', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { log } = await startApp(api, receiver)
  const poisoned = await addCustomer(api)
  await arrived(receiver, 1)
  let failures = 0
  receiver.answer = ({ event }, reply) => {
    const fails = event.resource.id === poisoned.id && failures < 3
    if (fails) failures++
    reply.writeHead(fails ? 500 : 200).end('{"ok":true}')
  }
  for (let round = 0; round < 3; round++) await rename(api, poisoned.id, `Name ${round}`)
  const others = await Promise.all([1, 2, 3].map(() => addCustomer(api)))
  await settled(log, Array(7).fill('delivered'))
  const of = (id: string) =>
    receiver.received.filter(({ event }) => event.resource.id === id).map(({ event }) => event.position)
  const positions = of(poisoned.id)
  // The first rename four times, then the others.
  expect(new Set(positions.slice(1, 5)).size).toBe(1)
  expect(positions.slice(4)).toEqual([...new Set(positions)].slice(1))
  expect([...positions].sort((a, b) => a - b)).toEqual(positions)
  for (const { id } of others) expect(of(id)).toHaveLength(1)
  // The others did not wait for it.
  const ids = receiver.received.map(({ event }) => event.resource.id)
  expect(ids.indexOf(others[2]?.id)).toBeLessThan(ids.lastIndexOf(poisoned.id))
  const { deliveries } = await log()
  expect(deliveries.map(({ attempts }: { attempts: number }) => attempts).sort()).toEqual([1, 1, 1, 1, 1, 1, 4])
})

test('as many are sent at a time as the webhook has lanes; with one lane all come in order', async () => {
  const api = await start()
  const many = await startReceiver()
  const single = await startReceiver()
  let failures = 0
  many.answer = async (_, reply) => {
    await sleep(60)
    reply.end()
  }
  single.answer = async ({ event }, reply) => {
    await sleep(1)
    reply.writeHead(event.position % 5 === 2 && failures++ < 3 ? 503 : 200).end()
  }
  const wide = await startApp(api, many, { lanes: 4 })
  const strict = await startApp(api, single, { lanes: 1 })
  const customers = await Promise.all(Array.from({ length: 12 }, () => addCustomer(api)))
  for (const { id } of customers.slice(0, 4)) await rename(api, id, 'Sami')
  await settled(wide.log, Array(16).fill('delivered'))
  await settled(strict.log, Array(16).fill('delivered'))
  expect(Math.max(...many.received.map(({ others }) => others.length))).toBe(3)
  for (const { event, others } of many.received)
    expect(others.map((other) => other.event.resource.id)).not.toContain(event.resource.id)
  const positions = single.received.map(({ event }) => event.position)
  expect(single.received.every(({ others }) => others.length === 0)).toBe(true)
  expect([...positions].sort((a, b) => a - b)).toEqual(positions)
  expect(failures).toBeGreaterThan(2)
})

test('an unreachable receiver is tried with one event at a time, then gets everything in order', async () => {
  const api = await start()
  const receiver = await startReceiver(fail(502))
  const { log, read } = await startApp(api, receiver)
  const customers = []
  for (let n = 0; n < 30; n++) customers.push(await addCustomer(api))
  await arrived(receiver, receiver.received.length)
  await expect.poll(async () => (await read()).failing_since).not.toBeNull()
  await expect.poll(() => receiver.received.length).toBeGreaterThan(12)
  const seen = receiver.received.length
  await expect.poll(() => receiver.received.length).toBeGreaterThan(seen + 2)
  const last = receiver.received.slice(seen + 1)
  expect(last.every(({ others }) => others.length === 0)).toBe(true)
  // No rows are made for what was not tried.
  expect((await log('?state=waiting')).deliveries.length).toBeLessThan(12)
  receiver.received.length = 0
  receiver.answer = fail(200)
  await settled(log, Array(30).fill('delivered'))
  expect(receiver.received.map(({ event }) => event.resource.id).sort()).toEqual(customers.map(({ id }) => id).sort())
  expect((await read()).failing_since).toBeNull()
})

test('an event that is refused again and again does not delay others', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { log, read } = await startApp(api, receiver)
  const { id: poisoned } = await addCustomer(api)
  await arrived(receiver, 1)
  receiver.answer = ({ event }, reply) => reply.writeHead(event.resource.id === poisoned ? 422 : 200).end()
  await rename(api, poisoned, 'Poison')
  await expect.poll(() => receiver.received.length).toBeGreaterThan(8)
  await addCustomer(api)
  await settled(log, ['delivered', 'waiting', 'delivered'])
  expect((await read()).failing_since === null || receiver.received.length > 9).toBe(true)

  // Nor when it is the oldest of those that failed while the receiver was away.
  receiver.answer = fail(503)
  for (let n = 0; n < 8; n++) await addCustomer(api)
  await expect.poll(async () => (await log('?state=waiting')).deliveries.length).toBeGreaterThan(4)
  receiver.answer = ({ event }, reply) => reply.writeHead(event.resource.id === poisoned ? 422 : 200).end()
  await settled(log, [...Array(9).fill('delivered'), 'waiting', 'delivered'])
})

test('Retry-After of a receiver sets the time of the next attempt', async () => {
  const api = await start()
  const receiver = await startReceiver(fail(429, { 'retry-after': '3600' }))
  const { log } = await startApp(api, receiver)
  await addCustomer(api)
  await settled(log, ['waiting'])
  const [{ next_attempt_at, status, error }] = (await log()).deliveries
  expect([status, error]).toEqual([429, 'status'])
  expect(Date.parse(next_attempt_at) - Date.now()).toBeGreaterThan(HOUR - 60_000)
})

test('an event that cannot be delivered becomes a dead letter, and can be replayed', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { log, caller, id } = await startApp(api, receiver)
  const { id: lost } = await addCustomer(api)
  await arrived(receiver, 1)
  let refused = ''
  receiver.answer = (received, reply) => {
    if (received.event.type === 'customer.updated') refused ||= received.id
    return received.id === refused ? reply.writeHead(400, { 'retry-after': '3600' }).end() : reply.end()
  }
  await rename(api, lost, 'Lost')
  await rename(api, lost, 'Found')
  await settled(() => log('?state=waiting'), ['waiting', 'waiting'])
  await addCustomer(api)
  const past = sqlText`first_at = now() - interval '73 hours', due_at = now()`
  await runSql(api.db, sqlText`update webhook_delivery set ${past} where webhook_id = $1 and due_at is not null`, [id])
  await runSql(api.db, sqlText`update webhook set due_at = now() where id = $1`, [id])
  await settled(() => log('?state=failed'), ['failed'])
  const { deliveries } = await log('?state=failed')
  expect(deliveries[0]).toMatchObject({ status: 400, error: 'status', next_attempt_at: null, type: 'customer.updated' })
  // The next event of the resource goes on.
  receiver.answer = fail(200)
  await settled(log, ['delivered', 'delivered', 'failed', 'delivered'])

  const before = receiver.received.length
  expect((await caller.post(`/webhook/${id}/replay`, { failed: true })).body.data.replay).toEqual({ events: 1 })
  await settled(log, Array(4).fill('delivered'))
  const again = receiver.received[before] as Received
  expect(again.headers['webhook-replay']).toBe('true')
  expect(again.id).toBe(deliveries[0].event_id)

  const ids = [receiver.received[0]?.id as string, again.id]
  expect((await caller.post(`/webhook/${id}/replay`, { ids })).body.data.replay).toEqual({ events: 2 })
  await arrived(receiver, before + 3)
  expect(receiver.received.slice(before + 1).map((one) => one.id)).toEqual(ids)
  await settled(log, Array(4).fill('delivered'))
  const from = new Date(Date.now() - HOUR).toISOString()
  expect((await caller.post(`/webhook/${id}/replay`, { from, to: new Date().toISOString() })).body.data.replay).toEqual(
    { events: 4 },
  )
  await arrived(receiver, before + 7)
  expect(
    (await caller.post(`/webhook/${id}/replay`, { from: new Date(Date.now() + HOUR).toISOString() })).body.data.replay,
  ).toEqual({ events: 0 })

  for (const body of [{}, { failed: false }, { ids, failed: true }, { from, ids }])
    expect((await caller.post(`/webhook/${id}/replay`, body)).status, JSON.stringify(body)).toBe(422)
  const foreign = `evt_${'0'.repeat(12)}_1`
  expect(await caller.post(`/webhook/${id}/replay`, { ids: [ids[0], foreign, 'x'] })).toBeRefused(422, 'ids.1', 'ids.2')
})

test('after a day without success the app is notified, after three the webhook is paused, which is visible in three ways', async () => {
  const api = await start()
  const receiver = await startReceiver(fail(500))
  const watcher = await startReceiver()
  const { id, log, read, caller, app } = await startApp(api, receiver)
  const logged = vi.spyOn(api.services.log, 'warn')
  expect((await caller.post('/webhook', { url: watcher.url, types: ['webhook.*'] })).status).toBe(201)
  await addCustomer(api)
  const failSince = (hours: number) =>
    runSql(
      api.db,
      sqlText`update webhook set failing_since = now() - make_interval(hours => $2), lease = null, leased_until = null, due_at = now() where id = $1`,
      [id, hours],
    )
  await expect.poll(async () => (await read()).failing_since).not.toBeNull()
  const told = async () =>
    (await caller.get('/event?types=webhook.*')).body.data.events.map(({ type }: { type: string }) => type)
  await failSince(25)
  await expect.poll(told).toEqual(['webhook.failing'])
  expect((await read()).state).toBe('on')
  await failSince(73)
  await expect.poll(async () => (await read()).state).toBe('paused')
  expect(await read()).toMatchObject({ reason: 'failing' })
  expect(await told()).toEqual(['webhook.failing', 'webhook.paused'])
  const about = expect.objectContaining({ webhook: id })
  await expect.poll(() => logged.mock.calls).toContainEqual([about, 'webhook paused'])
  expect((await caller.get('/product')).headers.get('x-webhook-paused')).toBe(id)
  // Nobody else hears of it.
  expect((await api.as().get('/event?types=webhook.*')).body.data.events).toEqual([])
  expect((await api.as().get('/product')).headers.get('x-webhook-paused')).toBeNull()
  await arrived(watcher, 2)
  expect(watcher.received.map(({ event }) => [event.type, event.resource.id])).toEqual([
    ['webhook.failing', id],
    ['webhook.paused', id],
  ])

  // Nothing was given up, nothing is sent meanwhile, and it goes on where it stopped.
  const { id: later } = await addCustomer(api)
  await settled(log, ['waiting'])
  receiver.received.length = 0
  receiver.answer = fail(200)
  const resumed = await caller.post(`/webhook/${id}/resume`)
  expect(resumed.body.data.webhook).toMatchObject({ state: 'on', failing_since: null })
  await settled(log, ['delivered', 'delivered'])
  expect(receiver.received.at(-1)?.event.resource.id).toBe(later)
  expect((await caller.get('/product')).headers.get('x-webhook-paused')).toBeNull()

  // 410 pauses at once.
  receiver.answer = fail(410)
  await addCustomer(api)
  await expect.poll(async () => (await read()).reason).toBe('gone')
  await caller.delete(`/webhook/${id}`)
  expect((await runSql(api.db, sqlText`select from webhook_delivery where webhook_id = $1`, [id])).length).toBe(0)
  expect(app.install_id).toBeDefined()
})

test('events that an app may no longer see are not sent, as soon as it loses the permission', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { app, caller, log } = await startApp(api, receiver, { types: ['customer.*', 'product.*'] }, [
    'customer:view',
    'product:view',
  ])
  await api.as().post('/product', { title: 'Mug' })
  await arrived(receiver, 1)
  receiver.answer = fail(500)
  await addCustomer(api)
  await settled(() => log('?state=waiting'), ['waiting'])
  await revokePermissions(api.db, app.install_id, ['customer:view'])
  await expect.poll(async () => (await caller.get('/customer')).status).toBe(403)
  receiver.answer = fail(200)
  // What waits is dropped, what comes is passed over.
  await settled(log, ['delivered'])
  await addCustomer(api)
  await api.as().post('/product', { title: 'Jug' })
  await settled(log, ['delivered', 'delivered'])
  await grantPermissions(api.db, app.install_id, ['customer:view'])
  await sleep(ACCESS_CHANGE_MS)
  receiver.received.length = 0
  const { id } = await addCustomer(api)
  await arrived(receiver, 1)
  expect(receiver.received[0]?.event.resource).toEqual({ kind: 'customer', id })

  // A disabled app gets nothing until it is enabled again.
  await disableApp(api.db, app.client_id)
  await sleep(ACCESS_CHANGE_MS)
  await addCustomer(api)
  const { id: after } = await addCustomer(api)
  await sleep(200)
  expect(receiver.received).toHaveLength(1)
  await runSql(api.db, sqlText`update app set disabled_at = null where client_id = $1`, [app.client_id])
  await arrived(receiver, 3)
  expect(receiver.received.map(({ event }) => event.resource.id)).toContain(after)
})

test('filters select events, and a paused webhook gets none', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const body = { types: ['customer.updated', 'customer.deleted'], changed: ['name'], ignore_self: true }
  const { caller, id, log } = await startApp(api, receiver, body)
  const customer = await addCustomer(api)
  await api.as().put(`/customer/${customer.id}`, { city: 'Sfax' })
  await caller.put(`/customer/${customer.id}`, { name: 'Own' })
  await rename(api, customer.id, 'Wanted')
  await arrived(receiver, 1)
  expect(receiver.received[0]?.event).toMatchObject({ changed: ['name'], type: 'customer.updated' })
  await caller.post(`/webhook/${id}/pause`)
  await rename(api, customer.id, 'Paused')
  await sleep(150)
  expect(receiver.received).toHaveLength(1)
  await caller.post(`/webhook/${id}/resume`, { from: 'now' })
  await rename(api, customer.id, 'Resumed')
  await arrived(receiver, 2)
  // From an earlier place, everything comes again, by the same id.
  const { events, next_cursor } = (await caller.get('/event?page_size=1')).body.data
  expect(events).toHaveLength(1)
  await caller.post(`/webhook/${id}/pause`)
  await caller.post(`/webhook/${id}/resume`, { from: next_cursor })
  await arrived(receiver, 5)
  const names = receiver.received.map((one) => one.id)
  expect(names.slice(2)).toEqual([names[0], expect.any(String), names[1]])
  await settled(log, Array(3).fill('delivered'))
})

test('a secret that was made with another key signs nothing', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { caller, id, read, secret } = await startApp(api, receiver)
  await runSql(api.db, sqlText`update webhook set key_mark = 'another' where id = $1`, [id])
  await addCustomer(api)
  await expect.poll(async () => (await read()).reason).toBe('key_changed')
  expect(receiver.received).toEqual([])
  expect(await caller.post(`/webhook/${id}/resume`)).toBeRefused(422, 'secret')
  const rotated = (await caller.post(`/webhook/${id}/rotate-secret`)).body.data.webhook
  expect(rotated).toMatchObject({ previous_secret_until: null })
  expect(rotated.secret).not.toBe(secret)
  await caller.post(`/webhook/${id}/resume`)
  await arrived(receiver, 1)
  verify(rotated.secret, receiver.received[0] as Received)
})

test('a webhook whose next events have been deleted is paused instead of skipping them', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { caller, id, read } = await startApp(api, receiver)
  await caller.post(`/webhook/${id}/pause`)
  for (let n = 0; n < 3; n++) await addCustomer(api)
  await caller.get('/event')
  await runSql(api.db, sqlText`delete from event where store_id = $1`, [api.store.id])
  await runSql(api.db, sqlText`update feed set swept = last where store_id = $1`, [api.store.id])
  await runSql(api.db, sqlText`update webhook set state = 'on', reason = null, paused_at = null where id = $1`, [id])
  await expect.poll(async () => (await read()).reason).toBe('expired')
  expect(receiver.received).toEqual([])
})

test('at most 10,000 events are replayed at a time, and none while 20,000 are waiting', async () => {
  const api = await start()
  const receiver = await startReceiver()
  const { store } = api
  await runSql(
    api.db,
    sqlText`insert into change (store_id, kind, resource_id, op) select $1, 'product', new_id(), 'u'
    from generate_series(1, 10001)`,
    [store.id],
  )
  while (await numberChanges(api.db, store.id)) {}
  const { caller, id, log } = await startApp(api, receiver, { types: ['product.*'] })
  await caller.post(`/webhook/${id}/pause`, {})
  const from = new Date(Date.now() - HOUR).toISOString()
  const replay = (body: object) => caller.post(`/webhook/${id}/replay`, body)
  const countRows = async () =>
    (await runSql(api.db, sqlText`select count(*) as count from webhook_delivery where webhook_id = $1`, [id]))[0]
  expect(await replay({ from })).toBeRefused(422, 'from')
  expect(await countRows()).toEqual({ count: 0 })
  const [oldest] = (await caller.get('/event?types=product.*&page_size=1')).body.data.events
  await runSql(api.db, sqlText`delete from event where store_id = $1 and position = $2`, [store.id, oldest.position])
  expect((await replay({ from })).body.data.replay).toEqual({ events: 10_000 })
  expect(await countRows()).toEqual({ count: 10_000 })

  const waits = sqlText`insert into webhook_delivery (store_id, webhook_id, position, kind, action, resource_id, state, due_at)
    select $1, $2, 1000000 + n, 'product', 'updated', new_id(), 'waiting', now() + interval '1 hour'
    from generate_series(1, 10001) n`
  await runSql(api.db, waits, [store.id, id])
  await runSql(api.db, sqlText`update webhook_delivery set due_at = now() + interval '1 hour' where webhook_id = $1`, [
    id,
  ])
  const last = (await caller.get('/event?types=product.*&payload=thin&page_size=1')).body.data.events[0].id
  expect(await replay({ ids: [last] })).toBeRefused(422, 'from')

  // While all of these wait it reads nothing new: not sent, not noted, and not left out. (Resuming would make them due.)
  const on = sqlText`update webhook set state = 'on', reason = null, paused_at = null where id = $1`
  await runSql(api.db, on, [id])
  const product = (await api.as().post('/product', { title: 'Mug' })).body.data.product
  await caller.get('/event?cursor=now')
  expect((await log()).behind).toBe(1)
  const isStalled = async () =>
    (await runSql(api.db, sqlText`select stalled and lease is null as is from webhook where id = $1`, [id]))[0]
  await expect.poll(isStalled).toEqual({ is: true })
  expect([receiver.received.length, await countRows()]).toEqual([0, { count: 20_001 }])
  await runSql(api.db, sqlText`delete from webhook_delivery where webhook_id = $1`, [id])
  await runSql(api.db, sqlText`update webhook set due_at = now() where id = $1`, [id])
  await arrived(receiver, 1)
  expect(receiver.received[0]?.event.resource.id).toBe(product.id)
})
