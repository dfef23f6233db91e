import { setMaxListeners } from 'node:events'
import { feedId } from '../events/feed.ts'
import { countWaiting } from './deliveries.ts'
import type { Dispatch } from './dispatch.ts'
import { DrainState, LeaseLost } from './drain-state.ts'
import { type LeasedWebhook, releaseLease, renewLease } from './leases.ts'
import type { QueuedEvent } from './queued-event.ts'
import { ReadAhead } from './read-ahead.ts'
import { saveProgress } from './save-progress.ts'
import { MAX_WAITING } from './schema.ts'
import { Sender } from './sender.ts'
import { dropEvent, settle } from './settle.ts'

const MAX_RESULTS = 100
const SAVE_EVERY_MS = 100
const RENEW_EVERY_MS = 5_000
/** When this process holds its maximum number of webhooks, each gives way to another after this time. */
const TURN_MS = 10_000

/**
 * Delivers the events of one webhook while this process holds its lease. Events of one resource are sent one after the
 * other; those of different resources concurrently, in as many lanes as the webhook has. A failed event waits in
 * `webhook_delivery`, and so do later events of its resource. For everything else, the webhook's position in the feed
 * is enough.
 */
export class Drain {
  readonly #dispatch: Dispatch
  readonly #state: DrainState
  readonly #abort = new AbortController()
  readonly #sender: Sender
  readonly #readAhead: ReadAhead
  readonly #startedAt = performance.now()
  #savedAt = performance.now()
  #workedAt = performance.now()
  #isWoken = false
  #resume: (() => void) | undefined
  #error: unknown

  constructor(dispatch: Dispatch, webhook: LeasedWebhook) {
    this.#dispatch = dispatch
    this.#state = new DrainState(dispatch, webhook)
    // Every request in flight adds a listener.
    setMaxListeners(0, this.#abort.signal)
    this.#sender = new Sender(dispatch, this.#state, this.#abort.signal)
    this.#readAhead = new ReadAhead(dispatch, this.#state)
  }

  get store() {
    return this.#state.webhook.store_id
  }

  /** Call when the store or the webhook may have changed. */
  wake() {
    this.#readAhead.expectMore()
    this.#continue()
  }

  /** Starts no more sends. Those in flight have `ms` to finish. */
  end(ms: number) {
    this.#state.isEnding = true
    setTimeout(() => this.#abort.abort(), ms).unref()
    this.#continue()
  }

  async run(): Promise<void> {
    const { db, log } = this.#dispatch
    const state = this.#state
    try {
      state.feed = await feedId(db, this.store)
      await this.#checkWaiting()
      this.#readAhead.restart()
      await this.#work()
      await this.#save()
      await releaseLease(db, state.webhook)
    } catch (error) {
      this.#abort.abort()
      if (error instanceof LeaseLost) return
      log.warn({ err: error, webhook: state.webhook.id }, 'webhook interrupted, will be continued')
      await releaseLease(db, state.webhook).catch(() => {})
    }
  }

  async #work() {
    const state = this.#state
    for (;;) {
      if (this.#error) throw this.#error
      this.#isWoken = false
      if (state.pauseReason || this.#isTurnOver) state.isEnding = true
      if (state.isEnding && state.lanes.inFlight === 0) return
      await this.#renew()
      if (this.#shouldSave()) await this.#save()
      const hasRead = !state.isEnding && !state.pauseReason && (await this.#readAhead.fill())
      if (hasRead && this.#readAhead.isBehind) this.#isWoken = true
      this.#start()
      const isIdle = state.lanes.inFlight === 0 && state.lanes.ready.length === 0
      if (!isIdle || hasRead) this.#workedAt = performance.now()
      else if (performance.now() - this.#workedAt >= this.#dispatch.options.idleMs) return
      await this.#pause(isIdle)
    }
  }

  /** Whether other webhooks wait for this one's place. */
  get #isTurnOver() {
    return this.#dispatch.isCrowded() && performance.now() - this.#startedAt > TURN_MS
  }

  #continue() {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Waits for a result, a change of the store, or the time to save or to renew the lease. */
  #pause(isIdle: boolean) {
    if (this.#isWoken) return
    const wait = this.#state.results.length > 0 ? SAVE_EVERY_MS : isIdle ? this.#dispatch.options.idleMs : 1_000
    return new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#resume = undefined
        resolve()
      }
      const timer = setTimeout(done, wait)
      this.#resume = done
    })
  }

  /** Extends the lease every few seconds. Always reads the webhook, which may have been changed or paused. */
  async #renew() {
    const { db, secrets } = this.#dispatch
    const state = this.#state
    const now = performance.now()
    const extend = now - state.renewedAt >= RENEW_EVERY_MS
    const current = await renewLease(db, state.webhook, extend)
    if (!current) throw new LeaseLost()
    if (extend) {
      state.renewedAt = now
      await this.#checkWaiting()
    }
    // Switching between one lane and several changes which events block which, so a new drain must start.
    const isOther = (current.lanes === 1) !== state.isStrict
    if (current.state !== 'on' || isOther) state.isEnding = true
    const { position, n } = state.webhook
    state.webhook = { ...current, position, n }
    if (state.isEnding) state.lanes.holdReady()
    else if (current.key_mark !== secrets.mark) state.pauseReason = 'key_changed'
  }

  async #checkWaiting() {
    const { webhook } = this.#state
    this.#state.isFull = (await countWaiting(this.#dispatch.db, webhook, MAX_WAITING)) >= MAX_WAITING
  }

  /** Starts sending until all lanes are busy. */
  #start() {
    const state = this.#state
    while (state.lanes.inFlight < state.webhook.lanes && !state.isEnding && !state.pauseReason && !this.#error) {
      if (state.health.isBroken && state.lanes.inFlight > 0) return
      const item = state.lanes.start()
      if (!item) return
      this.#attempt(item)
        .catch((error) => {
          if (!this.#abort.signal.aborted) this.#error ??= error
        })
        .finally(() => this.#finish(item))
    }
  }

  async #attempt(item: QueuedEvent) {
    const outcome = await this.#sender.send(item)
    if (outcome === 'later') return
    if (outcome === 'unwanted') return dropEvent(this.#state, item)
    this.#dispatch.count(outcome)
    settle(this.#state, this.#dispatch.options.retries, item, outcome)
  }

  #finish(item: QueuedEvent) {
    const { lanes, results } = this.#state
    lanes.finish(item)
    this.#start()
    if (this.#error || this.#readAhead.isBehind || lanes.inFlight === 0 || results.length >= MAX_RESULTS)
      this.#continue()
  }

  #shouldSave() {
    const { results, progress } = this.#state
    const sinceSaved = performance.now() - this.#savedAt
    if (results.length > 0) return results.length >= MAX_RESULTS || sinceSaved >= SAVE_EVERY_MS
    return progress.hasReached && sinceSaved >= RENEW_EVERY_MS
  }

  async #save() {
    const hasDue = await saveProgress(this.#dispatch, this.#state)
    this.#savedAt = performance.now()
    if (hasDue) this.#isWoken = true
  }
}
