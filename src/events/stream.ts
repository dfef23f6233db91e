import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { authorize } from '../http/access.ts'
import { type DatabaseCaller, databaseCaller } from '../storage/caller.ts'
import type { Db } from '../storage/database.ts'
import { type Cursor, encodeCursor } from './cursor.ts'
import { followStore, type Hub } from './hub.ts'
import { readPage } from './page.ts'
import type { EventQuery } from './schema.ts'

const COMMENT_EVERY_MS = 15_000
/** A reader that takes nothing for this long is cut off; it resumes with its cursor. */
export const STALLED_MS = 60_000
/** How soon a browser connects again. */
const RETRY_MS = 2_000

export type Access = { accessCache: Parameters<typeof authorize>[0]; tokens: Parameters<typeof authorize>[1] }

/** Checks a caller who waited: the token may have expired or been revoked, and permissions may have changed. */
export const checkCallerAgain = (request: FastifyRequest, { accessCache, tokens }: Access) => {
  // It is one call, however long it lasts.
  delete request.limitCall
  return authorize(accessCache, tokens, request, { access: 'installation' })
}

const isStillAllowed = async (request: FastifyRequest, access: Access): Promise<boolean> => {
  try {
    await checkCallerAgain(request, access)
    return true
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/**
 * Events as server-sent events, without end: what is there, then what comes. The last piece says why it ends. Nothing is
 * read while the reader is behind.
 */
export async function* streamEvents(
  db: Db,
  hub: Hub,
  access: Access,
  request: FastifyRequest,
  start: Cursor | undefined,
  query: EventQuery,
  stalledMs: number,
): AsyncGenerator<string> {
  const { socket } = request.raw
  const gone = new AbortController()
  const leave = () => gone.abort()
  socket.once('close', leave)
  const caller = databaseCaller.getStore() as DatabaseCaller
  const followed = followStore(hub, request.store, gone.signal)
  try {
    let cursor = start
    let isFirst = true
    for (;;) {
      followed.reset()
      if (followed.stopped) return
      if (!(await databaseCaller.run(caller, () => isStillAllowed(request, access))))
        return yield ': the access token is no longer valid\n\n'
      const page = await databaseCaller.run(caller, () => readPage(db, request, cursor, query))
      if (isFirst) {
        isFirst = false
        yield `retry: ${RETRY_MS}\n\n`
        // Only now: the headers have been sent, with the timeout of other replies.
        socket.setTimeout(stalledMs)
      }
      for (const [place, event] of page.events.entries()) {
        const id = encodeCursor({ feed: page.feed, position: event.position, n: event.n })
        yield `id: ${id}\nevent: ${event.kind}.${event.action}\ndata: ${page.texts[place]}\n\n`
      }
      const isPassed = page.next.position !== (page.events.at(-1) ?? cursor)?.position
      cursor = page.next
      if (page.more) continue
      // Whoever resumes need not look at what was passed over again.
      if (isPassed) yield `id: ${encodeCursor(cursor)}\n\n`
      const left = request.caller.expires * 1000 - Date.now()
      const before = performance.now()
      await followed.next(Math.max(0, Math.min(COMMENT_EVERY_MS, left)))
      if (performance.now() - before >= COMMENT_EVERY_MS - 50 && !followed.stopped) yield ':\n\n'
    }
  } finally {
    followed.end()
    socket.off('close', leave)
  }
}
