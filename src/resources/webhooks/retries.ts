const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** When and how often a delivery is tried again. Tests use shorter times. */
export interface RetryRules {
  delaysMs: readonly number[]
  /** Jitter as a fraction of the delay, so that retries do not arrive all at once. */
  jitter: number
  /** Time after the first attempt at which a delivery has failed, or the webhook is paused if every attempt failed. */
  giveUpMs: number
  /** After every attempt has failed for this long, the app is notified. */
  warnMs: number
  /** Maximum delay between attempts while the circuit breaker is open. */
  maxProbeMs: number
  minRetryAfterMs: number
  /** Events in a row that fail at their first attempt before the circuit breaker opens. */
  breakerFailures: number
}

export const RETRY_RULES: RetryRules = {
  delaysMs: [
    ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
    ...[1, 2, 4, 8, 12, 12, 12, 12, 12].map((hours) => hours * HOUR),
  ],
  jitter: 0.2,
  giveUpMs: 72 * HOUR,
  warnMs: 24 * HOUR,
  maxProbeMs: 30 * MINUTE,
  minRetryAfterMs: 10 * SECOND,
  breakerFailures: 5,
}

/** When a delivery that has failed `attempts` times is tried next; undefined: never, its time is up. */
export const nextAttempt = (
  rules: RetryRules,
  { attempts, firstAt, retryAfter }: { attempts: number; firstAt: number; retryAfter?: number | undefined },
  now: number,
  random = Math.random,
): number | undefined => {
  const end = firstAt + rules.giveUpMs
  if (now >= end) return undefined
  const delay = rules.delaysMs[Math.min(attempts, rules.delaysMs.length) - 1] ?? 0
  const wait =
    retryAfter === undefined
      ? delay * (1 - rules.jitter + 2 * rules.jitter * random())
      : Math.max(rules.minRetryAfterMs, retryAfter * SECOND)
  // The last attempt is made when the time is up, not earlier.
  return Math.min(now + wait, end)
}
