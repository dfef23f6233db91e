import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasBody } from './json-bodies.ts'

const LINGER_MS = 2_000
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

const isStillSending = (request: FastifyRequest) => hasBody(request) && !request.raw.complete

/**
 * Closing a socket with unread bytes resets the connection, and a client that is still sending would see an error
 * instead of the reply. So only the write side is closed first, and incoming bytes are discarded for a while.
 */
const lingerBeforeClosing = (raw: IncomingMessage) => {
  const { socket } = raw
  let discarded = 0
  raw.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) raw.pause()
  })
  // Node calls this once the reply is written.
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** Must be called before the headers are sent. */
export const closeIfStillSending = (request: FastifyRequest, reply: FastifyReply) => {
  if (!isStillSending(request)) return
  reply.header('Connection', 'close')
  lingerBeforeClosing(request.raw)
}

/** Closes the connection after a reply that is sent before the whole request body has arrived. */
export const closeAfterEarlyReplies = (app: FastifyInstance) => {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isStillSending(request)) return done(null, payload)
    // A small body may have arrived together with the headers without having been parsed yet.
    setImmediate(() => {
      closeIfStillSending(request, reply)
      done(null, payload)
    })
  })
}
