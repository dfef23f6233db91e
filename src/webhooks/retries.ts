const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** When and how often a delivery is tried again. Tests use shorter times. */
export interface RetryRules {
  delaysMs: readonly number[]
  /** Part of a delay by which it may be shorter or longer, so that receivers are not hit by all at once. */
  jitter: number
  /** After the first attempt: then a delivery has failed, or the webhook is paused if nothing at all went through. */
  giveUpMs: number
  /** Nothing went through for so long: the app is told. */
  warnMs: number
  /** While nothing goes through, how long to wait at most until it is tried again. */
  maxProbeMs: number
  minRetryAfterMs: number
  /** Events in a row that fail at their first attempt, after which one delivery is tried at a time and nothing is read. */
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
  // The last attempt comes when the time is up, not before.
  return Math.min(now + wait, end)
}
