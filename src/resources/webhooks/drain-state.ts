import type { EventFilter } from '../events/feed.ts'
import type { Dispatch } from './dispatch.ts'
import { Lanes } from './lanes.ts'
import type { LeasedWebhook } from './leases.ts'
import { Progress } from './progress.ts'
import type { QueuedEvent } from './queued-event.ts'
import { ReceiverHealth } from './receiver-health.ts'
import { ResultBuffer } from './result-buffer.ts'
import type { PauseReason } from './schema.ts'

/** Another process delivers for the webhook now. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** State shared by the parts of a drain: the webhook, its queues, and results that are not stored yet. */
export class DrainState {
  webhook: LeasedWebhook
  readonly lanes = new Lanes<QueuedEvent>()
  readonly progress = new Progress()
  readonly results = new ResultBuffer()
  readonly health: ReceiverHealth
  /** Of the store; part of the ids of its events. */
  feed = ''
  /** The last filter, with the webhook and permissions it was built from. */
  filter: { webhook: LeasedWebhook; permissions: ReadonlySet<string>; filter: EventFilter } | undefined
  /** When the lease was extended, by this process's clock. */
  renewedAt = performance.now()
  /** No more sends are started. */
  isEnding = false
  /** Why the webhook is to be paused. */
  pauseReason: PauseReason | undefined
  /** Too many events wait, so no new ones are read. */
  isFull = false
  /** With one lane: a waiting event blocks all others. */
  isHeldUp = false
  /** Resources with a failed event that is not stored yet. */
  readonly held = new Set<string>()
  /** Events read ahead were dropped, and are read again once no send is in flight. */
  mustRestart = false

  constructor({ options }: Dispatch, webhook: LeasedWebhook) {
    this.webhook = webhook
    this.health = new ReceiverHealth(options.retries, webhook)
  }

  /** One lane: all events are sent in order. */
  get isStrict() {
    return this.webhook.lanes === 1
  }

  /** Strict order, or an open circuit breaker: sends one event at a time, and reads no new ones while any wait. */
  get isOneByOne() {
    return this.isStrict || this.health.isBroken
  }
}
