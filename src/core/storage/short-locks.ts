import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Db, errorCode, type Tx } from './database.ts'

/** Others wait behind whoever waits for a lock that excludes them. */
const LOCK_TIMEOUT = '100ms'
const PAUSE_MS = 300
const MAX_ATTEMPTS = 200

const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'
const RETRIED = new Set([LOCK_NOT_AVAILABLE, DEADLOCK, SERIALIZATION_FAILURE])

/** Runs work that locks a table in a transaction, and gives way to requests: it waits for locks only for a moment, again and again. */
export const withShortLocks = async <T>(db: Db, work: (db: Tx) => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (db) => {
        await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`).execute(db)
        return work(db)
      })
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !RETRIED.has(errorCode(error))) throw error
      await sleep(PAUSE_MS)
    }
  }
}
