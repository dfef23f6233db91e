import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { errors } from '../input/schemas.ts'
import { type Db, isDatabaseUnavailable } from '../storage/database.ts'
import { pendingMigrations } from '../storage/migrate.ts'

const Health = Type.Object({ status: Type.String() })

const describe = (summary: string) => ({
  config: { access: 'open', quiet: true } as const,
  schema: { summary, response: { 200: Health, ...errors } },
})

/** `stopping` is aborted when the service is about to close its port. */
export const healthRoutes = (app: FastifyInstance, db: Db, stopping: AbortSignal) => {
  app.get('/healthz', describe('Tell that the process is alive'), async () => ({ status: 'alive' }))

  app.get('/readyz', describe('Tell that requests can be answered'), async () => {
    if (stopping.aborted) throw new ApiError('unavailable', 'This node is stopping.')
    const { rows } = await sql<{ read_only: string }>`
      select current_setting('transaction_read_only') as read_only`.execute(db)
    if (rows[0]?.read_only === 'on') throw new ApiError('unavailable', 'The database is read-only.')
    const pending = await pendingMigrations(db).catch((error) => {
      if (isDatabaseUnavailable(error)) throw error
      throw new ApiError('unavailable', 'The database schema does not match this release.', { cause: error })
    })
    if (pending.length > 0) throw new ApiError('unavailable', `${pending.length} migrations have not run yet.`)
    return { status: 'ready' }
  })
}
