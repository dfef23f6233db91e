import type { Statement } from '../../core/storage/statement.ts'
import { ApiError } from '../../errors.ts'
import type { EventFilter } from '../events/feed.ts'
import type { Cursor } from '../events/feed-cursor.ts'
import { type EventPage, readEvents, type StoredEvent } from '../events/read-events.ts'
import { countWaiting, findDue, findOldest, type Noted, notedColumns, type WaitingDelivery } from './deliveries.ts'
import type { Dispatch } from './dispatch.ts'
import type { DrainState } from './drain-state.ts'
import { newEvent, resourceOf, waitingEvent } from './queued-event.ts'
import { saveProgress } from './save-progress.ts'
import { readFilter } from './sender.ts'
import { settle, waitBehind } from './settle.ts'

/** How many events are read ahead. */
const MAX_AHEAD = 100

/** Fills the lanes: with events that waited and are due, then with those that follow in the feed. */
export class ReadAhead {
  readonly #dispatch: Dispatch
  readonly #state: DrainState
  /** Up to where events have been read. */
  #cursor: Cursor = { feed: '', position: 0, n: 0 }
  #hasMore = true
  /** The store has changed since the last page. */
  #isChanged = true

  constructor(dispatch: Dispatch, state: DrainState) {
    this.#dispatch = dispatch
    this.#state = state
  }

  /** Drops events that were read and not sent. They are read again, from the position up to which all are done. */
  restart() {
    const { webhook, feed, progress, lanes } = this.#state
    this.#cursor = { feed, position: webhook.position, n: webhook.n }
    progress.clear()
    lanes.clear()
    this.#state.mustRestart = false
    this.#hasMore = true
  }

  /** There are events to read, and room for them. */
  get isBehind() {
    return this.#hasMore && this.#hasRoom
  }

  get #hasRoom() {
    return !this.#state.isFull && this.#state.progress.open <= MAX_AHEAD / 2
  }

  /** The store has changed: there may be more than the last page said. */
  expectMore() {
    this.#hasMore = true
    this.#isChanged = true
  }

  /** Returns whether the position in the feed has advanced, even if only past events that are filtered out. */
  async fill(): Promise<boolean> {
    const state = this.#state
    if (state.mustRestart) {
      if (state.lanes.inFlight > 0) return false
      await saveProgress(this.#dispatch, state)
      this.restart()
    }
    if (state.isStrict) return this.#fillInOrder()
    if (state.health.isBroken) return this.#fillOne()
    if (state.webhook.has_due && state.lanes.ready.length < MAX_AHEAD) await this.#addDue()
    return this.#readFeed()
  }

  async #addDue() {
    const { results, webhook } = this.#state
    const due = await findDue(this.#dispatch.db, webhook, MAX_AHEAD)
    const settled = results.positions()
    for (const row of due) if (!settled.has(row.position)) this.#enqueueWaiting(row)
  }

  /** Strict order: waiting events come first, and block all others. */
  async #fillInOrder() {
    const state = this.#state
    if (!(await this.#isIdle())) return false
    const { due, any } = await findOldest(this.#dispatch.db, state.webhook, MAX_AHEAD)
    state.isHeldUp = any
    if (!any) return this.#readFeed()
    this.restart()
    for (const row of due) this.#enqueueWaiting(row)
    return false
  }

  /** Tries waiting events in turn to see whether the receiver is back: it may never accept the first one. */
  async #fillOne() {
    const { db } = this.#dispatch
    const { webhook, health } = this.#state
    if (!(await this.#isIdle())) return false
    const [row] = await findDue(db, webhook, 1)
    if (row) this.#enqueueWaiting(row)
    if (row || (await countWaiting(db, webhook, 1)) > 0) return false
    health.closeBreaker()
    return this.#readFeed()
  }

  /** Nothing is being sent or ready to be sent, and all results are stored. */
  async #isIdle() {
    const { lanes, results } = this.#state
    if (lanes.inFlight > 0 || lanes.ready.length > 0) return false
    if (results.length > 0) await saveProgress(this.#dispatch, this.#state)
    return true
  }

  #enqueueWaiting(row: WaitingDelivery) {
    const state = this.#state
    const resource = this.#laneOf(row)
    if (state.lanes.has(resource) && !state.isStrict) return
    const item = waitingEvent(row, resource)
    if (row.is_gone) settle(state, this.#dispatch.options.retries, item, { status: null, fault: 'expired', ms: 0 })
    else state.lanes.add(item)
  }

  /** With one lane, all events share a queue. */
  #laneOf(event: StoredEvent) {
    return this.#state.isStrict ? '' : resourceOf(event)
  }

  async #readFeed(): Promise<boolean> {
    const state = this.#state
    if (!this.isBehind) return false
    const filter = await readFilter(this.#dispatch, state)
    if (!filter) {
      state.isEnding = true
      return false
    }
    this.#hasMore = false
    const page = await this.#readPage(filter)
    if (!page) return false
    const isOwn = ({ kind, resource_id }: StoredEvent) => kind === 'webhook' && resource_id === state.webhook.id
    // Something failed while this was read.
    if (state.mustRestart) return false
    this.#takeIn(
      page.events.filter((event) => !isOwn(event)),
      page.row as unknown as Noted,
    )
    this.#hasMore ||= page.more
    if (page.next.position === this.#cursor.position) return false
    state.progress.add({ ...page.next, isDone: true })
    this.#cursor = page.next
    return true
  }

  /** Pauses the webhook if the events behind its place are no longer kept. */
  async #readPage(filter: EventFilter): Promise<EventPage | undefined> {
    const { db, inTurn } = this.#dispatch
    const { webhook, progress } = this.#state
    const limit = MAX_AHEAD - progress.open
    const options = {
      isChanged: this.#isChanged,
      columns: (statement: Statement) => notedColumns(statement, webhook),
    }
    this.#isChanged = false
    try {
      return await inTurn(webhook, () => readEvents(db, webhook.store_id, this.#cursor, filter, limit, options))
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cursor_expired') throw error
      this.#state.pauseReason = 'expired'
      return undefined
    }
  }

  #takeIn(events: StoredEvent[], { noted, waiting }: Noted) {
    const state = this.#state
    const known = new Set(noted)
    const held = new Set(waiting)
    for (const event of events) {
      const step = { position: event.position, n: event.n, isDone: known.has(event.position) }
      state.progress.add(step)
      if (step.isDone) continue
      const resource = resourceOf(event)
      const isHeld = held.has(resource) || state.held.has(resource)
      if (isHeld && !state.isStrict) waitBehind(state, event)
      else state.lanes.add(newEvent(event, this.#laneOf(event)))
    }
  }
}
