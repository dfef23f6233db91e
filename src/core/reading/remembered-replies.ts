import { type EncodedBody, sizeOf } from '../http/encoded-body.ts'
import type { Db } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { UNNUMBERED } from './unnumbered-changes.ts'

/** In bytes, of all replies and of one. */
const MAX_SIZE = 16 * 2 ** 20
const MAX_REPLY = 2 ** 20
/** A reply is read again after this time, in case rows were changed that no trigger captures. */
const MAX_AGE_MS = 10_000

/** With more changes that have no position yet, comparing them would take too long: they are given one first. */
const MAX_CHANGES = 100

/** The last event of a store, and the changes that have no position yet. */
const READ_STATE = sqlText`select f.id || ' ' || f.last as events, array(
    select c.n::text from change c where c.store_id = $1${UNNUMBERED} order by c.n limit ${MAX_CHANGES + 1}
  ) as changes from feed f where f.store_id = $1`

/** The same as long as nothing happens in the store. Undefined without a feed, or with too many changes to compare. */
const readState = async (db: Db, store: StoreId): Promise<string | undefined> => {
  const [row] = await runSql<{ events: string; changes: string[] }>(db, READ_STATE, [store])
  return row && row.changes.length <= MAX_CHANGES ? `${row.events} ${row.changes.join(' ')}` : undefined
}

interface Options {
  /** Gives the changes of a store their positions, and the store a feed if it has none. */
  numberChanges: (store: StoreId) => Promise<unknown>
  maxSize?: number
  maxAgeMs?: number
}

interface Reply {
  state: string
  body: EncodedBody
  readAt: number
}

/**
 * Remembers the last replies, each with the state of its store. Every request asks the database for the state: if it is the
 * same, so is the reply. Nothing has to be invalidated, and no reply is older than the database.
 */
export const createRememberedReplies = ({ numberChanges, maxSize = MAX_SIZE, maxAgeMs = MAX_AGE_MS }: Options) => {
  /** The least recently used first. Without a reply, if it was sent once: most are not asked for again. */
  const replies = new Map<string, { reply?: Reply; size: number }>()
  let size = 0

  const remove = (key: string) => {
    size -= replies.get(key)?.size ?? 0
    replies.delete(key)
  }
  const remember = (key: string, reply?: Reply) => {
    remove(key)
    const bytes = key.length + (reply ? sizeOf(reply.body) : 0)
    if (bytes > MAX_REPLY) return
    replies.set(key, { ...(reply && { reply }), size: bytes })
    size += bytes
    for (const oldest of replies.keys()) {
      if (size <= maxSize) break
      remove(oldest)
    }
  }

  const numbering = new Set<StoreId>()
  /** The request does not wait for it. If it fails, replies of the store are read each time. */
  const startNumbering = (store: StoreId) => {
    if (numbering.has(store)) return
    numbering.add(store)
    numberChanges(store)
      .catch(() => {})
      .finally(() => numbering.delete(store))
  }

  /** Replies that are being read, each with the state that was read before it. */
  const reading = new Map<string, { state: string; body: Promise<EncodedBody> }>()
  /** Callers who ask for the same at the same time share one read. */
  const readOnce = async (key: string, state: string, read: () => Promise<EncodedBody>): Promise<EncodedBody> => {
    const other = reading.get(key)
    // The read of another caller may fail for a reason of its own: its client may be gone.
    const shared = other?.state === state ? await other.body.catch(() => undefined) : undefined
    if (shared) return shared
    const readAt = performance.now()
    const mine = { state, body: read() }
    reading.set(key, mine)
    try {
      const body = await mine.body
      remember(key, { state, body, readAt })
      return body
    } finally {
      if (reading.get(key) === mine) reading.delete(key)
    }
  }

  return {
    /**
     * The body of a reply: the last one under this key, or a new one. `name` says everything that the reply depends on
     * besides the store: what was asked for, and what the caller may see.
     */
    body: async (db: Db, store: StoreId, name: string, read: () => Promise<EncodedBody>): Promise<EncodedBody> => {
      const key = `${store} ${name}`
      if (!replies.has(key)) {
        remember(key)
        return read()
      }
      // Read before the reply: what changes in between makes the state differ the next time.
      const state = await readState(db, store)
      if (state === undefined) {
        startNumbering(store)
        return read()
      }
      const last = replies.get(key)?.reply
      if (last?.state !== state || performance.now() - last.readAt >= maxAgeMs) return readOnce(key, state, read)
      remember(key, last)
      return last.body
    },
    size: () => size,
  }
}
