import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DatabaseCaller, databaseCaller } from '../storage/caller.ts'
import type { Replicas } from '../storage/replicas.ts'

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const callerOf = (
  { caller, method, raw: { socket } }: FastifyRequest,
  replicas: Replicas | undefined,
): DatabaseCaller => ({
  app: caller?.app.id,
  installation: caller?.installation?.id,
  store: caller?.installation?.store_id,
  // A write is finished even if its client has disconnected: some send and do not wait.
  isGone: isRead(method) ? () => socket.destroyed : () => false,
  ...(replicas &&
    isRead(method) && {
      findReplica: async (upToDate) =>
        caller?.installation ? replicas.find(caller.installation.id, upToDate) : undefined,
    }),
})

/**
 * Tells the database layer who is calling. It shares connections fairly among callers and cancels reads whose client has
 * disconnected. The async context cannot be set in an earlier hook: bodies are parsed in the context of the socket.
 *
 * Where standbys are read from, a write is noted before it is acknowledged: its caller reads from the primary for a while.
 */
export const nameDatabaseCaller = (app: FastifyInstance, replicas?: Replicas) => {
  app.addHook('preValidation', (request, _reply, done) => databaseCaller.run(callerOf(request, replicas), done))
  if (!replicas) return
  app.addHook('onSend', async ({ method, caller, log }, { statusCode }) => {
    if (isRead(method) || statusCode >= 400 || !caller?.installation) return
    await replicas.wrote(caller.installation.id).catch((err) => log.warn({ err }, 'a write could not be noted'))
  })
}
