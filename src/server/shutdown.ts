import type { Logger } from 'pino'

/** npm forwards signals that the terminal has already sent, and process managers signal the whole group: these count once. */
const SAME_STOP_MS = 2_000
/** How long a graceful shutdown may take after the requests in flight have finished. */
const CLOSING_MS = 20_000
const PARENT_CHECK_MS = 250

/**
 * Calls `stop` for each stop signal, once for those within two seconds. SIGHUP only counts as the first: a terminal closes
 * once, and npm may take longer to pass the signal on. Returns a function that stops listening.
 */
export const onStopSignals = (stop: () => void): (() => void) => {
  let last = Number.NEGATIVE_INFINITY
  const handle = (name: NodeJS.Signals) => {
    const now = performance.now()
    if (now - last < SAME_STOP_MS || (name === 'SIGHUP' && last > Number.NEGATIVE_INFINITY)) return
    last = now
    stop()
  }
  // Closing the terminal sends SIGHUP.
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, handle)
  return () => {
    for (const name of names) process.off(name, handle)
  }
}

export interface Shutdown {
  /** Aborted when the process should shut down gracefully. */
  readonly requested: AbortSignal
  /** Aborted when it should stop without waiting for requests. */
  readonly urgent: AbortSignal
  /** Exit code after a graceful shutdown: 1 after an uncaught exception, otherwise 0. */
  exitCode(): number
  /** Requests a graceful shutdown. */
  request(): void
}

/**
 * Listens for requests to stop. The first signal requests a graceful shutdown, a second one, more than two seconds later,
 * an urgent one, and a third exits at once. A graceful shutdown that takes too long becomes urgent.
 *
 * An uncaught exception also requests a graceful shutdown: requests in flight are answered, and the process manager
 * restarts the process.
 */
export const watchForShutdown = (log: Logger, drainSeconds: number): Shutdown => {
  const requested = new AbortController()
  const urgent = new AbortController()
  aborted(requested.signal).then(() => setTimeout(() => urgent.abort(), drainSeconds * 1000 + CLOSING_MS).unref())
  let exitCode = 0
  onStopSignals(() => {
    if (!requested.signal.aborted) requested.abort()
    else if (!urgent.signal.aborted) urgent.abort()
    else process.exit(1)
  })

  // Includes unhandled rejections.
  process.on('uncaughtException', (error, origin) => {
    log.fatal({ err: error, origin }, 'Uncaught exception. Requests in flight are finished, then this process exits.')
    exitCode = 1
    requested.abort()
  })
  return {
    requested: requested.signal,
    urgent: urgent.signal,
    exitCode: () => exitCode,
    request: () => requested.abort(),
  }
}

/**
 * Calls `onGone` when npm, or the shell it started us through, has exited. That shell does not forward SIGTERM, so killing
 * `npx storefront-apps serve` would leave the server running.
 */
export const watchNpm = (onGone: () => void) => {
  if (!process.env.npm_execpath) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, PARENT_CHECK_MS).unref()
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
