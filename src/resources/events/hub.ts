import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { hastenWork } from '../../core/jobs/store-work.ts'
import { UNNUMBERED } from '../../core/reading/unnumbered-changes.ts'
import type { Db } from '../../core/storage/database.ts'
import { databaseCaller } from '../../core/storage/database-caller.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ApiError } from '../../errors.ts'

/** Nodes announce on this channel which stores they have written to. */
export const STORE_CHANNEL = 'store_changed'

/**
 * The first write is announced at once, those of the next milliseconds together: NOTIFY takes a server-wide lock at
 * commit. It is never part of a write's transaction.
 */
const ANNOUNCE_EVERY_MS = 20
/** Safety net for announcements that were not made or not heard: psql, a killed process, a pooler. */
const SWEEP_EVERY_MS = 1_000
/** A payload of NOTIFY is shorter than 8,000 bytes. */
const MAX_STORES_A_NOTICE = 200

const MAX_WAITERS = 2_000
const MAX_WAITERS_PER_INSTALLATION = 20

/** Starts from rows: a distributed database joins those of a store with each other, not with a list of stores. */
const SWEEP = sqlText`select s.store_id as store, max(s.last) as last, bool_or(s.unnumbered) as unnumbered from (
    select f.store_id, f.last, false as unnumbered from feed f where f.store_id = any($1)
    union all
    select c.store_id, 0, true from change c left join feed f on f.store_id = c.store_id
    where c.store_id = any($1)${UNNUMBERED}
  ) s group by s.store_id`

interface Swept {
  store: StoreId
  last: number
  unnumbered: boolean
}

interface Watched {
  watchers: number
  /** As the last sweep found it; before the first one, anything counts as new. */
  last: number
}

export type Hub = ReturnType<typeof createHub>

/** Wakes those who wait for changes of a store when there may be some. */
export const createHub = (db: Db) => {
  const me = randomUUID()
  const watched = new Map<StoreId, Watched>()
  const listeners = new Set<(store: StoreId) => void>()
  const closed = new AbortController()
  // Everyone who waits adds a listener.
  setMaxListeners(0, closed.signal)
  const waiters = new Map<string, number>()
  let waiting = 0
  let announced = new Set<StoreId>()
  let announcing: NodeJS.Timeout | undefined
  let sweeping: NodeJS.Timeout | undefined

  const wake = (store: StoreId) => {
    for (const listener of [...listeners]) listener(store)
  }

  const announce = async () => {
    announcing = undefined
    if (announced.size === 0) return
    announcing = setTimeout(announce, ANNOUNCE_EVERY_MS).unref()
    const stores = [...announced]
    announced = new Set()
    for (const store of stores) wake(store)
    for (let first = 0; first < stores.length; first += MAX_STORES_A_NOTICE) {
      const page = stores.slice(first, first + MAX_STORES_A_NOTICE)
      const payload = `${me} ${page.join()}`
      // Not on behalf of whoever happened to write. If it fails, the sweep of the other nodes finds the changes.
      await databaseCaller
        .exit(async () => {
          await runSql(db, sqlText`select pg_notify($1, $2)`, [STORE_CHANNEL, payload])
          await hastenWork(db, 'webhooks', page)
        })
        .catch(() => {})
    }
  }

  const sweep = async () => {
    try {
      const stores = [...watched.keys()]
      if (stores.length === 0) return
      const found = await databaseCaller.exit(() => runSql<Swept>(db, SWEEP, [stores]))
      for (const { store, last, unnumbered } of found) {
        const known = watched.get(store)
        if (!known) continue
        const isNew = last > known.last
        known.last = last
        if (unnumbered || isNew) wake(store)
      }
    } catch {
      // The database is unreachable; requests report that.
    } finally {
      if (watched.size > 0 && !closed.signal.aborted) sweeping = setTimeout(sweep, SWEEP_EVERY_MS).unref()
      else sweeping = undefined
    }
  }

  /** Checks the store for changes every second until the returned function is called. */
  const watch = (store: StoreId): (() => void) => {
    const known = watched.get(store)
    if (known) known.watchers++
    else watched.set(store, { watchers: 1, last: -1 })
    sweeping ??= setTimeout(sweep, SWEEP_EVERY_MS).unref()
    let isWatching = true
    return () => {
      const entry = watched.get(store)
      if (!isWatching || !entry) return
      isWatching = false
      if (--entry.watchers === 0) watched.delete(store)
    }
  }

  /** Calls `listener` with every store that may have changed. Only watched stores are also checked every second. */
  const subscribe = (listener: (store: StoreId) => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  return {
    watch,
    subscribe,
    /** Aborted when the server stops, which ends all waiting. */
    closing: closed.signal,
    /** This process has committed a change. */
    wrote: (store: StoreId) => {
      announced.add(store)
      if (!announcing && !closed.signal.aborted) void announce()
    },
    /** What another node announced. */
    heard: (payload: string) => {
      const [sender, stores = ''] = payload.split(' ')
      if (sender !== me) for (const store of stores.split(',')) wake(store as StoreId)
    },
    /** Counts a waiting request, and refuses it if there are too many. Call the returned function when it ends. */
    enter: (installation: string): (() => void) => {
      const own = waiters.get(installation) ?? 0
      if (own >= MAX_WAITERS_PER_INSTALLATION || waiting >= MAX_WAITERS)
        throw new ApiError(
          'rate_limited',
          own >= MAX_WAITERS_PER_INSTALLATION
            ? `${MAX_WAITERS_PER_INSTALLATION} requests of this installation are already waiting for events.`
            : 'Too many requests are already waiting for events.',
          { retryAfter: 5 },
        )
      waiters.set(installation, own + 1)
      waiting++
      let isIn = true
      return () => {
        if (!isIn) return
        isIn = false
        waiting--
        const left = (waiters.get(installation) ?? 1) - 1
        if (left > 0) waiters.set(installation, left)
        else waiters.delete(installation)
      }
    },
    waiting: () => waiting,
    close: () => {
      closed.abort()
      clearTimeout(sweeping)
      clearTimeout(announcing)
    },
  }
}

/**
 * Waits for changes of one store without missing any: changes between a read and `next()` are remembered. Holds no
 * connection while it waits.
 */
export const followStore = (hub: Hub, store: StoreId, signal?: AbortSignal) => {
  let isChanged = false
  let resume: (() => void) | undefined
  const unwatch = hub.watch(store)
  const unsubscribe = hub.subscribe((changed) => {
    if (changed !== store) return
    isChanged = true
    resume?.()
  })
  // Not AbortSignal.any(): its result would stay in memory as long as the server's signal does.
  const signals = signal ? [hub.closing, signal] : [hub.closing]
  const isStopped = () => signals.some(({ aborted }) => aborted)
  return {
    /** To be called before reading. */
    reset: () => {
      isChanged = false
    },
    /** Ends the waiting as if the store had changed. */
    wake: () => {
      isChanged = true
      resume?.()
    },
    /** Until the store changes, the time is up, the caller is gone or the server stops. */
    next: (ms: number) =>
      new Promise<void>((resolve) => {
        if (isChanged || isStopped()) return resolve()
        const done = () => {
          clearTimeout(timer)
          for (const one of signals) one.removeEventListener('abort', done)
          resume = undefined
          resolve()
        }
        const timer = setTimeout(done, ms)
        for (const one of signals) one.addEventListener('abort', done, { once: true })
        resume = done
      }),
    /** Whether the store may have changed since `reset()`. */
    get changed() {
      return isChanged
    },
    get stopped() {
      return isStopped()
    },
    end: () => {
      unsubscribe()
      unwatch()
    },
  }
}

/** Announces every write of this process once its reply is sent, which is after its commit. */
export const announceWrites = (app: FastifyInstance, hub: Hub) => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, store } = request
    if (store && method !== 'GET' && method !== 'HEAD' && reply.statusCode < 400) hub.wrote(store)
    done()
  })
  // Before Fastify waits for connections to end: requests that wait for events would keep the server running.
  app.addHook('preClose', async () => hub.close())
}
