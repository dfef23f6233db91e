import type { Logger } from 'pino'

/** npm passes on what the terminal has sent already, and process managers signal the whole group: all that is one stop. */
const SAME_STOP_MS = 2_000
/** What a graceful stop may take beside the requests in flight. */
const CLOSING_MS = 20_000
const LOOK_AT_PARENT_MS = 250

/** Calls back for each signal that means to stop, once for all that arrive within two seconds. Gives the way to end it. */
export const onStopSignals = (stop: () => void): (() => void) => {
  let last = Number.NEGATIVE_INFINITY
  const heed = () => {
    const now = performance.now()
    if (now - last < SAME_STOP_MS) return
    last = now
    stop()
  }
  // A terminal that is closed sends SIGHUP.
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, heed)
  return () => {
    for (const name of names) process.off(name, heed)
  }
}

export interface Shutdown {
  /** Aborted once the process is to stop gracefully. */
  readonly asked: AbortSignal
  /** Aborted once it is to stop without waiting for requests. */
  readonly urgent: AbortSignal
  /** What the process exits with when it was stopped gracefully: not 0 after an exception that nobody caught. */
  exitCode(): number
  /** Asks for a graceful stop. */
  ask(): void
}

/**
 * Listens for whatever asks this process to stop. The first signal asks for a graceful stop, one that comes more than
 * two seconds later for an urgent one, a third ends the process at once. A graceful stop that takes
 * too long becomes urgent by itself.
 *
 * An uncaught exception asks for a graceful stop too: requests in flight are answered, and whoever started the process
 * starts it again.
 */
export const watchForShutdown = (log: Logger, drainSeconds: number): Shutdown => {
  const asked = new AbortController()
  const urgent = new AbortController()
  aborted(asked.signal).then(() => setTimeout(() => urgent.abort(), drainSeconds * 1000 + CLOSING_MS).unref())
  let exitCode = 0
  onStopSignals(() => {
    if (!asked.signal.aborted) asked.abort()
    else if (!urgent.signal.aborted) urgent.abort()
    else process.exit(1)
  })

  // Unhandled rejections arrive here as well.
  process.on('uncaughtException', (error, origin) => {
    log.fatal(
      { err: error, origin },
      'An exception was not caught. Requests in flight are answered, then this process ends.',
    )
    exitCode = 1
    asked.abort()
  })
  return { asked: asked.signal, urgent: urgent.signal, exitCode: () => exitCode, ask: () => asked.abort() }
}

/**
 * Calls `onGone` when npm, or the shell it started us through, is gone. That shell does not pass SIGTERM on, so a killed
 * `npx storefront-apps serve` would leave the server behind.
 */
export const watchNpm = (onGone: () => void) => {
  if (!process.env.npm_execpath) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, LOOK_AT_PARENT_MS).unref()
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
