import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DatabaseCaller, databaseCaller } from '../storage/caller.ts'

const callerOf = ({ caller, method, raw: { socket } }: FastifyRequest): DatabaseCaller => ({
  app: caller?.app.id,
  installation: caller?.installation?.id,
  store: caller?.installation?.store_id,
  // A write is finished even if its client has disconnected: some send and do not wait.
  isGone: method === 'GET' || method === 'HEAD' ? () => socket.destroyed : () => false,
})

/**
 * Tells the database layer who is calling. It shares connections fairly among callers and cancels reads whose client has
 * disconnected. The async context cannot be set in an earlier hook: bodies are parsed in the context of the socket.
 */
export const nameDatabaseCaller = (app: FastifyInstance) => {
  app.addHook('preValidation', (request, _reply, done) => databaseCaller.run(callerOf(request), done))
}
