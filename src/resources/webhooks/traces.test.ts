import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { connectAssistant, headersOf } from '../../../tests/support/assistants.ts'
import { ndjson } from '../../../tests/support/bulk.ts'
import { type Receiver, startReceiver } from '../../../tests/support/receiver.ts'
import { sendRaw } from '../../../tests/support/send-raw.ts'
import { PERMISSIONS } from '../permissions/catalogue.ts'
import { RETRY_RULES } from './retries.ts'
import type { WebhookOptions } from './start.ts'

const SETTINGS = { TOKEN_SECRET: 'the same secret on both nodes, long enough', WEBHOOK_PRIVATE: '127.0.0.0/8' }
const options: WebhookOptions = {
  pollMs: 20,
  idleMs: 60,
  retries: { ...RETRY_RULES, delaysMs: [30, 30, 30, 60], maxProbeMs: 60, minRetryAfterMs: 0 },
}

/** One node answers requests, another one of the same database delivers. */
const start = async (types: string[]) => {
  const api = await startTestApi({ ...SETTINGS, WEBHOOKS: 'off' })
  await startTestApi({ ...SETTINGS, DATA_DIR: api.config.DATA_DIR }, undefined, options)
  const receiver = await startReceiver()
  const { headers } = await headersOf(api, PERMISSIONS)
  const caller = api.anonymous.with(headers)
  const made = await caller.post('/webhook', { url: receiver.url, types, payload: 'thin' })
  expect(made.status, made.text).toBe(201)
  return { api, receiver, caller, headers, webhook: made.body.data.webhook.id as string }
}

let traces = 0
/** Another trace each time. */
const trace = () => {
  const number = (++traces).toString(16)
  return { traceparent: `00-${number.padStart(32, 'a')}-${number.padStart(16, 'b')}-01` }
}

/** What each event was delivered with. */
const delivered = ({ received }: Receiver) => received.map(({ event, headers }) => [event.type, headers.traceparent])

const keptTraces = async (api: TestApi) => {
  const rows = await api.db.selectFrom('event').select('trace').where('store_id', '=', api.store.id).execute()
  return rows.map(({ trace }) => trace).filter((trace) => trace !== null)
}

test('a delivery has the traceparent of the request that caused its event, from another node, retried and replayed', async () => {
  const { api, receiver, caller, webhook } = await start(['customer.*', 'order.*', 'category.*'])
  let refusals = 2
  receiver.answer = (_, reply) => reply.writeHead(refusals-- > 0 ? 503 : 204).end()
  const [made, renamed, ordered, removed] = [trace(), trace(), trace(), trace()]
  const { customer } = (await caller.post('/customer', { email: 'amel@shop.example' }, made)).body.data
  await expect.poll(() => delivered(receiver)).toEqual(Array(3).fill(['customer.created', made.traceparent]))
  const arrives = async (type: string, traceparent: string | undefined) => {
    await expect.poll(() => receiver.received.at(-1)?.event.type).toBe(type)
    expect(delivered(receiver).at(-1)).toEqual([type, traceparent])
  }
  await caller.put(`/customer/${customer.id}`, { name: 'Amel' }, renamed)
  await arrives('customer.updated', renamed.traceparent)
  await caller.post('/order', {}, ordered)
  await arrives('order.created', ordered.traceparent)
  await caller.delete(`/customer/${customer.id}`, removed)
  await arrives('customer.deleted', removed.traceparent)
  await caller.post('/category', { name: 'Cups' })
  await arrives('category.created', undefined)

  await expect.poll(async () => (await caller.get(`/webhook/${webhook}/delivery`)).body.data.behind).toBe(0)
  const ids = receiver.received.map(({ id }) => id)
  receiver.received.length = 0
  await caller.post(`/webhook/${webhook}/replay`, { ids: [ids[0], ids.at(-1)] }, trace())
  await expect.poll(() => receiver.received.length).toBe(2)
  expect(delivered(receiver).toSorted()).toEqual([
    ['category.created', undefined],
    ['customer.created', made.traceparent],
  ])
  expect(receiver.received.every(({ headers }) => headers['webhook-replay'] === 'true')).toBe(true)
  const kept = [made, renamed, ordered, removed].map(({ traceparent }) => traceparent)
  expect((await keptTraces(api)).toSorted()).toEqual(kept)
  const feed = await caller.get('/event')
  for (const id of kept) expect(feed.text).not.toContain(id.slice(3, 35))
})

test('requests at the same time, in two stores, each have the trace of their own or none', async () => {
  const [one, other] = [await start(['customer.*']), await start(['customer.*'])]
  const sent = new Map<string, string | undefined>()
  await Promise.all(
    Array.from({ length: 60 }, async (_, place) => {
      const { caller } = place % 2 === 0 ? one : other
      const headers: Record<string, string> = place % 3 === 0 ? {} : trace()
      const { customer } = (await caller.post('/customer', { email: `n${place}@shop.example` }, headers)).body.data
      sent.set(customer.id, headers.traceparent)
    }),
  )
  await expect.poll(() => one.receiver.received.length + other.receiver.received.length).toBe(60)
  for (const { event, headers } of [...one.receiver.received, ...other.receiver.received])
    expect(headers.traceparent).toBe(sent.get(event.resource.id))
})

test('a traceparent that is malformed, too long or repeated is ignored, and nothing is kept', async () => {
  const { api, receiver, caller, headers } = await start(['category.*'])
  const { traceparent } = trace()
  const wrong = [
    'nonsense',
    traceparent.toUpperCase(),
    `${traceparent}-more`,
    `${traceparent} `.repeat(2).trim(),
    traceparent.replace(/^00/, 'ff'),
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01`,
    `'; drop table event; --${'x'.repeat(31)}`,
    'a'.repeat(6_000),
  ]
  for (const [place, header] of wrong.entries())
    expect((await caller.post('/category', { name: `C${place}` }, { traceparent: header })).status, header).toBe(201)
  const body = JSON.stringify({ name: 'Twice' })
  const head = [
    'POST /api/apps/v1/category HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Authorization: ${headers.authorization}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    ...[trace(), trace()].map((one) => `Traceparent: ${one.traceparent}`),
  ].join('\r\n')
  expect(await sendRaw(api.port, `${head}\r\n\r\n${body}`)).toMatch(/^HTTP\/1.1 201/)
  await expect.poll(() => receiver.received.length).toBe(wrong.length + 1)
  expect(receiver.received.filter(({ headers }) => 'traceparent' in headers)).toEqual([])
  expect(await keptTraces(api)).toEqual([])
})

test('what an assistant applies belongs to the trace of its request; a bulk job to none', async () => {
  const { api, receiver, caller, headers } = await start(['customer.*'])
  const planning = trace()
  const applying = trace()
  const items = [{ name: 'Amel', email: 'assisted@shop.example' }]
  const planner = await connectAssistant(api.origin, { ...headers, ...planning })
  const { value } = await planner.call('plan', { operation: 'createCustomer', items })
  const applier = await connectAssistant(api.origin, { ...headers, ...applying })
  expect((await applier.call('apply', { plan: value.plan })).value.result).toBe('1 applied, 0 refused.')
  await Promise.all([planner.close(), applier.close()])
  await expect.poll(() => delivered(receiver)).toEqual([['customer.created', applying.traceparent]])

  const lines = ndjson([{ email: 'bulk1@shop.example' }, { email: 'bulk2@shop.example' }])
  const job = await caller.post('/bulk?resource=customer', lines, {
    'content-type': 'application/x-ndjson',
    ...trace(),
  })
  expect(job.status, job.text).toBe(202)
  await expect.poll(() => receiver.received.length).toBe(3)
  expect(delivered(receiver).slice(1)).toEqual(Array(2).fill(['customer.created', undefined]))
  expect(await keptTraces(api)).toEqual([applying.traceparent])
})

test('a test event has the traceparent of its request', async () => {
  const api = await startTestApi(SETTINGS, undefined, options)
  const receiver = await startReceiver()
  const caller = await api.as()
  const { webhook } = (await caller.post('/webhook', { url: receiver.url, types: ['order.*'] })).body.data
  const asked = trace()
  await caller.post(`/webhook/${webhook.id}/test`, {}, asked)
  await caller.post(`/webhook/${webhook.id}/test`, {})
  expect(delivered(receiver)).toEqual([
    ['webhook.test', asked.traceparent],
    ['webhook.test', undefined],
  ])
})
