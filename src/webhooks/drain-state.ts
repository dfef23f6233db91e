import type { EventFilter } from '../events/feed.ts'
import type { Dispatch } from './dispatcher.ts'
import { Lanes } from './lanes.ts'
import type { LeasedWebhook } from './leases.ts'
import { Progress } from './progress.ts'
import type { QueuedEvent } from './queued-event.ts'
import { ReceiverHealth } from './receiver-health.ts'
import { ResultBuffer } from './result-buffer.ts'
import type { PauseReason } from './schema.ts'

/** Somebody else delivers for the webhook now. */
export class LeaseLost extends Error {
  override name = 'LeaseLost'
}

/** What the parts of a drain share: the webhook, what is to be sent, and what became of it. */
export class DrainState {
  webhook: LeasedWebhook
  readonly lanes = new Lanes<QueuedEvent>()
  readonly progress = new Progress()
  readonly results = new ResultBuffer()
  readonly health: ReceiverHealth
  /** Of the store; part of the ids of its events. */
  feed = ''
  /** As last made, and of what. */
  filter: { webhook: LeasedWebhook; permissions: ReadonlySet<string>; filter: EventFilter } | undefined
  /** When the lease was extended, by this process's clock. */
  renewedAt = performance.now()
  /** Nothing more is started. */
  isEnding = false
  /** Why the webhook is to be paused. */
  pauseReason: PauseReason | undefined
  /** So much waits that nothing new is read. */
  isFull = false
  /** With one lane: something waits, and holds up everything. */
  isHeldUp = false
  /** Resources of which an event has failed that is not noted yet. */
  readonly held = new Set<string>()
  /** What was read ahead has been dropped: it is read again once nothing is under way. */
  mustRestart = false

  constructor({ options }: Dispatch, webhook: LeasedWebhook) {
    this.webhook = webhook
    this.health = new ReceiverHealth(options.retries, webhook)
  }

  /** One lane: all events are sent in order. */
  get isStrict() {
    return this.webhook.lanes === 1
  }

  /** All in order, or nothing goes through: one at a time, and nothing new is read while something waits. */
  get isOneByOne() {
    return this.isStrict || this.health.isBroken
  }
}
