import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { ApiError } from '../../errors.ts'
import type { Db } from '../storage/database.ts'
import type { Caller } from './access.ts'

interface Window {
  used: number
  /** Seconds until the window ends. */
  left: number
}

const MINUTE = 60

const windowStart = (seconds: number) =>
  sql`date_bin(${seconds} * interval '1 second', now(), timestamptz '2000-01-01 00:00Z')`

/**
 * Counts a use of `key` in the current window, by default a minute. Counters are in the database, so that all workers
 * and nodes share them.
 */
export const countInWindow = async (db: Db, key: string, seconds = MINUTE): Promise<Window> => {
  // The row says when the statement ran: `ends_at` is two windows later. Citus refuses now() in RETURNING.
  const { rows } = await sql<Window>`
    insert into rate_window as w (key, window_start, used, ends_at)
    values (${key}, ${windowStart(seconds)}, 1, now() + ${2 * seconds} * interval '1 second')
    on conflict (key) do update set
      used = case when w.window_start = excluded.window_start then w.used + 1 else 1 end,
      window_start = excluded.window_start, ends_at = excluded.ends_at
    returning used, ceil(extract(epoch from window_start - ends_at))::int + ${3 * seconds} as left`.execute(db)
  return rows[0] as Window
}

export const tooManyRequests = (message: string, left: number) =>
  new ApiError('rate_limited', message, { retryAfter: Math.max(1, left) })

/** Reads the counter of `key` for the current window without changing it. */
export const readWindow = async (db: Db, key: string, seconds = MINUTE): Promise<Window> => {
  const { rows } = await sql<Window>`
    select used, ceil(extract(epoch from window_start + ${seconds} * interval '1 second' - now()))::int as left
    from rate_window where key = ${key} and window_start = ${windowStart(seconds)}`.execute(db)
  return rows[0] ?? { used: 0, left: 0 }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Counts this call against its installation's limit. */
    limitCall?: () => Promise<void>
  }
}

/** Users of the console share its installation on a store, so each has a counter of their own. */
const callsKey = ({ installation, account }: Caller) => `calls:${installation?.id}${account ? `:${account.id}` : ''}`

/** Limits the calls of each installation per minute, to what its store's plan or else the setting says; 0 is no limit. */
export const limitRate = (app: FastifyInstance, db: Db, setting: number) => {
  app.decorateRequest('limitCall')
  app.addHook('onRequest', (request, reply, done) => {
    request.limitCall = async () => {
      const perMinute = request.caller.installation?.limits?.calls ?? setting
      if (perMinute === 0) return
      const { used, left } = await countInWindow(db, callsKey(request.caller))
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
