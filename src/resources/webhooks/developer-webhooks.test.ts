import type { ServerResponse } from 'node:http'
import { Webhook as Verifier } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { addPerson } from '../../../tests/support/console.ts'
import { type Received, startReceiver } from '../../../tests/support/receiver.ts'
import { RETRY_RULES } from './retries.ts'
import type { WebhookOptions } from './start.ts'

const options: WebhookOptions = {
  pollMs: 20,
  idleMs: 60,
  pausedMs: 50,
  timeoutMs: 5_000,
  retries: { ...RETRY_RULES, delaysMs: [30, 30, 30, 60], maxProbeMs: 60, minRetryAfterMs: 0 },
}

const start = async () => {
  const api = await startTestApi({ WEBHOOK_PRIVATE: '127.0.0.0/8' }, undefined, options)
  const receiver = await startReceiver()
  const installed = await api.install(['customer:view', 'customer:create', 'order:view'])
  const { id: app } = await api.db
    .selectFrom('app')
    .select('id')
    .where('client_id', '=', installed.client_id)
    .executeTakeFirstOrThrow()
  const token = await api.getToken(installed, { install_id: installed.install_id })
  const caller = api.anonymous.with({ authorization: `Bearer ${token}` })
  const made = await caller.post('/webhook', { url: receiver.url, types: ['customer.*'], payload: 'thin' })
  const { id, secret } = made.body.data.webhook as { id: string; secret: string }
  const developer = await addPerson(api, { role: 'developer', app: installed.client_id })
  const at = `/apps/${app}/webhooks`
  const acts = async () =>
    (
      await api.db
        .selectFrom('audit_entry')
        .select(['act', 'actor', 'store_id', 'subject'])
        .where('app_id', '=', app)
        .where('act', 'like', '%_webhook')
        .orderBy('at')
        .orderBy('id')
        .execute()
    ).map(({ act }) => act)
  return { api, receiver, installed, app, caller, id, secret, developer, at, acts }
}

const refusing = (_: Received, reply: ServerResponse) => reply.writeHead(422).end()
let people = 0
const addCustomer = (api: Awaited<ReturnType<typeof startTestApi>>) =>
  api.as().post('/customer', { email: `developer-hook-${++people}@shop.example` })

test('a developer sees the state and the last answers of a webhook, pauses it, resumes it and sends the failed again', async () => {
  const { api, receiver, caller, id, developer, at, acts } = await start()
  const read = async (query = '') => (await developer.console.get(`${at}/${id}${query}`)).body.data
  const list = (await developer.console.get(at)).body.data
  expect(list).toMatchObject({ next_cursor: null, is_on: true })
  expect(list.webhooks).toMatchObject([{ id, store: 'Test store', state: 'on', behind: 0, waiting: 0, failed: 0 }])
  expect(JSON.stringify(list)).not.toContain('secret":"')

  const paused = await developer.console.post(`${at}/${id}/pause`)
  expect(paused.body.data.webhook).toMatchObject({ state: 'paused', reason: 'requested' })
  await addCustomer(api)
  // Whoever reads the feed has its changes numbered.
  await caller.get('/event')
  expect((await read()).webhook.behind).toBe(1)
  expect(receiver.received).toEqual([])

  receiver.answer = refusing
  const resumed = await developer.console.post(`${at}/${id}/resume`, { from: 'stopped' })
  expect(resumed.body.data.webhook).toMatchObject({ state: 'on', reason: null })
  await expect.poll(async () => (await read()).deliveries[0]?.status).toBe(422)
  // Skipping what waits makes it a failure that can be sent again.
  await developer.console.post(`${at}/${id}/pause`)
  await developer.console.post(`${at}/${id}/resume`, { from: 'now' })
  expect((await read('?state=failed')).deliveries).toMatchObject([
    { type: 'customer.created', state: 'failed', status: 422 },
  ])
  receiver.answer = (_, reply) => reply.writeHead(204).end()
  const replay = await developer.console.post(`${at}/${id}/replay`, { failed: true })
  expect(replay.body.data).toMatchObject({ events: 1 })
  await expect
    .poll(async () => (await read()).deliveries)
    .toMatchObject([{ state: 'delivered', is_replay: true, status: 204 }])
  expect((await caller.get(`/webhook/${id}`)).body.data.webhook.state).toBe('on')
  expect(await acts()).toEqual(['pause_webhook', 'resume_webhook', 'pause_webhook', 'resume_webhook', 'replay_webhook'])
})

test('a test is sent at once and answers with what the receiver said, and a new secret signs it', async () => {
  const { receiver, id, secret, developer, at, acts } = await start()
  const send = async () => (await developer.console.post(`${at}/${id}/test`)).body.data.test
  expect(await send()).toMatchObject({ is_delivered: true, error: null })
  const verify = (secret: string) => {
    const { body, headers } = receiver.received.at(-1) as Received
    return () => new Verifier(secret).verify(body, headers as Record<string, string>)
  }
  expect(verify(secret)).not.toThrow()
  const rotated = await developer.console.post(`${at}/${id}/secret`, { overlap: 0 })
  expect(rotated.body.data.secret).toMatch(/^whsec_/)
  receiver.answer = refusing
  expect(await send()).toMatchObject({ is_delivered: false, status: 422, error: 'status' })
  expect(verify(rotated.body.data.secret)).not.toThrow()
  expect(verify(secret)).toThrow()
  expect(await acts()).toEqual(['test_webhook', 'rotate_webhook', 'test_webhook'])
})

test('the app is told of a webhook that an operator has paused', async () => {
  const { api, caller, id, at } = await start()
  const operator = await addPerson(api)
  const paused = await operator.console.post(`${at}/${id}/pause`)
  expect(paused.body.data.webhook.reason).toBe('operator')
  expect((await caller.get('/customer')).headers.get('x-webhook-paused')).toBe(id)
  await operator.console.post(`${at}/${id}/resume`, { from: 'stopped' })
  expect((await caller.get('/customer')).headers.get('x-webhook-paused')).toBeNull()
})

test('webhooks of another app do not exist, and bad input changes nothing', async () => {
  const { id, developer, at, acts, api, installed, app } = await start()
  const other = await start()
  for (const path of [`${other.at}`, `${other.at}/${other.id}`, `${at}/${other.id}`])
    expect((await developer.console.get(path)).status, path).toBe(404)
  for (const act of ['pause', 'test', 'secret'])
    expect((await developer.console.post(`${at}/${other.id}/${act}`)).status, act).toBe(404)
  for (const [act, body] of [
    ['resume', {}],
    ['resume', { from: 'yesterday' }],
    ['replay', {}],
    ['replay', { ids: ['x'] }],
    ['replay', { ids: ['x'], failed: true }],
    ['secret', { overlap: -1 }],
  ] as const)
    expect((await developer.console.post(`${at}/${id}/${act}`, body)).status, `${act} ${JSON.stringify(body)}`).toBe(
      422,
    )
  expect((await developer.console.get(`${at}/${id}?cursor=x`)).status).toBe(422)
  expect(await acts()).toEqual([])

  await api.db.updateTable('app').set({ disabled_at: new Date() }).where('id', '=', app).execute()
  expect(installed.client_id).toBeTruthy()
  const reply = await developer.console.post(`${at}/${id}/test`)
  expect([reply.status, reply.body.code]).toEqual([403, 'forbidden'])
})
