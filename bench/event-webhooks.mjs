import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { atLeast, atMost, latencyResults, query, STORE, waitsOf, writeSteadily } from './event-servers.mjs'
import { cpuSeconds } from './processes.mjs'
import { median } from './table.mjs'

/** A receiver that records when the first byte about each resource arrives, and replies at once. */
export const startReceiver = async () => {
  const arrived = new Map()
  const server = createServer((request, response) => {
    const at = performance.now()
    let text = ''
    request.on('data', (bytes) => (text += bytes))
    request.on('end', () => {
      const [, id] = /"resource":\{"kind":"\w+","id":"([0-9a-f-]+)"/.exec(text) ?? []
      if (!arrived.has(id)) arrived.set(id, at)
      response.writeHead(204).end()
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  return { arrived, url: `http://127.0.0.1:${port}/`, stop }
}

export const createWebhook = async ({ call }, body) => JSON.parse(await call('POST', '/webhook', body)).data.webhook.id

const WEBHOOK_EVENTS = 5_000

export const measureDeliveries = async (side) => {
  const { server, connection, call } = side
  const rates = []
  const costs = []
  for (let round = 0; round < 6; round++) {
    const receiver = await startReceiver()
    const { next_cursor: cursor } = JSON.parse(await call('GET', '/event?cursor=now')).data
    const noted = await query(
      connection,
      `insert into change (store_id, kind, resource_id, op, changed)
      select store_id, 'customer', id, 'u', '{name}' from customer where store_id = (${STORE}) limit $1 returning 1`,
      [WEBHOOK_EVENTS],
    )
    await call('GET', '/event?cursor=now')
    const cpu = cpuSeconds(server.pid)
    const started = performance.now()
    const id = await createWebhook(side, { url: receiver.url, types: ['customer.updated'], lanes: 8, cursor })
    let first = 0
    while (receiver.arrived.size < noted.length) {
      if (first === 0 && receiver.arrived.size > 0) first = performance.now()
      if (performance.now() - started > 120_000) throw new Error(`${receiver.arrived.size} of ${noted.length} arrived`)
      await sleep(2)
    }
    rates.push(noted.length / ((performance.now() - first) / 1000))
    costs.push(((cpuSeconds(server.pid) - cpu) * 1000) / noted.length)
    await call('DELETE', `/webhook/${id}`)
    receiver.stop()
  }
  return [
    // The first half is compiled and optimized while it runs.
    atLeast('webhooks, deliveries per second of a process, 8 lanes', median(rates.slice(3)), '', 500),
    atMost('webhooks, CPU time of the process for a delivery', median(costs.slice(3)), ' ms', 0.6),
  ]
}

/** From the reply to a write until the first byte of its webhook arrives. */
export const measureWebhookLatency = async (side) => {
  const { call } = side
  const receiver = await startReceiver()
  const id = await createWebhook(side, { url: receiver.url, types: ['customer.created'], lanes: 8 })
  // The first event of a new webhook waits until the dispatcher finds the webhook.
  await call('POST', '/customer', { email: `first-${process.pid}@example.com` })
  while (receiver.arrived.size === 0) await sleep(10)
  const written = await writeSteadily(call, 'hooked')
  await sleep(2_000)
  await call('DELETE', `/webhook/${id}`)
  receiver.stop()
  return latencyResults("commit to webhook's first byte at 100 writes/s", waitsOf(written, receiver.arrived), 150)
}
