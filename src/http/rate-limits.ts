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
export const count = async (db: Db, key: string): Promise<Window> => {
  const { rows } = await sql<Window>`
    insert into rate_window as w (key, window_start, used) values (${key}, date_trunc('minute', now()), 1)
    on conflict (key) do update set
      used = case when w.window_start = excluded.window_start then w.used + 1 else 1 end,
      window_start = excluded.window_start
    returning used, ceil(extract(epoch from window_start + interval '1 minute' - now()))::int as left`.execute(db)
  return rows[0] as Window
}

export const tooMany = (message: string, left: number) =>
  new ApiError('rate_limited', message, { retryAfter: Math.max(1, left) })

/** The limit of each installation. Off, it adds nothing to a request. */
export const limitCalls = (app: FastifyInstance, db: Db, perMinute: number) => {
  if (perMinute === 0) return
  app.addHook('preParsing', async (request, reply, payload) => {
    const installation = request.caller?.installation
    if (!installation) return payload
    const { used, left } = await count(db, `calls:${installation.id}`)
    reply.headers({
      'X-RateLimit-Limit': String(perMinute),
      'X-RateLimit-Remaining': String(Math.max(0, perMinute - used)),
      'X-RateLimit-Reset': String(left),
    })
    if (used > perMinute) throw tooMany(`More than ${perMinute} calls in a minute.`, left)
    return payload
  })
}
