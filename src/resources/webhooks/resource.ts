import type { RecordedRows, Resource } from '../../core/http/resource.ts'
import type { Db } from '../../core/storage/database.ts'
import { eventId } from '../events/feed-cursor.ts'
import { deliveryRoutes } from './delivery-routes.ts'
import { webhookRoutes } from './routes.ts'
import type { Webhooks } from './start.ts'
import { webhookKind } from './text.ts'

const webhook = {
  id: '01a1e000-0000-7000-8000-0000000000e1',
  url: 'https://app.example/webhooks',
  types: ['order.*', 'product.updated'],
  changed: null,
  ignore_self: true,
  payload: 'full',
  lanes: 4,
  state: 'on',
  reason: null,
  paused_at: null,
  failing_since: null,
  previous_secret_until: null,
  created_at: '2026-11-16T09:30:00.000Z',
  updated_at: '2026-11-16T09:30:00.000Z',
}

const secret = 'whsec_dGhpcyBpcyBhbiBleGFtcGxlLCBub3QgYSBzZWNyZXQ='
const event = eventId('5a8442360082', 1284)

const deliveryOf = ({ order }: RecordedRows) => ({
  event_id: event,
  type: 'order.updated',
  resource: { kind: 'order', id: order?.id },
  state: 'waiting',
  is_replay: false,
  attempts: 2,
  first_attempt_at: '2026-11-16T09:30:12.482Z',
  next_attempt_at: '2026-11-16T09:30:49.100Z',
  done_at: null,
  status: 503,
  error: 'status',
  ms: 38,
})

export const webhooks: Resource<{ db: Db; webhooks: Webhooks }> = {
  heading: 'Webhooks',
  description: 'Events posted to a URL of your app, signed, in order per resource, with retries for three days.',
  routes: (app, services) => {
    webhookRoutes(app, services)
    deliveryRoutes(app, services)
  },
  kinds: { webhook: webhookKind },
  // Only the installation that a webhook belongs to sees its events.
  events: { webhook: { permission: undefined, actions: ['failing', 'paused', 'test'] } },
  examples: {
    bodies: () => ({
      createWebhook: { url: webhook.url, types: webhook.types, ignore_self: true },
      updateWebhook: { types: ['order.*'] },
      rotateWebhook: { overlap: 3600 },
      resumeWebhook: { from: 'stopped' },
      replayWebhook: { failed: true },
    }),
    replies: (rows) => ({
      listWebhooks: { data: { webhooks: [webhook] } },
      getWebhook: { data: { webhook } },
      createWebhook: { data: { webhook: { ...webhook, secret } } },
      updateWebhook: { data: { webhook } },
      rotateWebhook: {
        data: { webhook: { ...webhook, previous_secret_until: '2026-11-16T10:30:00.000Z', secret } },
      },
      pauseWebhook: {
        data: { webhook: { ...webhook, state: 'paused', reason: 'requested', paused_at: webhook.updated_at } },
      },
      resumeWebhook: { data: { webhook } },
      testWebhook: { data: { test: { is_delivered: true, status: 204, error: null, ms: 41 } } },
      replayWebhook: { data: { replay: { events: 12 } } },
      getWebhookDeliveries: { data: { deliveries: [deliveryOf(rows)], next_cursor: null, behind: 0 } },
    }),
    schemas: (rows) => ({
      Webhook: webhook,
      WebhookWithSecret: { ...webhook, secret },
      WebhookDelivery: deliveryOf(rows),
    }),
  },
}
