import type { FastifyInstance } from 'fastify'
import type { DiskSpace } from '../storage/disk-space.ts'
import { diskFullError } from './error-replies.ts'

/** Refuses writes while the disk is nearly full. Deletions free space, or stop what fills it, and are still allowed. */
export const guardDiskSpace = (app: FastifyInstance, disk: DiskSpace) => {
  app.addHook('onRequest', ({ method, route }, _reply, done) => {
    const { access, permission } = route
    const reads = method === 'GET' || method === 'HEAD' || access === 'open'
    const deletes = method === 'DELETE' || permission?.endsWith(':delete')
    if (reads || deletes) return done()
    disk.hasRoom().then((hasRoom) => done(hasRoom ? undefined : diskFullError()), done)
  })
}
