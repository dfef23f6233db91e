import { expect, test } from 'vitest'
import { startTestApi, type TestApi } from '../../../tests/support/api.ts'
import { startReceiver } from '../../../tests/support/receiver.ts'
import { identifier, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import { EventResource } from '../events/schema.ts'
import { MAX_WEBHOOKS } from './schema.ts'

const PRIVATE = { WEBHOOK_PRIVATE: '127.0.0.1', WEBHOOKS: 'on' }
const URL = 'https://receiver.example/hook'

const create = async (api: TestApi, body: object = {}) =>
  (await api.as().post('/webhook', { url: URL, types: ['*'], ...body })).body.data.webhook as {
    id: string
    secret: string
  }

test('a webhook is created, read, changed, paused, resumed and deleted', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const made = await all.post('/webhook', { url: URL, types: ['order.*', 'product.updated'], changed: ['status'] })
  expect(made.status, made.text).toBe(201)
  const { secret, ...webhook } = made.body.data.webhook
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(webhook).toMatchObject({
    url: URL,
    types: ['order.*', 'product.updated'],
    changed: ['status'],
    ignore_self: false,
    payload: 'full',
    lanes: 4,
    state: 'on',
    reason: null,
  })
  const read = await all.get(`/webhook/${webhook.id}`)
  expect(read.body.data.webhook).toEqual(webhook)
  expect((await all.get('/webhook')).body.data.webhooks).toEqual([webhook])

  const etag = read.headers.get('etag') as string
  const changed = await all.put(`/webhook/${webhook.id}`, { lanes: 1, changed: null }, { 'if-match': etag })
  expect(changed.body.data.webhook).toMatchObject({ lanes: 1, changed: null, url: URL })
  expect(await all.put(`/webhook/${webhook.id}`, { lanes: 2 }, { 'if-match': etag })).toFailWith('version_mismatch')

  const paused = await all.post(`/webhook/${webhook.id}/pause`)
  expect(paused.body.data.webhook).toMatchObject({ state: 'paused', reason: 'requested' })
  // Whoever paused it knows.
  expect(paused.headers.get('x-webhook-paused')).toBeNull()
  const resumed = await all.post(`/webhook/${webhook.id}/resume`)
  expect(resumed.body.data.webhook).toMatchObject({ state: 'on', reason: null, paused_at: null })
  expect((await all.delete(`/webhook/${webhook.id}`)).body).toEqual({ data: {} })
  expect(await all.get(`/webhook/${webhook.id}`)).toFailWith('not_found')
})

test('the secret is shown when it is created or rotated, also to a retry, and is not stored', async () => {
  const api = await startTestApi()
  const all = await api.as()
  const post = () => all.post('/webhook', { url: URL, types: ['*'] }, { 'idempotency-key': 'once' })
  const [first, again] = [await post(), await post()]
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
  const { id, secret } = first.body.data.webhook
  const rotated = (await all.post(`/webhook/${id}/rotate-secret`, { overlap: 600 })).body.data.webhook
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(rotated.secret).not.toBe(secret)
  expect(Date.parse(rotated.previous_secret_until) - Date.now()).toBeGreaterThan(590_000)
  const last = (await all.post(`/webhook/${id}/rotate-secret`, { overlap: 0 })).body.data.webhook
  expect(last.previous_secret_until).toBeNull()
  for (const table of ['webhook', 'idempotency']) {
    const rows = JSON.stringify(
      await runSql(api.db, sqlText`select to_jsonb(t)::text as row from ${identifier(table)} t`, []),
    )
    for (const known of [secret, rotated.secret, last.secret]) expect(rows).not.toContain(known.slice(6))
  }
  expect(await all.post(`/webhook/${id}/rotate-secret`, { overlap: 604_801 })).toBeRefused(422, 'overlap')
})

test('an app has at most ten webhooks, of types it may see, and sees only its own', async () => {
  const api = await startTestApi()
  const seller = await api.as('order:view')
  const body = { url: URL, types: ['order.*'] }
  const replies = await Promise.all(Array.from({ length: MAX_WEBHOOKS + 2 }, () => seller.post('/webhook', body)))
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(MAX_WEBHOOKS).fill(201), 422, 422])
  const id = replies.find(({ status }) => status === 201)?.body.data.webhook.id
  for (const types of [['product.*'], ['order.created', 'customer.updated']]) {
    expect(await api.as('order:view', 'review:view').post('/webhook', { ...body, types })).toFailWith('forbidden')
    expect(await seller.put(`/webhook/${id}`, { types })).toFailWith('forbidden')
  }
  // All that it may see, whatever that is.
  expect((await seller.put(`/webhook/${id}`, { types: ['*', 'webhook.*'] })).status).toBe(200)
  for (const types of [[], ['orders.*'], ['order'], ['order.sold'], 'order.*', [null]])
    expect((await seller.put(`/webhook/${id}`, { types })).status, JSON.stringify(types)).toBe(422)

  const other = await api.as()
  const elsewhere = (await startTestApi()).as()
  for (const stranger of [other, elsewhere]) {
    expect((await stranger.get('/webhook')).body.data.webhooks).toEqual([])
    expect(await stranger.get(`/webhook/${id}`)).toFailWith('not_found')
    expect(await stranger.get(`/webhook/${id}/delivery`)).toFailWith('not_found')
    expect(await stranger.put(`/webhook/${id}`, { lanes: 1 })).toFailWith('not_found')
    expect(await stranger.delete(`/webhook/${id}`)).toFailWith('not_found')
    expect(await stranger.put(`/webhook/${id}`, { lanes: 1 }, { 'if-match': '"x"' })).toFailWith('not_found')
    for (const action of ['pause', 'resume', 'test', 'rotate-secret'])
      expect(await stranger.post(`/webhook/${id}/${action}`)).toFailWith('not_found')
    expect(await stranger.post(`/webhook/${id}/replay`, { failed: true })).toFailWith('not_found')
  }
  expect((await seller.get(`/webhook/${id}`)).body.data.webhook.state).toBe('on')
})

const REFUSED = [
  ...['http://receiver.example/', 'ftp://receiver.example/', 'receiver.example', '', 'https://', 'javascript:alert(1)'],
  ...['https://user:pw@receiver.example/', 'https://user@receiver.example/', 'https://receiver.example/#part'],
  ...['https://receiver.example:22/', 'https://receiver.example:80/', 'https://receiver.example:1023/'],
  ...['https://localhost/', 'https://LOCALHOST./', 'https://a.localhost/', 'https://intranet/'],
  ...['https://127.0.0.1/', 'https://127.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
  ...['https://0/', 'https://10.1.2.3/', 'https://172.31.0.1/', 'https://192.168.0.1/', 'https://169.254.169.254/'],
  ...['https://100.64.0.1/', 'https://198.18.0.1/', 'https://224.0.0.1/', 'https://255.255.255.255/'],
  ...[
    'https://１２７.０.０.１/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
  ],
  ...['https://[fe80::1]/', 'https://[fc00::1]/', 'https://[2002:7f00:1::]/', 'https://[64:ff9b::7f00:1]/'],
  ...['https://[2001:db8::1]/', 'https://[2001:0:7f00:1::]/', 'https://[::127.0.0.1]/', 'https://[ff02::1]/'],
  `https://receiver.example/${'a'.repeat(2048)}`,
]

test('a URL must be https and name a public host, however it is written', async () => {
  const api = await startTestApi()
  const all = await api.as()
  for (const url of REFUSED) expect(await all.post('/webhook', { url, types: ['*'] }), url).toBeRefused(422, 'url')
  const { id } = await create(api)
  for (const url of [
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/x',
    'https://مثال.example/',
    'https://a.example:1024/',
  ])
    expect((await all.put(`/webhook/${id}`, { url })).status, url).toBe(200)
  expect(await all.put(`/webhook/${id}`, { url: 'https://10.0.0.1/' })).toBeRefused(422, 'url')
  expect((await all.get('/webhook')).body.data.webhooks).toHaveLength(1)
})

test('a webhook starts at a cursor, which must be one of its store', async () => {
  const api = await startTestApi()
  const other = await startTestApi()
  const all = await api.as()
  const cursor = (await all.get('/event?cursor=now')).body.data.next_cursor
  await all.post('/customer', { email: 'one@shop.example' })
  const { id } = await create(api, { cursor })
  expect((await all.get(`/webhook/${id}/delivery`)).body.data).toMatchObject({ deliveries: [], next_cursor: null })
  expect(await all.post('/webhook', { url: URL, types: ['*'], cursor: 'nonsense' })).toBeRefused(422, 'cursor')
  await other.as().post('/customer', { email: 'one@shop.example' })
  const foreign = (await other.as().get('/event?cursor=now')).body.data.next_cursor
  expect(await all.post('/webhook', { url: URL, types: ['*'], cursor: foreign })).toFailWith('cursor_expired')
  await all.post(`/webhook/${id}/pause`)
  expect(await all.post(`/webhook/${id}/resume`, { from: foreign })).toFailWith('cursor_expired')
  expect(await all.post(`/webhook/${id}/resume`, { from: 'yesterday' })).toBeRefused(422, 'from')
  await all.get('/event')
  // What stopped before the oldest event that is kept cannot go on from there.
  await runSql(api.db, sqlText`update webhook set position = 0, n = 0, lease = null where id = $1`, [id])
  await runSql(api.db, sqlText`update feed set swept = last where store_id = $1`, [api.store.id])
  expect(await all.post(`/webhook/${id}/resume`)).toFailWith('cursor_expired')
  expect((await all.post(`/webhook/${id}/resume`, { from: 'now' })).body.data.webhook.state).toBe('on')
})

test('a test event is sent at once, and its result does not contain what the receiver replied', async () => {
  const api = await startTestApi(PRIVATE)
  const receiver = await startReceiver((_, reply) => reply.writeHead(418).end('a secret of the receiver'))
  const all = await api.as()
  const { id } = await create(api, { url: receiver.url })
  await all.post(`/webhook/${id}/pause`)
  const refused = await all.post(`/webhook/${id}/test`)
  expect(refused.body.data.test).toEqual({ is_delivered: false, status: 418, error: 'status', ms: expect.any(Number) })
  expect(refused.text).not.toContain('secret of')
  receiver.answer = (_, reply) => reply.writeHead(204).end()
  expect((await all.post(`/webhook/${id}/test`)).body.data.test).toMatchObject({ is_delivered: true, status: 204 })
  const [first, second] = receiver.received
  expect(second?.event).toMatchObject({
    type: 'webhook.test',
    position: 0,
    resource: { kind: 'webhook', id },
    by: { app: second?.event.app, account: null, via: null },
    data: { id },
  })
  expect(Object.keys(second?.event ?? {})).toEqual(Object.keys(EventResource.properties))
  expect(first?.id).not.toBe(second?.id)
  // Neither is part of the feed, and a dry run sends nothing.
  expect((await all.get('/event?types=webhook.*')).body.data.events).toEqual([])
  expect((await all.post(`/webhook/${id}/test?dry_run=true`)).body.data.test.is_delivered).toBe(false)
  expect(receiver.received).toHaveLength(2)

  let finish = () => {}
  receiver.answer = (_, reply) => {
    finish = () => reply.end()
  }
  const slow = all.post(`/webhook/${id}/test`)
  await expect.poll(() => receiver.received.length).toBe(3)
  expect(await all.post(`/webhook/${id}/test`)).toFailWith('rate_limited')
  finish()
  expect((await slow).body.data.test.is_delivered).toBe(true)

  const off = await startTestApi({ ...PRIVATE, WEBHOOKS: 'off' })
  const quiet = await create(off, { url: receiver.url })
  expect(await off.as().post(`/webhook/${quiet.id}/test`)).toFailWith('unavailable')
})
