import { Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/**
 * How long an open connection may still deliver a request that was in transit when the shutdown began. Counted in polls,
 * not in milliseconds: while the process is stalled, requests arrive and are not read.
 */
const LINGER_POLLS = 12
const POLL_INTERVAL_MS = 25

/** Only stops listening. An HTTP server's own `close` would also close connections that seem idle. */
const stopListening = (server: FastifyInstance['server']) => Server.prototype.close.call(server)

const countConnections = (server: FastifyInstance['server']) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))

const linger = async (server: FastifyInstance['server']) => {
  for (let poll = 0; poll < LINGER_POLLS && (await countConnections(server)) > 0; poll++) await sleep(POLL_INTERVAL_MS)
}

/**
 * During shutdown, accepts no new connections and closes each connection after its reply, so that clients with
 * keep-alive cannot keep the server running. A reply whose headers were already sent cannot carry `Connection: close`;
 * its connection is closed once it is idle. Browsers open connections ahead of their requests; Node does not count a
 * connection without a request as idle, so these are destroyed.
 */
export const closeConnectionsWhenStopping = (app: FastifyInstance) => {
  let stopping = false
  const open = new Set<Socket>()
  app.server.on('connection', (socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', async () => {
    stopping = true
    const { server } = app
    if (!server.listening) return
    stopListening(server)
    await linger(server)
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    const timer = setInterval(() => server.closeIdleConnections(), POLL_INTERVAL_MS)
    server.once('close', () => clearInterval(timer))
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('Connection', 'close')
    done(null, payload)
  })
}
