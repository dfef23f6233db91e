import { expect, test } from 'vitest'
import { startTestApi } from '../../../tests/support/api.ts'
import { startReceiver } from '../../../tests/support/receiver.ts'

test('webhooks that were signed with another key of the service are paused by a server with a new one', async () => {
  const start = (secret: string, settings = {}) =>
    startTestApi({ WEBHOOK_PRIVATE: '127.0.0.1', TOKEN_SECRET: secret.repeat(40), ...settings }, undefined, {
      pollMs: 20,
    })
  const before = await start('a', { WEBHOOKS: 'off' })
  const receiver = await startReceiver()
  const all = await before.as()
  const { id } = (await all.post('/webhook', { url: receiver.url, types: ['*'] })).body.data.webhook
  await start('b')
  await all.post('/customer', { email: 'signed@shop.example' })
  await expect.poll(async () => (await all.get(`/webhook/${id}`)).body.data.webhook.reason).toBe('key_changed')
  expect(receiver.received).toEqual([])
})
