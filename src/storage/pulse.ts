/** How long a database may be silent before it is asked for a sign of life. */
const ASK_AFTER_MS = 1_200
/** Silent for this long, although asked, it counts as away: callers hear of it well within 5 s. */
const AWAY_AFTER_MS = 3_000
/** A busy database is waited for, but not for ever. */
const MOST_MS = 20_000
const LOOK_EVERY_MS = 250

interface Waiting {
  since: number
  giveUp: (reason: Error) => void
}

export interface Pulse {
  /** The database answered something, to anybody. */
  sign(): void
  /** Until `done` is called, `giveUp` is called once the database is away. */
  watch(giveUp: (reason: Error) => void): { done: () => void }
}

export class DatabaseAwayError extends Error {
  override name = 'DatabaseAwayError'
}

/**
 * Tells a database that is away from one that is only busy: a caller who waits long goes on waiting as long as anybody
 * gets answers. `ping` asks over a connection of its own.
 */
export const createPulse = (ping: () => Promise<unknown>): Pulse => {
  const waiting = new Set<Waiting>()
  let lastSign = 0
  let asking = false
  let timer: NodeJS.Timeout | undefined

  const sign = () => {
    lastSign = performance.now()
  }

  const ask = () => {
    asking = true
    ping()
      .then(sign, () => {})
      .finally(() => {
        asking = false
      })
  }

  const look = () => {
    if (waiting.size === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const now = performance.now()
    const silent = now - lastSign
    if (silent > ASK_AFTER_MS && !asking) ask()
    for (const one of waiting) {
      const waited = now - one.since
      if (waited > MOST_MS || (waited > AWAY_AFTER_MS && silent > AWAY_AFTER_MS))
        one.giveUp(new DatabaseAwayError('The database does not answer.'))
    }
  }

  return {
    sign,
    watch: (giveUp) => {
      const one = { since: performance.now(), giveUp }
      waiting.add(one)
      timer ??= setInterval(look, LOOK_EVERY_MS).unref()
      return { done: () => void waiting.delete(one) }
    },
  }
}
