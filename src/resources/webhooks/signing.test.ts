import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createWebhookSecrets } from './signing.ts'

const BODY = Buffer.from('{"id":"1"}')
/** As a receiver does, with the secret that it was shown. */
const signedWith = (shown: string, text: string) =>
  `v1,${createHmac('sha256', Buffer.from(shown.replace('whsec_', ''), 'base64'))
    .update(text)
    .digest('base64')}`

test('a receiver can check a delivery with the secret that it was shown', () => {
  const secrets = createWebhookSecrets(randomBytes(32))
  const shown = secrets.show({ id: 'hook', generation: 1 })
  expect(shown).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(secrets.sign('hook', [1], 'event', BODY, 1_700_000_000_999)).toEqual({
    'webhook-id': 'event',
    'webhook-timestamp': '1700000000',
    'webhook-signature': signedWith(shown, `event.1700000000.${BODY}`),
  })
  const now = Math.floor(Date.now() / 1000)
  const { 'webhook-timestamp': timestamp } = secrets.sign('hook', [1], 'event', BODY)
  expect(Number(timestamp)).toBeGreaterThanOrEqual(now)
  expect(Number(timestamp)).toBeLessThanOrEqual(now + 5)
})

test('while a secret is replaced, a delivery is signed with both', () => {
  const secrets = createWebhookSecrets(randomBytes(32))
  const signature = secrets.sign('hook', [2, 1], 'event', BODY, 5_000)['webhook-signature']
  const both = [2, 1].map((generation) => signedWith(secrets.show({ id: 'hook', generation }), `event.5.${BODY}`))
  expect(signature).toBe(both.join(' '))
})

test('each webhook, generation and key has a secret of its own, which stays the same', () => {
  const key = randomBytes(32)
  const secrets = createWebhookSecrets(key)
  const first = secrets.show({ id: 'hook', generation: 1 })
  expect(secrets.show({ id: 'hook', generation: 1 })).toBe(first)
  expect(createWebhookSecrets(key).show({ id: 'hook', generation: 1 })).toBe(first)
  const others = [
    secrets.show({ id: 'hook', generation: 2 }),
    secrets.show({ id: 'other', generation: 1 }),
    createWebhookSecrets(randomBytes(32)).show({ id: 'hook', generation: 1 }),
  ]
  expect(new Set([first, ...others]).size).toBe(4)
})

test('a key has a mark, by which it is known again after an upgrade', () => {
  expect(createWebhookSecrets(Buffer.alloc(32)).mark).toBe('3f65bb105a9e7ede')
  expect(createWebhookSecrets(randomBytes(32)).mark).toMatch(/^[0-9a-f]{16}$/)
})
