import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { diskFullError } from './error-replies.ts'

/** Enough for PostgreSQL's log of writes until writes have stopped, with some to spare. */
const MIN_BYTES = 64 * 2 ** 20
const LOOK_EVERY_MS = 500

const hasFreeSpace = async (folder: string) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= MIN_BYTES
}

/**
 * Where the embedded PostgreSQL shares its disk with everything else: when its log finds no room it stops, and reads with
 * it. So what adds is refused before that; what deletes, and makes room again, is not.
 */
export const guardDiskSpace = (app: FastifyInstance, folder: string) => {
  let enough = true
  const look = async () => {
    enough = await hasFreeSpace(folder).catch(() => enough)
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref()
  app.addHook('onReady', look)
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', ({ method, route }, _reply, done) => {
    const { access, permission } = route
    const reads = method === 'GET' || method === 'HEAD' || access === 'open'
    done(enough || reads || permission?.endsWith(':delete') ? undefined : diskFullError())
  })
}
