import { Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long a connection that is kept open may still bring a request that was under way when the stop came. */
const LINGER_MS = 300
const LOOK_EVERY_MS = 25

/** The door is shut and nothing else: an HTTP server's own `close` also ends connections that seem idle. */
const stopListening = (server: FastifyInstance['server']) => Server.prototype.close.call(server)

const countConnections = (server: FastifyInstance['server']) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))

const linger = async (server: FastifyInstance['server']) => {
  const until = performance.now() + LINGER_MS
  while (performance.now() < until && (await countConnections(server)) > 0) await sleep(LOOK_EVERY_MS)
}

/**
 * While the server stops, nobody new gets in, and each answer is the last on its connection: nobody keeps the server by
 * coming back. An answer whose headers were out before the stop cannot say so; its connection is ended after it.
 */
export const closeConnectionsWhenStopping = (app: FastifyInstance) => {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
    const { server } = app
    if (!server.listening) return
    stopListening(server)
    await linger(server)
    const timer = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS)
    server.once('close', () => clearInterval(timer))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('Connection', 'close')
    done(null, payload)
  })
}
