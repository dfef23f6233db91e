import type { FastifyInstance } from 'fastify'
import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type {} from './tables.ts'

const READ_EVERY_MS = 2_000
/** Webhooks per installation that the header lists, which must stay short. */
const MAX_SHOWN = 10

export type PausedWebhooks = ReturnType<typeof createPausedWebhooks>

/** Webhooks that were not paused by their own app, by installation. Few, so all are kept in memory. */
export const createPausedWebhooks = (db: Db, everyMs = READ_EVERY_MS) => {
  let byInstallation = new Map<string, string[]>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  /** What `add` and `remove` have changed. A read that began before does not know of it. */
  let changes = 0

  const read = async () => {
    const before = changes
    try {
      const rows = await databaseCaller.exit(() =>
        runSql<{ installation_id: string; ids: string[] }>(
          db,
          sqlText`select installation_id, (array_agg(id order by id))[1:${MAX_SHOWN}] as ids from webhook
          where state = 'paused' and reason <> 'requested' group by installation_id`,
          [],
        ),
      )
      if (changes === before) byInstallation = new Map(rows.map(({ installation_id, ids }) => [installation_id, ids]))
    } catch {
      // The database is unreachable; requests report that.
    } finally {
      if (!isClosed) timer = setTimeout(read, everyMs).unref()
    }
  }

  return {
    start: () => {
      timer = setTimeout(read, everyMs).unref()
    },
    of: (installation: string) => byInstallation.get(installation),
    add: (installation: string, id: string) => {
      changes += 1
      byInstallation.set(installation, [...new Set([...(byInstallation.get(installation) ?? []), id])])
    },
    /** Its app has resumed, paused or deleted it. */
    remove: (installation: string, id: string) => {
      changes += 1
      const left = (byInstallation.get(installation) ?? []).filter((other) => other !== id)
      if (left.length > 0) byInstallation.set(installation, left)
      else byInstallation.delete(installation)
    },
    close: () => {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** Adds a header to every reply to an app while a webhook of its installation is paused. */
export const showPausedWebhooks = (app: FastifyInstance, paused: PausedWebhooks) => {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { installation } = request.caller ?? {}
    const ids = installation && paused.of(installation.id)
    if (ids) reply.header('X-Webhook-Paused', ids.join(', '))
    done(null, payload)
  })
}
