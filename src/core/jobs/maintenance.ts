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

type Tasks = (() => Promise<unknown>)[]

/** Runs on every node. It is cheap when there is nothing to do, so no leader is needed. */
export const startMaintenance = (
  db: Db,
  log: Logger,
  { everyMinute = [], everyTenMinutes = [] }: { everyMinute?: Tasks; everyTenMinutes?: Tasks } = {},
) => {
  const every = (time: number, tasks: Tasks) =>
    setInterval(async () => {
      for (const task of tasks) {
        await task().catch((error) => log.warn({ err: error }, 'maintenance task failed, will retry'))
      }
    }, time).unref()
  const timers = [
    every(MINUTE, [() => mergeRowCounts(db), ...everyMinute]),
    every(10 * MINUTE, [() => deleteExpired(db), ...everyTenMinutes]),
  ]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
