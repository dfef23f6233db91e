import type { FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { authorize } from '../http/access.ts'
import { type Db, isDatabaseBusy, isDatabaseUnavailable } from '../storage/database.ts'
import { type DatabaseCaller, databaseCaller } from '../storage/database-caller.ts'
import { type Cursor, encodeCursor } from './feed-cursor.ts'
import { followStore, type Hub } from './hub.ts'
import { readPage } from './read-page.ts'
import type { EventQuery } from './schema.ts'

/** An idle stream looks this often whether its app is still installed. */
const COMMENTS_PER_CHECK = 4

export interface StreamTimes {
  commentMs: number
  /** A reader that takes nothing for this long is cut off; it resumes with its cursor. */
  stalledMs: number
}
export const STREAM_TIMES: StreamTimes = { commentMs: 15_000, stalledMs: 60_000 }

/** How soon a browser connects again. */
const RETRY_MS = 2_000

export type Access = { accessCache: Parameters<typeof authorize>[0]; tokens: Parameters<typeof authorize>[1] }

/** Checks a caller who waited: the token may have expired or been revoked, and permissions may have changed. */
export const checkCallerAgain = (request: FastifyRequest, { accessCache, tokens }: Access) => {
  // A stream counts as one request, however long it lasts.
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
 * Sends comments until there may be something to read, or the caller may no longer be allowed to. An idle stream must not
 * read the feed: there may be thousands.
 */
async function* commentUntilChanged(
  followed: ReturnType<typeof followStore>,
  isAllowed: () => Promise<boolean>,
  expires: number,
  commentMs: number,
): AsyncGenerator<string> {
  for (let comments = 1; ; comments++) {
    const left = Math.max(0, expires * 1000 - Date.now())
    await followed.next(Math.min(commentMs, left))
    if (followed.changed || followed.stopped || left <= commentMs) return
    if (comments % COMMENTS_PER_CHECK === 0 && !(await isAllowed())) return
    yield ':\n\n'
  }
}

/**
 * Server-sent events without end: past events first, then new ones as they happen. The last piece says why the stream
 * ends. Nothing is read from the feed while the client is behind.
 */
export async function* streamEvents(
  db: Db,
  hub: Hub,
  access: Access,
  request: FastifyRequest,
  start: Cursor | undefined,
  query: EventQuery,
  { commentMs, stalledMs }: StreamTimes,
): AsyncGenerator<string> {
  const { socket } = request.raw
  const gone = new AbortController()
  const leave = () => gone.abort()
  socket.once('close', leave)
  const caller = databaseCaller.getStore() as DatabaseCaller
  const isAllowed = () => databaseCaller.run(caller, () => isStillAllowed(request, access))
  const followed = followStore(hub, request.store, gone.signal)
  let isFirst = true
  try {
    let cursor = start
    for (;;) {
      followed.reset()
      if (followed.stopped) return
      if (!(await isAllowed())) return yield ': the access token is no longer valid\n\n'
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
      // A client that resumes need not scan the skipped events again.
      if (isPassed) yield `id: ${encodeCursor(cursor)}\n\n`
      yield* commentUntilChanged(followed, isAllowed, request.caller.expires, commentMs)
    }
  } catch (error) {
    // The headers have been sent. A connection that is cut off would look like a fault of the network.
    if (isFirst || !(isDatabaseUnavailable(error) || isDatabaseBusy(error))) throw error
    yield ': the service is unavailable, please connect again\n\n'
  } finally {
    followed.end()
    socket.off('close', leave)
  }
}
