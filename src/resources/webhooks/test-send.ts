import { randomBytes } from 'node:crypto'
import { NULL, object, value } from '../../core/reading/json-text.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'
import type { Event, Named } from '../events/schema.ts'
import type { Egress, Outcome } from './egress.ts'
import type { WebhookSecrets } from './signing.ts'
import type { Webhooks } from './start.ts'

interface Tested {
  id: string
  url: string
  generation: number
}

/** An event that is not part of the feed. */
const testEvent = (store: StoreId, id: string, by: { id: string; name: string }) => {
  const now = new Date().toISOString()
  const eventId = `evt_test_${randomBytes(12).toString('hex')}`
  const app = object<Named>({ id: value(by.id), name: value(by.name) })
  const text = object<Event>({
    id: value(eventId),
    type: value('webhook.test'),
    timestamp: value(now),
    position: value(0),
    store_id: value(store),
    resource: object<Event['resource']>({ kind: value('webhook'), id: value(id) }),
    changed: value([]),
    previous: value({}),
    app,
    by: object<Event['by']>({ app, account: NULL, via: NULL }),
    as_of: value(now),
    data: value({ id }),
  })
  return { eventId, body: Buffer.from(text) }
}

const sendTest = (
  { egress, secrets }: { egress: Egress; secrets: WebhookSecrets },
  store: StoreId,
  { id, url, generation }: Tested,
  app: { id: string; name: string },
): Promise<Outcome> => {
  const { eventId, body } = testEvent(store, id, app)
  const trace = databaseCaller.getStore()?.trace
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Storefront-Apps-Webhooks/1',
    ...secrets.sign(id, [generation], eventId, body),
    ...(trace && { traceparent: trace }),
  }
  return egress.post(url, headers, body)
}

/** Sends an event of type `webhook.test` now, once. Only one at a time for each webhook. */
export const testWebhook = async (
  webhooks: Pick<Webhooks, 'egress' | 'secrets' | 'testing'>,
  store: StoreId,
  webhook: Tested,
  app: { id: string; name: string },
) => {
  const { testing } = webhooks
  if (testing.has(webhook.id))
    throw new ApiError('rate_limited', 'A test of this webhook is already running.', { retryAfter: 5 })
  testing.add(webhook.id)
  try {
    const { status, fault, ms } = await sendTest(webhooks, store, webhook, app)
    return { is_delivered: fault === null, status, error: fault, ms }
  } finally {
    testing.delete(webhook.id)
  }
}

export const requireSending = ({ isOn }: Webhooks) => {
  if (!isOn) throw new ApiError('unavailable', 'This server does not send webhooks.')
}
