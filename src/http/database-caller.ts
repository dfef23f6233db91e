import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DatabaseCaller, databaseCaller } from '../storage/caller.ts'

const callerOf = ({ caller, method, raw: { socket } }: FastifyRequest): DatabaseCaller => ({
  app: caller?.app.id,
  installation: caller?.installation?.id,
  store: caller?.installation?.store_id,
  // A write goes on without its caller: half of them send and do not wait.
  isGone: method === 'GET' || method === 'HEAD' ? () => socket.destroyed : () => false,
})

/**
 * Tells the database on whose behalf it is asked: it shares its connections fairly among callers, and stops reading for
 * one who has left. Before this hook bodies are parsed in the context of their socket, so an earlier one would be lost.
 */
export const nameDatabaseCaller = (app: FastifyInstance) => {
  app.addHook('preValidation', (request, _reply, done) => databaseCaller.run(callerOf(request), done))
}
