import { Webhook as Signer } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { startClientFixture } from '../../tests/support/client-fixture.ts'
import { startReceiver } from '../../tests/support/receiver.ts'
import { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './webhooks.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const OTHER = 'whsec_AAAA9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const body = JSON.stringify({ id: 'evt_1', type: 'order.created', data: { id: 'é' } })

const signed = (text = body, at = new Date(), secrets = [SECRET]) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': secrets.map((secret) => new Signer(secret).sign('evt_1', at, text)).join(' '),
})

test('signatures of the reference library are verified, with every type of headers and body', async () => {
  const headers = signed()
  const capital = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  for (const form of [headers, new Headers(headers), capital])
    for (const bytes of [body, new TextEncoder().encode(body), Buffer.from(body)])
      expect(await verifyWebhook(form, bytes, SECRET)).toEqual(JSON.parse(body))
  // During a rotation both secrets are valid.
  const both = signed(body, new Date(), [OTHER, SECRET])
  for (const secret of [SECRET, OTHER, SECRET.slice(6)]) await verifyWebhook(both, body, secret)
})

test('forged, altered, incomplete and expired deliveries are rejected', async () => {
  const refused = (headers: object, text = body, secret = SECRET, options: VerifyOptions = {}) =>
    expect(verifyWebhook(headers as never, text, secret, options)).rejects.toThrow(WebhookVerificationError)
  const headers = signed()
  await refused(headers, `${body} `)
  await refused(headers, body, OTHER)
  await refused({ ...headers, 'webhook-id': 'evt_2' })
  for (const name of Object.keys(headers)) await refused({ ...headers, [name]: undefined })
  for (const signature of ['v1', 'v1,', 'v2,AAAA', 'v1,%%%', 'v1a,AAAA', ',', 'x'])
    await refused({ ...headers, 'webhook-signature': signature })
  await refused(signed(body, new Date(Date.now() - 310_000)))
  await refused(signed(body, new Date(Date.now() + 310_000)))
  await refused({ ...headers, 'webhook-timestamp': 'soon' })
  await verifyWebhook(signed(body, new Date(Date.now() - 310_000)), body, SECRET, { tolerance: 400 })
  for (const secret of ['', 'whsec_', 'whsec_%%', 'whsec_AAAA'])
    await expect(verifyWebhook(headers, body, secret)).rejects.toThrow(TypeError)
})

test('the client creates webhooks and verifies their deliveries', async () => {
  const { client } = await startClientFixture({ settings: { WEBHOOK_PRIVATE: '127.0.0.1/32' } })
  const receiver = await startReceiver()
  const webhook = await client.webhooks.create({ url: receiver.url, types: ['customer.*'] })
  const customer = await client.customers.create({ email: 'amel@example.com' })
  await expect.poll(() => receiver.received.length).toBe(1)
  const [received] = receiver.received
  const event = await verifyWebhook(received?.headers ?? {}, received?.body ?? '', webhook.secret)
  expect(event).toMatchObject({ type: 'customer.created', data: { id: customer.id, email: 'amel@example.com' } })
  if (event.type === 'customer.created') expect(event.data.email).toBe('amel@example.com')
  expect(await client.webhooks.test(webhook.id)).toMatchObject({ is_delivered: true })
  await expect.poll(async () => (await client.webhooks.deliveries(webhook.id)).deliveries.length).toBe(1)
  const rotated = await client.webhooks.rotate(webhook.id)
  expect(rotated.secret).not.toBe(webhook.secret)
  expect((await client.webhooks.pause(webhook.id)).state).toBe('paused')
  expect((await client.webhooks.resume(webhook.id)).state).toBe('on')
  expect(await client.webhooks.replay(webhook.id, { failed: true })).toEqual({ events: 0 })
  expect((await client.webhooks.update(webhook.id, { lanes: 1 })).lanes).toBe(1)
  await client.webhooks.delete(webhook.id)
  expect(await client.webhooks.list()).toEqual([])
})
