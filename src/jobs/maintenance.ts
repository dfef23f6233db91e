import { sql } from 'kysely'
import type { Logger } from 'pino'
import { mergeRowCounts } from '../reading/row-counts.ts'
import type { Db } from '../storage/database.ts'

const MINUTE = 60_000

/** Deletes stored replies after a day and rate counters after their window. */
const deleteExpired = async (db: Db) => {
  await sql`delete from idempotency where created_at < now() - interval '24 hours'`.execute(db)
  await sql`delete from rate_window where ends_at < now()`.execute(db)
}

/** Runs on every node. It is cheap when there is nothing to do, so no leader is needed. */
export const startMaintenance = (db: Db, log: Logger, more: (() => Promise<unknown>)[] = []) => {
  const every = (time: number, tasks: (() => Promise<unknown>)[]) =>
    setInterval(async () => {
      for (const task of tasks) {
        await task().catch((error) => log.warn({ err: error }, 'maintenance task failed, will retry'))
      }
    }, time).unref()
  const timers = [every(MINUTE, [() => mergeRowCounts(db)]), every(10 * MINUTE, [() => deleteExpired(db), ...more])]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
