import type { FastifyInstance } from 'fastify'
import { dropWork, readWork, sweepWork } from '../../core/jobs/store-work.ts'
import { groupBy } from '../../core/reading/group-by.ts'
import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type {} from './tables.ts'

const READ_EVERY_MS = 2_000
/** Webhooks per installation that the header lists, which must stay short. */
const MAX_SHOWN = 10

export type PausedWebhooks = ReturnType<typeof createPausedWebhooks>

/** After so many reads, one of all processes looks for webhooks whose pause nobody has noted. */
const READS_A_SWEEP = 5

const PAUSED = sqlText`state = 'paused' and reason <> 'requested'`
const OF_STORES = sqlText`select store_id, installation_id, (array_agg(id order by id))[1:${MAX_SHOWN}] as ids from webhook
  where store_id = any($1) and ${PAUSED} group by store_id, installation_id`
const STORES = sqlText`select distinct store_id from webhook where ${PAUSED}`

interface PausedOf {
  store_id: string
  installation_id: string
  ids: string[]
}

/** Webhooks that were not paused by their own app, by installation. Few, so all are kept in memory. */
export const createPausedWebhooks = (db: Db, everyMs = READ_EVERY_MS) => {
  let byInstallation = new Map<string, string[]>()
  /** What was read of each store, and which change of it that shows. */
  let byStore = new Map<string, { at: number; found: readonly PausedOf[] }>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  /** What `add` and `remove` have changed. A read that began before does not know of it. */
  let changes = 0

  const readStores = async () => {
    await sweepWork(db, 'paused', READS_A_SWEEP * everyMs, () => runSql<{ store_id: string }>(db, STORES, []))
    const noted = await readWork(db, 'paused')
    const changed = noted.filter(({ store_id, due_at }) => byStore.get(store_id)?.at !== due_at.getTime())
    const stores = changed.map(({ store_id }) => store_id)
    const rows = stores.length === 0 ? [] : await runSql<PausedOf>(db, OF_STORES, [stores])
    const foundIn = groupBy(rows, ({ store_id }) => store_id)
    const left = changed.filter(({ store_id }) => foundIn(store_id).length === 0)
    if (left.length > 0) await dropWork(db, 'paused', left)
    return new Map(
      noted.map(({ store_id, due_at }) => {
        const known = byStore.get(store_id)
        const at = due_at.getTime()
        return [store_id, known?.at === at ? known : { at, found: foundIn(store_id) }]
      }),
    )
  }

  const read = async () => {
    const before = changes
    try {
      const stores = await databaseCaller.exit(readStores)
      if (changes !== before) return
      byStore = stores
      byInstallation = new Map(
        [...stores.values()].flatMap(({ found }) => found.map(({ installation_id, ids }) => [installation_id, ids])),
      )
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
