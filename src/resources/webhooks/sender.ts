import { outsideTrace } from '../../core/tracing.ts'
import type { EventFilter } from '../events/feed.ts'
import { eventId } from '../events/feed-cursor.ts'
import type { EventKinds } from '../events/kinds.ts'
import type { StoredEvent } from '../events/read-events.ts'
import { type Payload, renderEvents } from '../events/render.ts'
import type { Dispatch } from './dispatch.ts'
import { type DrainState, LeaseLost } from './drain-state.ts'
import { type Outcome, TIMEOUT_MS } from './egress.ts'
import { LEASE_SECONDS } from './leases.ts'
import type { QueuedEvent } from './queued-event.ts'
import { RenderedBodies } from './rendered-bodies.ts'

export const USER_AGENT = 'Storefront-Apps-Webhooks/1'

/** What is sent must be answered or given up before another process may take the lease; clocks may differ a little. */
const SAFE_LEASE_MS = (LEASE_SECONDS - 5) * 1000 - TIMEOUT_MS

/** The events that the webhook wants and its app may see now; undefined if the app is disabled or uninstalled. */
export const readFilter = async (
  { accessCache, eventKinds }: Dispatch,
  state: DrainState,
): Promise<EventFilter | undefined> => {
  const { installation_id, app_id } = state.webhook
  const app = await accessCache.app(app_id)
  const installation = await accessCache.installation(installation_id)
  if (!app || app.disabled || !installation) return undefined
  return filterOf(eventKinds, state, installation.permissions)
}

/** Returns the cached filter until the webhook or the permissions are read again. */
const filterOf = (kinds: EventKinds, state: DrainState, permissions: ReadonlySet<string>): EventFilter => {
  const { webhook, filter: known } = state
  if (known?.webhook === webhook && known.permissions === permissions) return known.filter
  const { types, changed, ignore_self, app_id, installation_id } = webhook
  const filter = {
    ...kinds.visibleTypes(types, permissions),
    changed: changed ?? undefined,
    without_app: ignore_self ? app_id : undefined,
    installation: installation_id,
  }
  state.filter = { webhook, permissions, filter }
  return filter
}

/** Signs and sends single events. */
export class Sender {
  readonly #dispatch: Dispatch
  readonly #state: DrainState
  readonly #bodies = new RenderedBodies<QueuedEvent>((events, payload) => this.#render(events, payload))
  readonly #signal: AbortSignal

  constructor(dispatch: Dispatch, state: DrainState, signal: AbortSignal) {
    this.#dispatch = dispatch
    this.#state = state
    this.#signal = signal
  }

  /** `unwanted`: the app may no longer see the event. `later`: the drain is ending, so nothing was sent. */
  send(item: QueuedEvent): Promise<Outcome | 'unwanted' | 'later'> {
    const state = this.#state
    return this.#dispatch.slots(state.webhook, async () => {
      if (!(await this.#isWanted(item))) return 'unwanted'
      const body = await this.#bodies.of(item, () => state.webhook.payload, state.lanes.ready)
      if (state.isEnding) return 'later'
      if (performance.now() - state.renewedAt > SAFE_LEASE_MS) throw new LeaseLost()
      const { egress } = this.#dispatch
      return outsideTrace(() => egress.post(state.webhook.url, this.#headers(item, body), body, this.#signal))
    })
  }

  /** Checks permissions at the moment of sending. */
  async #isWanted({ event }: QueuedEvent): Promise<boolean> {
    const filter = await readFilter(this.#dispatch, this.#state)
    if (!filter) {
      this.#state.isEnding = true
      return true
    }
    return filter.kinds.includes(event.kind) || filter.types.includes(`${event.kind}.${event.action}`)
  }

  #headers({ event, replay }: QueuedEvent, body: Buffer): Record<string, string> {
    const { feed, webhook } = this.#state
    const { id, generation, signs_with_previous } = webhook
    const generations = signs_with_previous ? [generation, generation - 1] : [generation]
    return {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': USER_AGENT,
      ...this.#dispatch.secrets.sign(id, generations, eventId(feed, event.position), body),
      ...(replay && { 'webhook-replay': 'true' }),
      ...(event.trace && { traceparent: event.trace }),
    }
  }

  async #render(events: StoredEvent[], payload: Payload) {
    const { db, inTurn, readerOf } = this.#dispatch
    const { webhook, feed } = this.#state
    const reader = await readerOf(webhook)
    return inTurn(webhook, () => renderEvents(db, reader, webhook.store_id, feed, events, { payload }))
  }
}
