import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { type Db, isDatabaseAway } from '../storage/database.ts'
import { pendingMigrations } from '../storage/migrate.ts'

export const healthRoutes = (app: FastifyInstance, db: Db) => {
  app.get('/healthz', { config: { access: 'open' }, logLevel: 'warn' }, async () => ({ status: 'alive' }))

  app.get('/readyz', { config: { access: 'open' }, logLevel: 'warn' }, async () => {
    const pending = await pendingMigrations(db).catch((error) => {
      if (isDatabaseAway(error)) throw error
      throw new ApiError('unavailable', 'The database is not of this release.', { cause: error })
    })
    if (pending.length > 0) throw new ApiError('unavailable', `${pending.length} migrations have not run yet.`)
    return { status: 'ready' }
  })
}
