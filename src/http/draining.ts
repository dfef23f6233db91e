import type { FastifyInstance } from 'fastify'

/** While the server stops, each answer is the last on its connection: nobody keeps the door open by coming back. */
export const closeConnectionsWhenStopping = (app: FastifyInstance) => {
  let stopping = false
  app.addHook('preClose', async () => {
    stopping = true
  })
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (stopping) reply.header('Connection', 'close')
    done(null, payload)
  })
}
