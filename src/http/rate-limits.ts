import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { ApiError } from '../errors.ts'
import type { Db } from '../storage/database.ts'

interface Window {
  used: number
  /** Seconds until the count starts again. */
  left: number
}

/** Counts one more of `key` in this minute. Kept in the database, so that all workers and nodes count together. */
export const countInWindow = async (db: Db, key: string): Promise<Window> => {
  const { rows } = await sql<Window>`
    insert into rate_window as w (key, window_start, used) values (${key}, date_trunc('minute', now()), 1)
    on conflict (key) do update set
      used = case when w.window_start = excluded.window_start then w.used + 1 else 1 end,
      window_start = excluded.window_start
    returning used, ceil(extract(epoch from window_start + interval '1 minute' - now()))::int as left`.execute(db)
  return rows[0] as Window
}

export const tooManyRequests = (message: string, left: number) =>
  new ApiError('rate_limited', message, { retryAfter: Math.max(1, left) })

/** How many have been counted of `key` in this minute, and for how long they still count. */
export const counted = async (db: Db, key: string): Promise<Window> => {
  const { rows } = await sql<Window>`
    select used, ceil(extract(epoch from window_start + interval '1 minute' - now()))::int as left
    from rate_window where key = ${key} and window_start = date_trunc('minute', now())`.execute(db)
  return rows[0] ?? { used: 0, left: 0 }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts this call for its installation; called once that is known. Absent where no limit is set. */
    limitCall?: () => Promise<void>
  }
}

/** The limit of each installation. Off, it adds nothing to a request. */
export const limitRate = (app: FastifyInstance, db: Db, perMinute: number) => {
  if (perMinute === 0) return
  app.decorateRequest('limitCall')
  app.addHook('onRequest', (request, reply, done) => {
    request.limitCall = async () => {
      const { used, left } = await countInWindow(db, `calls:${request.caller.installation?.id}`)
      reply.headers({
        'X-RateLimit-Limit': String(perMinute),
        'X-RateLimit-Remaining': String(Math.max(0, perMinute - used)),
        'X-RateLimit-Reset': String(left),
      })
      if (used > perMinute) throw tooManyRequests(`More than ${perMinute} calls in a minute.`, left)
    }
    done()
  })
}
