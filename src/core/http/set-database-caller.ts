import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DatabaseCaller, databaseCaller } from '../storage/database-caller.ts'
import type { Replicas } from '../storage/replicas.ts'
import { innerCalls } from './inner-calls.ts'
import { traceOf } from './request-traces.ts'

const isRead = (method: string) => method === 'GET' || method === 'HEAD'

const callerOf = (request: FastifyRequest, replicas: Replicas | undefined): DatabaseCaller => {
  const { caller, method, raw } = request
  const inner = innerCalls.getStore()
  return {
    app: caller?.app.id,
    account: caller?.app.account?.id,
    via: caller?.app.via,
    trace: traceOf(request) ?? inner?.trace,
    installation: caller?.installation?.id,
    store: caller?.installation?.store_id,
    // A write completes even if its client has disconnected: some clients do not wait for the reply.
    isGone: isRead(method) ? () => raw.socket.destroyed : () => false,
    rehearsal: inner?.rehearsal,
    ...(replicas &&
      isRead(method) && {
        findReplica: async (upToDate) =>
          caller?.installation ? replicas.find(caller.installation.id, upToDate) : undefined,
      }),
  }
}

/**
 * Tells the database layer who is calling, so that it can share connections fairly among callers and cancel reads whose
 * client has disconnected. An earlier hook cannot set the async context: bodies are parsed in the socket's context.
 *
 * If standbys serve reads, a write is recorded before it is acknowledged: its caller reads from the primary for a while.
 */
export const setDatabaseCaller = (app: FastifyInstance, replicas?: Replicas) => {
  app.addHook('preValidation', (request, _reply, done) => databaseCaller.run(callerOf(request, replicas), done))
  if (!replicas) return
  app.addHook('onSend', async ({ method, caller, log }, { statusCode }) => {
    if (isRead(method) || statusCode >= 400 || !caller?.installation) return
    await replicas
      .wrote(caller.installation.id)
      .catch((err) => log.warn({ err }, 'A write could not be recorded for reads from standbys.'))
  })
}
