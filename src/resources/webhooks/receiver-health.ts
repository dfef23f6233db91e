import type { LeasedWebhook } from './leases.ts'
import type { RetryRules } from './retries.ts'

/** The state of a receiver: its circuit breaker, and since when every attempt has failed. */
export class ReceiverHealth {
  readonly #rules: RetryRules
  #failures: number
  #failingSince: number | undefined
  #isWarned: boolean

  constructor(rules: RetryRules, { failures, failing_since, warned_at }: LeasedWebhook) {
    this.#rules = rules
    this.#failures = failures
    this.#failingSince = failing_since?.getTime()
    this.#isWarned = warned_at !== null
  }

  /** The circuit breaker is open: one event at a time is tried, and no new ones are read. */
  get isBroken() {
    return this.#failures >= this.#rules.breakerFailures
  }

  succeed() {
    this.#failures = 0
    this.#failingSince = undefined
    this.#isWarned = false
  }

  /** Retries do not count towards the breaker: one event that is always refused says nothing about others. */
  fail(now: number, isFirstAttempt: boolean) {
    if (isFirstAttempt) this.#failures++
    this.#failingSince ??= now
  }

  closeBreaker() {
    this.#failures = 0
  }

  hasGivenUp(now: number) {
    return this.#hasFailedFor(this.#rules.giveUpMs, now)
  }

  /** Whether the app is to be told now; once only. */
  takeWarning(now: number) {
    const warns = !this.#isWarned && this.#hasFailedFor(this.#rules.warnMs, now)
    if (warns) this.#isWarned = true
    return warns
  }

  #hasFailedFor(ms: number, now: number) {
    return this.#failingSince !== undefined && now - this.#failingSince >= ms
  }

  get columns() {
    return { failures: this.#failures, failing_since: this.#failingSince ?? null, warned: this.#isWarned }
  }
}
