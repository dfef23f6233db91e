import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { diskFullError } from './error-replies.ts'

/** Leaves PostgreSQL room for its write-ahead log until writes have stopped. */
const MIN_BYTES = 64 * 2 ** 20
const LOOK_EVERY_MS = 500

const hasFreeSpace = async (folder: string) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= MIN_BYTES
}

/**
 * Refuses writes while the disk of the embedded PostgreSQL is nearly full. If its write-ahead log cannot grow, the server
 * stops, and reads fail, too. Deletions, which free space, are still allowed.
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
