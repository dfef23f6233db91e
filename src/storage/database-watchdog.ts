/** How long a database may be silent before it is asked for a sign of life. */
const PING_AFTER_MS = 1_200
const CHECK_EVERY_MS = 250

export interface DatabaseLimits {
  /** A database that has been silent for this long, although asked, counts as away. */
  awayAfterMs: number
  /** PostgreSQL stops a statement after this time, before its caller gives up. A pooler does not let this through. */
  statementTimeoutMs: number
  /** A busy database is waited for, but not for ever. */
  maxWaitMs: number
}

/** Callers hear of an outage well within 5 s. */
export const DATABASE_LIMITS: DatabaseLimits = { awayAfterMs: 3_000, statementTimeoutMs: 15_000, maxWaitMs: 20_000 }

export class DatabaseUnavailableError extends Error {
  override name = 'DatabaseUnavailableError'
}
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
}

export interface DatabaseWatchdog {
  /** The database sent something, to anybody. */
  answered(): void
  /** Until `done` is called, `giveUp` is called once, when it is of no use to wait any longer. */
  watch(giveUp: (reason: GiveUpReason) => void, isGone?: () => boolean): { done: () => void }
}

/**
 * Tells a database that is away from one that is only busy: a caller who waits long goes on waiting as long as anybody
 * gets answers. `ping` asks over a connection of its own.
 */
export const createDatabaseWatchdog = (
  ping: () => Promise<unknown>,
  { awayAfterMs, maxWaitMs }: DatabaseLimits = DATABASE_LIMITS,
): DatabaseWatchdog => {
  const waiting = new Set<Waiting>()
  let lastSign = 0
  let asking = false
  let timer: NodeJS.Timeout | undefined

  const answered = () => {
    lastSign = performance.now()
  }

  const ask = () => {
    asking = true
    ping()
      .then(answered, () => {})
      .finally(() => {
        asking = false
      })
  }

  const reasonToGiveUp = ({ since, isGone }: Waiting, now: number): GiveUpReason | undefined => {
    if (isGone()) return new CallerGoneError('Nobody waits for the answer any more.')
    const waited = now - since
    if (waited > awayAfterMs && now - lastSign > awayAfterMs)
      return new DatabaseUnavailableError('The database does not answer.')
    return waited > maxWaitMs ? new DatabaseBusyError(`No answer within ${maxWaitMs} ms.`) : undefined
  }

  const look = () => {
    if (waiting.size === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const now = performance.now()
    if (now - lastSign > PING_AFTER_MS && !asking) ask()
    for (const one of waiting) {
      const reason = reasonToGiveUp(one, now)
      if (!reason) continue
      waiting.delete(one)
      one.giveUp(reason)
    }
  }

  return {
    answered,
    watch: (giveUp, isGone = () => false) => {
      const one = { since: performance.now(), giveUp, isGone }
      waiting.add(one)
      timer ??= setInterval(look, CHECK_EVERY_MS).unref()
      return { done: () => void waiting.delete(one) }
    },
  }
}
