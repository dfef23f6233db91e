import { createHash, createHmac } from 'node:crypto'
import { LimitedMap } from '../../core/storage/limited-map.ts'

/** What a signature needs to know of a webhook. */
interface SecretOf {
  id: string
  generation: number
}

const MAX_KNOWN = 1_000

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>

/** Secrets are derived from one key, so that none is stored. */
export const createWebhookSecrets = (key: Buffer) => {
  const known = new LimitedMap<string, Buffer>(MAX_KNOWN)
  const keyOf = ({ id, generation }: SecretOf): Buffer => {
    const name = `${id}.${generation}`
    const found = known.get(name)
    if (found) return found
    const derived = createHmac('sha256', key).update(name).digest()
    known.set(name, derived)
    return derived
  }
  return {
    /** Identifies the key that secrets are derived from. */
    mark: createHash('sha256').update('webhook key mark').update(key).digest('hex').slice(0, 16),
    /** As receivers get it. */
    show: (webhook: SecretOf) => `whsec_${keyOf(webhook).toString('base64')}`,
    /** Headers of Standard Webhooks 1.0: one signature for each generation. */
    sign: (webhookId: string, generations: readonly number[], eventId: string, body: Buffer, now = Date.now()) => {
      const timestamp = String(Math.floor(now / 1000))
      const signatureOf = (generation: number) =>
        `v1,${createHmac('sha256', keyOf({ id: webhookId, generation }))
          .update(`${eventId}.${timestamp}.`)
          .update(body)
          .digest('base64')}`
      return {
        'webhook-id': eventId,
        'webhook-timestamp': timestamp,
        'webhook-signature': generations.map(signatureOf).join(' '),
      }
    },
  }
}
