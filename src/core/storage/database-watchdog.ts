import type { DatabaseCaller } from './database-caller.ts'
import type { StoreId } from './store-id.ts'
import type { WorkerWatch } from './worker-watch.ts'

/** A database that has been silent for this long is pinged. */
export const PING_AFTER_MS = 1_000
const CHECK_EVERY_MS = 250
/**
 * The time between two checks counts for no more than this. A process that was paused, with its machine or for lack of
 * processor time, has not looked at what arrived meanwhile.
 */
const MAX_COUNTED_MS = 2 * CHECK_EVERY_MS

export interface DatabaseLimits {
  /** A database that has been silent for this long, despite pings, counts as unavailable. */
  unavailableAfterMs: number
  /** PostgreSQL cancels a statement after this time, before its caller gives up. Poolers do not forward this setting. */
  statementTimeoutMs: number
  /** How long to wait for a busy database. */
  maxWaitMs: number
}

/** An outage is reported well within 5 s. */
export const DATABASE_LIMITS: DatabaseLimits = {
  unavailableAfterMs: 3_000,
  statementTimeoutMs: 15_000,
  maxWaitMs: 20_000,
}

export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError'
}
/** The coordinator answers, so the statement can be cancelled there. */
export class WorkerUnavailableError extends DatabaseUnavailableError {}
export class DatabaseBusyError extends Error {
  override name = 'DatabaseBusyError'
}
export class CallerGoneError extends Error {
  override name = 'CallerGoneError'
}

export type GiveUpReason = DatabaseUnavailableError | DatabaseBusyError | CallerGoneError

interface Waiting {
  since: number
  giveUp: (reason: GiveUpReason) => void
  isGone: () => boolean
  store: StoreId | undefined
}

export interface DatabaseWatchdog {
  /** Called when data arrives on any connection. */
  answered(): void
  /** Calls `giveUp` once if waiting becomes pointless before `done` is called. */
  watch(giveUp: (reason: GiveUpReason) => void, caller?: Caller): { done: () => void }
  /** Whether the rows of this caller's store are known to be out of reach. */
  isAway(caller: Caller | undefined): boolean
}

type Caller = Pick<DatabaseCaller, 'isGone' | 'store'>

/**
 * Distinguishes an unavailable database from a busy one: a caller keeps waiting as long as any connection receives data.
 * `ping` uses a connection of its own. In a distributed database, the worker with the caller's rows must answer too.
 */
export const createDatabaseWatchdog = (
  ping: () => Promise<unknown>,
  { unavailableAfterMs, maxWaitMs }: DatabaseLimits = DATABASE_LIMITS,
  workers?: WorkerWatch,
): DatabaseWatchdog => {
  const waiting = new Set<Waiting>()
  let silentMs = 0
  let checkedAt = 0
  let pinging = false
  let timer: NodeJS.Timeout | undefined

  const answered = () => {
    silentMs = 0
  }

  const sendPing = () => {
    pinging = true
    ping()
      .then(answered, () => {})
      .finally(() => {
        pinging = false
      })
  }

  const reasonToGiveUp = ({ since, isGone, store }: Waiting, now: number): GiveUpReason | undefined => {
    if (isGone()) return new CallerGoneError('The client has disconnected.')
    const waited = now - since
    if (waited > unavailableAfterMs && silentMs > unavailableAfterMs)
      return new DatabaseUnavailableError('The database does not answer.')
    if (store && workers && waited > PING_AFTER_MS) {
      workers.suspect(store)
      if (workers.isAway(store)) return new WorkerUnavailableError('A worker of the database does not answer.')
    }
    return waited > maxWaitMs ? new DatabaseBusyError(`No answer within ${maxWaitMs} ms.`) : undefined
  }

  const check = () => {
    if (waiting.size === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const now = performance.now()
    silentMs += Math.min(now - checkedAt, MAX_COUNTED_MS)
    checkedAt = now
    if (silentMs > PING_AFTER_MS && !pinging) sendPing()
    for (const one of waiting) {
      const reason = reasonToGiveUp(one, now)
      if (!reason) continue
      waiting.delete(one)
      one.giveUp(reason)
    }
  }

  return {
    answered,
    isAway: (caller) => Boolean(caller?.store && workers?.isAway(caller.store)),
    watch: (giveUp, caller) => {
      const now = performance.now()
      const one = { since: now, giveUp, isGone: caller?.isGone ?? (() => false), store: caller?.store }
      waiting.add(one)
      if (!timer) {
        silentMs = 0
        checkedAt = now
        timer = setInterval(check, CHECK_EVERY_MS).unref()
      }
      return { done: () => void waiting.delete(one) }
    },
  }
}
