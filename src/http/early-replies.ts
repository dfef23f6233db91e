import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasBody } from './json-bodies.ts'

const LINGER_MS = 2_000
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024

const isStillSending = (request: FastifyRequest) => hasBody(request) && !request.raw.complete

/**
 * Closing a connection with unread bytes resets it, and a caller who is still sending then sees a broken connection
 * instead of the answer. So the sending side is closed first, and what comes is read and dropped for a while.
 */
const lingerBeforeClosing = (raw: IncomingMessage) => {
  const { socket } = raw
  let discarded = 0
  raw.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_BYTES) raw.pause()
  })
  // Node closes the socket by this once the answer is out.
  socket.destroySoon = () => {
    socket.end()
    const timer = setTimeout(() => socket.destroy(), LINGER_MS)
    socket.once('close', () => clearTimeout(timer))
  }
}

/** To be called before the headers go out. */
export const closeIfStillSending = (request: FastifyRequest, reply: FastifyReply) => {
  if (!isStillSending(request)) return
  reply.header('Connection', 'close')
  lingerBeforeClosing(request.raw)
}

/** An answer that does not wait for the body ends its connection, in a way that lets the caller read it. */
export const answerBeforeBodies = (app: FastifyInstance) => {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isStillSending(request)) return done(null, payload)
    // A small body may have come together with its headers and only not been looked at yet.
    setImmediate(() => {
      closeIfStillSending(request, reply)
      done(null, payload)
    })
  })
}
