import { randomUUID } from 'node:crypto'
import type { SeedContext, Seeded } from '../../../tests/support/samples.ts'

const url = 'https://receiver.example/webhooks'

/** Paused, so that nothing is sent to a host that does not exist. */
export const seed = async ({ make, api }: SeedContext) => {
  const { webhook } = await make('/webhook', { url, types: ['customer.*'] })
  const { webhook: spare } = await make('/webhook', { url, types: ['*'] })
  for (const { id } of [webhook, spare]) await make(`/webhook/${id}/pause`, undefined)
  const event = { position: 1, kind: 'customer', action: 'created', resource_id: randomUUID() }
  const row = { store_id: api.store.id, webhook_id: webhook.id, ...event, state: 'delivered', done_at: new Date() }
  await api.db.insertInto('webhook_delivery').values(row).execute()
  return { webhook, spareWebhook: spare }
}

export const samples = ({ webhook }: Seeded) => {
  const params = { id: webhook.id }
  return [
    { route: 'GET /webhook' },
    { route: 'GET /webhook/:id', params },
    { route: 'GET /webhook/:id/delivery', params },
    { route: 'POST /webhook', body: { url, types: ['product.*'] } },
    { route: 'PUT /webhook/:id', params, body: { lanes: 2 } },
    { route: 'POST /webhook/:id/rotate-secret', params, body: { overlap: 60 } },
    { route: 'POST /webhook/:id/replay', params, body: { failed: true } },
    { route: 'POST /webhook/:id/pause', params },
    { route: 'POST /webhook/:id/resume', params, querystring: { dry_run: true }, body: { from: 'now' } },
    { route: 'POST /webhook/:id/test', params, querystring: { dry_run: true } },
  ]
}

export const removals = ({ spareWebhook }: Seeded) => [
  { route: 'DELETE /webhook/:id', params: { id: spareWebhook.id } },
]
