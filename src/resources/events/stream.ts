import type { FastifyRequest } from 'fastify'
import { type Db, isDatabaseBusy, isDatabaseUnavailable } from '../../core/storage/database.ts'
import { type DatabaseCaller, databaseCaller } from '../../core/storage/database-caller.ts'
import { ApiError } from '../../errors.ts'
import type { AccessCache } from '../auth/access-cache.ts'
import { type Cursor, encodeCursor } from './feed-cursor.ts'
import { followStore, type Hub } from './hub.ts'
import { readPage } from './read-page.ts'
import type { EventQuery } from './schema.ts'

/** An idle stream checks this often that its app is still installed. */
const COMMENTS_PER_CHECK = 4
const RECHECK_MS = 1_100

export interface StreamTimes {
  commentMs: number
  /** A reader that takes nothing for this long is cut off; it resumes with its cursor. */
  stalledMs: number
}
export const STREAM_TIMES: StreamTimes = { commentMs: 15_000, stalledMs: 60_000 }

/** What is held in memory for a client that does not read, unless a single event is larger. */
const MAX_BUFFERED_BYTES = 256 * 1024

/** How soon a browser connects again. */
const RETRY_MS = 2_000

/** Checks again and again whether a caller is still allowed to read. */
const createAccessCheck = (request: FastifyRequest, accessCache: AccessCache) => {
  const caller = databaseCaller.getStore() as DatabaseCaller
  let edition: number | undefined
  return {
    isAllowed: async (): Promise<boolean> => {
      edition = accessCache.edition()
      try {
        await databaseCaller.run(caller, () => request.checkAgain())
        return true
      } catch (error) {
        if (error instanceof ApiError) return false
        throw error
      }
    },
    /** No app or installation has changed since: thousands of idle streams need not look theirs up. */
    isUnchanged: () => edition !== undefined && edition === accessCache.edition(),
    /** Changes of access are not announced to this process; what is known of them may be a second old. */
    isBlind: () => accessCache.edition() === undefined,
  }
}

/**
 * Sends comments until there may be something to read, or the caller may no longer be allowed to. An idle stream must not
 * read the feed: there may be thousands.
 */
async function* commentUntilChanged(
  followed: ReturnType<typeof followStore>,
  check: ReturnType<typeof createAccessCheck>,
  expires: number,
  commentMs: number,
): AsyncGenerator<string> {
  for (let comments = 1; ; comments++) {
    const left = Math.max(0, expires * 1000 - Date.now())
    // What has just woken the stream may be that its app was uninstalled.
    const isSoon = comments === 1 && check.isBlind()
    await followed.next(Math.min(isSoon ? RECHECK_MS : commentMs, left))
    if (followed.changed || followed.stopped || left <= commentMs) return
    if ((isSoon || comments % COMMENTS_PER_CHECK === 0) && !check.isUnchanged() && !(await check.isAllowed())) return
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
  accessCache: AccessCache,
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
  const check = createAccessCheck(request, accessCache)
  const followed = followStore(hub, request.store, gone.signal)
  const { app, installation } = request.caller
  const own = [`installation:${installation?.id}`, `app:${app.id}`, 'oauth_grant', 'connected_assistant']
  const unsubscribe = accessCache.subscribe((change) => own.includes(change) && followed.wake())
  let isFirst = true
  let isChanged = false
  try {
    let cursor = start
    let page_size = query.page_size
    for (;;) {
      followed.reset()
      if (followed.stopped) return
      if (!(await check.isAllowed())) return yield ': the access token is no longer valid\n\n'
      const page = await databaseCaller.run(caller, () =>
        readPage(db, request, cursor, { ...query, page_size }, { isChanged, maxBytes: MAX_BUFFERED_BYTES }),
      )
      if (isFirst) {
        isFirst = false
        yield `retry: ${RETRY_MS}\n\n`
        // Only now: the headers have been sent, with the timeout of other replies.
        socket.setTimeout(stalledMs)
      }
      for (const [index, event] of page.events.entries()) {
        const id = encodeCursor({ feed: page.feed, position: event.position, n: event.n })
        yield `id: ${id}\nevent: ${event.kind}.${event.action}\ndata: ${page.texts[index]}\n\n`
      }
      const isPassed = page.next.position !== (page.events.at(-1) ?? cursor)?.position
      cursor = page.next
      // Reads no more than is sent.
      page_size = page.isCut ? page.texts.length : Math.min(query.page_size, page_size * 2)
      if (page.more) continue
      // A client that resumes need not scan the skipped events again.
      if (isPassed) yield `id: ${encodeCursor(cursor)}\n\n`
      yield* commentUntilChanged(followed, check, request.caller.expires, commentMs)
      isChanged = followed.changed
    }
  } catch (error) {
    // The headers have been sent. A connection that is cut off would look like a fault of the network.
    if (isFirst || !(isDatabaseUnavailable(error) || isDatabaseBusy(error))) throw error
    yield ': the service is unavailable, please connect again\n\n'
  } finally {
    unsubscribe()
    followed.end()
    socket.off('close', leave)
  }
}
