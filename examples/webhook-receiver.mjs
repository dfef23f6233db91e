// Receives webhooks: creates one for this store, checks the signature of each event and prints it once. Stop it, and the
// webhook is deleted. The service must be able to reach this program; on one machine: WEBHOOK_PRIVATE=127.0.0.1/32 npm start
//   node examples/webhook-receiver.mjs http://127.0.0.1:8080/
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verifyWebhook, WebhookVerificationError } from '../client/dist/index.js'
import { connect } from './connect.mjs'

const [url] = process.argv.slice(2)
if (!url) throw new Error('Usage: node examples/webhook-receiver.mjs URL')

const client = connect()
/** In a real app: a table with a unique column. @type {Set<string>} */
const seen = new Set()
let secret = ''

const server = createServer(async (request, response) => {
  try {
    const event = await verifyWebhook(request.headers, await buffer(request), secret)
    if (!seen.has(event.id)) console.log(event.type, event.resource.id, ...event.changed)
    seen.add(event.id)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) console.error(error)
    response.writeHead(400).end()
  }
})
server.listen(Number(new URL(url).port), async () => {
  const webhook = await client.webhooks.create({ url, types: ['*'] })
  secret = webhook.secret
  console.log('listening:', webhook.id)
  const stop = async () => {
    await client.webhooks.delete(webhook.id)
    server.close()
    server.closeAllConnections()
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
})
