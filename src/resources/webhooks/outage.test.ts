import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { type Received, type Receiver, startReceiver } from '../../../tests/support/receiver.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { RETRY_RULES } from './retries.ts'
import type { WebhookOptions } from './start.ts'

const options: WebhookOptions = {
  pollMs: 20,
  idleMs: 60,
  pausedMs: 50,
  timeoutMs: 5_000,
  retries: { ...RETRY_RULES, delaysMs: [30, 30, 30, 60], maxProbeMs: 60, minRetryAfterMs: 0 },
}
const start = () => startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, options)

const addWebhook = async (api: TestApi, url: string, body: object = {}) => {
  const app = await api.install(PERMISSIONS)
  const token = await api.getToken(app, { install_id: app.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const made = await caller.post('/webhook', { url, types: ['customer.*'], payload: 'thin', ...body })
  expect(made.status, made.text).toBe(201)
  const { id } = made.body.data.webhook
  return {
    id,
    caller,
    read: async () => (await caller.get(`/webhook/${id}`)).body.data.webhook,
    log: async (query = '') => (await caller.get(`/webhook/${id}/delivery?page_size=100${query}`)).body.data.deliveries,
  }
}

let count = 0
const addCustomer = async (api: TestApi): Promise<string> =>
  (await api.as().post('/customer', { email: `away-${++count}@shop.example` })).body.data.customer.id

const answering = (status: number) => (_: Received, reply: ServerResponse) => reply.writeHead(status).end()
const arrived = (receiver: Receiver, length: number) => expect.poll(() => receiver.received.length).toBe(length)

/** Turns the clock: everything that was noted about the webhook happened so much earlier. */
const passHours = async (api: TestApi, id: string, hours: number) => {
  // Citus takes no function of a column that depends on the time zone.
  const earlier = (column: string) =>
    `${column} = to_timestamp(extract(epoch from ${column} - timestamptz 'epoch') - ${hours * 3600})`
  const set = (...columns: string[]) => columns.map(earlier).join(', ') as ReturnType<typeof sqlText>
  await runSql(
    api.db,
    sqlText`update webhook set ${set('failing_since', 'warned_at')}, lease = null, leased_until = null, due_at = now()
    where id = $1`,
    [id],
  )
  await runSql(api.db, sqlText`update webhook_delivery set ${set('first_at', 'due_at')} where webhook_id = $1`, [id])
}

test('a receiver that is away for 80 hours costs a few rows, fails no event, and gets everything in order', async () => {
  const api = await start()
  const receiver = await startReceiver(answering(503))
  const { id, caller, read, log } = await addWebhook(api, receiver.url)
  const customers = [await addCustomer(api), await addCustomer(api), await addCustomer(api)]
  await expect.poll(async () => (await read()).failing_since).not.toBeNull()
  const told = async () =>
    (await caller.get('/event?types=webhook.*')).body.data.events.map(({ type }: { type: string }) => type)
  const seen: string[] = []
  for (let hours = 8; hours <= 80; hours += 8) {
    for (const customer of customers) await api.as().put(`/customer/${customer}`, { name: `After ${hours} hours` })
    for (let n = 0; n < 5; n++) customers.push(await addCustomer(api))
    const before = receiver.received.length
    await passHours(api, id, 8)
    const { state } = await read()
    if (state === 'on') await expect.poll(() => receiver.received.length).toBeGreaterThan(before)
    if (hours < 72) expect(state, `${hours} hours`).toBe('on')
    // Five failures open the breaker; the lanes are four.
    expect((await log()).length, `${hours} hours`).toBeLessThan(15)
    if (hours >= 32) await expect.poll(told).toContain('webhook.failing')
    seen.push(state)
  }
  await expect.poll(async () => (await read()).reason).toBe('failing')
  expect(seen.at(-1)).toBe('paused')
  expect(await told()).toEqual(['webhook.failing', 'webhook.paused'])
  expect(await log('&state=failed')).toEqual([])

  receiver.received.length = 0
  receiver.answer = answering(204)
  await caller.post(`/webhook/${id}/resume`)
  const feed: { id: string; resource: { id: string } }[] = []
  for (let cursor = '', more = true; more; ) {
    const page = (await caller.get(`/event?types=customer.*&payload=thin&page_size=200${cursor}`)).body.data
    feed.push(...page.events)
    cursor = `&cursor=${page.next_cursor}`
    more = page.more
  }
  await arrived(receiver, feed.length)
  for (const customer of customers) {
    const of = (events: { id: string; resource: { id: string } }[]) =>
      events.filter(({ resource }) => resource.id === customer).map((event) => event.id)
    expect(of(receiver.received.map(({ event }) => event))).toEqual(of(feed))
  }
})

test('163,000 changes at once keep one webhook busy: they cost no waiting rows and delay no other', async () => {
  const api = await start()
  const other = await start()
  const busy = await startReceiver()
  const beside = await startReceiver()
  const elsewhere = await startReceiver()
  const { id, caller } = await addWebhook(api, busy.url, { types: ['product.*'], lanes: 8 })
  await addWebhook(api, beside.url)
  await addWebhook(other, elsewhere.url)
  const total = 163_000
  await runSql(
    api.db,
    sqlText`insert into change (store_id, kind, resource_id, op) select $1, 'product', new_id(), 'u'
    from generate_series(1, $2::int)`,
    [api.store.id, total],
  )
  await expect.poll(() => busy.received.length).toBeGreaterThan(200)
  const there = await addCustomer(other)
  await arrived(elsewhere, 1)
  expect(elsewhere.received[0]?.event.resource.id).toBe(there)
  // The same store: its webhook passes over what it does not want.
  const here = await addCustomer(api)
  await arrived(beside, 1)
  expect(beside.received[0]?.event.resource.id).toBe(here)
  expect(busy.received.length).toBeLessThan(total)
  const waiting = sqlText`select from webhook_delivery where webhook_id = $1 and state = 'waiting'`
  expect(await runSql(api.db, waiting, [id])).toEqual([])
  await caller.delete(`/webhook/${id}`)
})
