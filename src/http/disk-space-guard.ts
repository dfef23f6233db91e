import { statfs } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { diskFullError } from './error-replies.ts'

/** PostgreSQL needs room for its write-ahead log until writes have stopped. */
const MIN_BYTES = 64 * 2 ** 20
const CHECK_INTERVAL_MS = 500

const hasFreeSpace = async (folder: string) => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize >= MIN_BYTES
}

/**
 * Refuses writes while the disk of the embedded PostgreSQL is nearly full. If the write-ahead log could not grow,
 * PostgreSQL would stop, and reads would fail too. Deletions free space and are still allowed.
 */
export const guardDiskSpace = (app: FastifyInstance, folder: string) => {
  let hasSpace = true
  const check = async () => {
    hasSpace = await hasFreeSpace(folder).catch(() => hasSpace)
  }
  const timer = setInterval(check, CHECK_INTERVAL_MS).unref()
  app.addHook('onReady', check)
  app.addHook('onClose', async () => clearInterval(timer))
  app.addHook('onRequest', ({ method, route }, _reply, done) => {
    const { access, permission } = route
    const reads = method === 'GET' || method === 'HEAD' || access === 'open'
    done(hasSpace || reads || permission?.endsWith(':delete') ? undefined : diskFullError())
  })
}
