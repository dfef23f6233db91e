import { sql } from 'kysely'
import type { Db } from './database.ts'
import { LimitedMap } from './limited-map.ts'

/** The time of an installation's last write is stored at most this often, and expires later by as much. */
const STORE_EVERY_MS = 1_000
const MAX_REMEMBERED = 20_000

/**
 * Knows which installations have written in the last `seconds`. Their next request may reach another node, so the time of
 * a write is stored in the database, in the table of the rate limits, whose rows expire the same way.
 */
export const createLastWrites = (db: Db, seconds: number) => {
  const remembered = new LimitedMap<string, { at: number; stored: Promise<void> }>(MAX_REMEMBERED)

  const store = async (installation: string): Promise<void> => {
    const expiresIn = seconds + STORE_EVERY_MS / 1000
    await sql`
      insert into rate_window as w (key, window_start, used, ends_at)
      values (${`wrote:${installation}`}, now(), 1, now() + ${expiresIn} * interval '1 second')
      on conflict (key) do update set ends_at = greatest(w.ends_at, excluded.ends_at)`.execute(db)
  }

  return {
    hasWritten: async (installation: string) => {
      const last = remembered.get(installation)
      if (last && performance.now() - last.at < seconds * 1000) return true
      const { rows } = await sql`
        select 1 as found from rate_window where key = ${`wrote:${installation}`} and ends_at > now()`.execute(db)
      return rows.length > 0
    },
    /** To be called before the write is acknowledged. */
    wrote: async (installation: string) => {
      const last = remembered.get(installation)
      if (last && performance.now() - last.at < STORE_EVERY_MS) return last.stored
      const stored = store(installation)
      remembered.set(installation, { at: performance.now(), stored })
      // If this fails, other nodes do not learn of the write; the next write tries again.
      await stored.catch((error) => {
        remembered.delete(installation)
        throw error
      })
    },
  }
}
