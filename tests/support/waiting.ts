import { type RawBuilder, sql } from 'kysely'
import { type Db, transact } from '../../src/core/storage/database.ts'
import { isOnCitus } from './citus.ts'
import { eventually } from './eventually.ts'

/** On Citus, a request waits on a worker. */
const BACKEND = isOnCitus ? sql`global_pid from citus_stat_activity` : sql`pid from pg_stat_activity`

const countWaiting = async (db: Db) => {
  const { rows } = await sql`select distinct ${BACKEND}
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

/** Until a request waits for a lock. */
export const untilOneWaits = (db: Db) =>
  eventually(async () => {
    if ((await countWaiting(db)) === 0) throw new Error('No request waits for a lock.')
  })

/**
 * Runs a statement, starts the requests one after the other, each once those before wait for a lock or have ended, and then
 * commits. Returns the results.
 */
export const allWhileLocked = async <T>(
  db: Db,
  statement: RawBuilder<unknown>,
  requests: readonly (() => Promise<T>)[],
): Promise<T[]> => {
  const { running } = await transact(db, async (tx) => {
    await statement.execute(tx)
    let ended = 0
    const running: Promise<T>[] = []
    for (const request of requests) {
      running.push(
        request().finally(() => {
          ended++
        }),
      )
      await eventually(async () => {
        if ((await countWaiting(db)) + ended < running.length)
          throw new Error('A request neither waits for a lock nor has ended.')
      })
    }
    return { running }
  })
  return Promise.all(running)
}

/** The same with one request. */
export const whileLocked = async <T>(db: Db, statement: RawBuilder<unknown>, request: () => Promise<T>): Promise<T> =>
  (await allWhileLocked(db, statement, [request]))[0] as T
