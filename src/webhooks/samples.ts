import type { SeedContext, Seeded } from '../../tests/support/samples.ts'

const url = 'https://receiver.example/webhooks'

/** Paused, so that nothing is sent to a host that does not exist. */
export const seed = async ({ make }: SeedContext) => {
  const { webhook } = await make('/webhook', { url, types: ['customer.*'] })
  const { webhook: spare } = await make('/webhook', { url, types: ['*'] })
  for (const { id } of [webhook, spare]) await make(`/webhook/${id}/pause`, undefined)
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
  ]
}

export const removals = ({ spareWebhook }: Seeded) => [
  { route: 'DELETE /webhook/:id', params: { id: spareWebhook.id } },
]
