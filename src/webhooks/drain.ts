import { ApiError } from '../errors.ts'
import { type Cursor, eventId } from '../events/cursor.ts'
import { type EventFilter, feedId, readEvents, type StoredEvent } from '../events/feed.ts'
import { visibleTypes } from '../events/kinds.ts'
import { type Payload, renderEvents } from '../events/render.ts'
import { transact } from '../storage/database.ts'
import {
  countWaiting,
  dropDeliveries,
  findDue,
  findNoted,
  findOldest,
  noteWebhookEvent,
  type Result,
  setNextDue,
  stopWebhook,
  storeProgress,
  storeResults,
} from './deliveries.ts'
import type { Dispatch } from './dispatcher.ts'
import type { Outcome } from './egress.ts'
import { Lanes } from './lanes.ts'
import { LEASE_SECONDS, type LeasedWebhook, releaseLease, renewLease } from './leases.ts'
import { Progress } from './progress.ts'
import { RenderedBodies } from './rendered-bodies.ts'
import { nextAttempt } from './retries.ts'
import { MAX_WAITING, type PauseReason } from './schema.ts'

/** How many events are read ahead. */
const MAX_AHEAD = 100
const MAX_RESULTS = 100
const NOTE_EVERY_MS = 100
const RENEW_EVERY_MS = 5_000
/** While this process delivers for as many webhooks as it can, one gives way to another after this time. */
const TURN_MS = 10_000
/** Of the lease, as this process reckons: nothing is sent when it may have run out. */
const SAFE_LEASE_MS = (LEASE_SECONDS - 5) * 1000

interface Item {
  event: StoredEvent
  resource: string
  /** It is noted as waiting already. */
  isNoted: boolean
  attempts: number
  firstAt: number | undefined
  replay: boolean
}

const resourceOf = ({ kind, resource_id }: { kind: string; resource_id: string }) => `${kind} ${resource_id}`

/** Somebody else delivers for the webhook now. */
class LeaseLost extends Error {
  override name = 'LeaseLost'
}

const millis = (date: Date | null) => date?.getTime()

/**
 * Delivers the events of one webhook while this process holds its lease. Events of one resource are sent one after the
 * other; those of several resources in as many lanes as the webhook has. An event that does not go through waits in
 * `webhook_delivery`, and so do those of its resource behind it; everything else is known by the webhook's place in the
 * feed alone.
 */
export class Drain {
  readonly #dispatch: Dispatch
  #webhook: LeasedWebhook
  #feed = ''
  /** Up to where events have been read, and up to where everything is done or noted. */
  #read: Cursor = { feed: '', position: 0, n: 0 }
  readonly #progress = new Progress()
  readonly #lanes = new Lanes<Item>()
  readonly #bodies = new RenderedBodies<Item>((events, payload) => this.#render(events, payload))
  #results: Result[] = []
  #finished: StoredEvent[] = []
  #dropped: number[] = []
  #failures: number
  #failingSince: number | undefined
  #isWarned: boolean
  #stop: { reason: PauseReason } | undefined
  #isFull = false
  /** With one lane: something waits, and holds up everything. */
  #isHeldUp = false
  /** Resources of which an event has failed that is not noted yet. */
  readonly #held = new Set<string>()
  /** What was read ahead has been forgotten: it is read again once nothing is under way. */
  #mustRestart = false
  /** There was more to read than was read. */
  #hasMore = false
  #renewedAt = performance.now()
  #notedAt = performance.now()
  #workedAt = performance.now()
  readonly #startedAt = performance.now()
  #isEnding = false
  readonly #abort = new AbortController()
  #resume: (() => void) | undefined
  #isWoken = false
  #error: unknown

  constructor(dispatch: Dispatch, webhook: LeasedWebhook) {
    this.#dispatch = dispatch
    this.#webhook = webhook
    this.#failures = webhook.failures
    this.#failingSince = millis(webhook.failing_since)
    this.#isWarned = webhook.warned_at !== null
  }

  get store() {
    return this.#webhook.store_id
  }

  /** The store may have changed, or the webhook. */
  wake() {
    this.#isWoken = true
    this.#resume?.()
  }

  /** Starts nothing more. What is under way may end within `ms`. */
  end(ms: number) {
    this.#isEnding = true
    setTimeout(() => this.#abort.abort(), ms).unref()
    this.wake()
  }

  async run(): Promise<void> {
    const { db, log } = this.#dispatch
    try {
      this.#feed = await feedId(db, this.store)
      this.#restart()
      await this.#work()
      await this.#note()
      await releaseLease(db, this.#webhook)
    } catch (error) {
      this.#abort.abort()
      if (error instanceof LeaseLost) return
      log.warn({ err: error, webhook: this.#webhook.id }, 'webhook interrupted, will be continued')
      await releaseLease(db, this.#webhook).catch(() => {})
    }
  }

  async #work() {
    for (;;) {
      if (this.#error) throw this.#error
      this.#isWoken = false
      if (this.#stop || this.#isOver) this.#isEnding = true
      if (this.#isEnding && this.#lanes.inFlight === 0) return
      await this.#renew()
      if (this.#shouldNote()) await this.#note()
      if (!this.#isEnding) await this.#fill()
      this.#start()
      const isIdle = this.#lanes.inFlight === 0 && this.#lanes.ready.length === 0
      if (!isIdle) this.#workedAt = performance.now()
      else if (performance.now() - this.#workedAt >= this.#dispatch.options.idleMs) return
      await this.#pause(isIdle)
    }
  }

  /** Others want to be served too. */
  get #isOver() {
    return this.#dispatch.isCrowded() && performance.now() - this.#startedAt > TURN_MS
  }

  /** Until something happens: a result, a change of the store, or time to note or to renew. */
  #pause(isIdle: boolean) {
    if (this.#isWoken) return
    const { idleMs } = this.#dispatch.options
    const isPending = this.#results.length > 0 || this.#dropped.length > 0
    const wait = isPending ? NOTE_EVERY_MS : isIdle ? idleMs : 1_000
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

  /** All events in order, or nothing goes through: one at a time, and nothing new is read while something waits. */
  get #isOneByOne() {
    return this.#webhook.lanes === 1 || this.#isBroken
  }

  get #isBroken() {
    return this.#failures >= this.#dispatch.options.retries.breakerFailures
  }

  /** Forgets what was read and not sent: it is read again from where everything is done. */
  #restart() {
    const { position, n } = this.#webhook
    this.#read = { feed: this.#feed, position, n }
    this.#progress.clear()
    this.#lanes.clear()
    this.#mustRestart = false
    this.#hasMore = true
  }

  async #renew() {
    const { db } = this.#dispatch
    const now = performance.now()
    const extend = now - this.#renewedAt >= RENEW_EVERY_MS
    const current = await renewLease(db, this.#webhook, extend)
    if (!current) throw new LeaseLost()
    if (extend) {
      this.#renewedAt = now
      this.#isFull = (await countWaiting(db, this.#webhook, MAX_WAITING)) >= MAX_WAITING
    }
    if (current.state !== 'on') this.#isEnding = true
    // Whether all are in order or those of a resource decides what is held up by what: starts afresh.
    if ((current.lanes === 1) !== (this.#webhook.lanes === 1)) this.#isEnding = true
    const { position, n } = this.#webhook
    this.#webhook = { ...current, position, n }
    if (this.#isEnding) this.#lanes.holdReady()
    else if (current.key_mark !== this.#dispatch.secrets.mark) this.#stop = { reason: 'key_changed' }
  }

  /** Reads what is to be sent next. */
  async #fill() {
    if (this.#stop) return
    if (this.#mustRestart) {
      if (this.#lanes.inFlight > 0) return
      await this.#note()
      this.#restart()
    }
    if (this.#webhook.lanes === 1) return this.#fillInOrder()
    if (this.#isBroken) return this.#fillOne()
    if (this.#webhook.has_due && this.#lanes.ready.length < MAX_AHEAD) {
      const due = await findDue(this.#dispatch.db, this.#webhook, MAX_AHEAD)
      const settled = new Set([...this.#results.map(({ position }) => position), ...this.#dropped])
      for (const row of due) if (!settled.has(row.position)) this.#enqueueNoted(row)
    }
    await this.#readAhead()
  }

  /** Everything in order: what waits comes first, and holds up the rest. */
  async #fillInOrder() {
    if (this.#lanes.inFlight > 0 || this.#lanes.ready.length > 0) return
    if (this.#results.length > 0) await this.#note()
    const { due, any } = await findOldest(this.#dispatch.db, this.#webhook, MAX_AHEAD)
    this.#isHeldUp = any
    if (!any) return this.#readAhead()
    this.#restart()
    for (const row of due) this.#enqueueNoted(row)
  }

  /** One of those that wait, in turn, shows whether the receiver is back: the first may be one that it never takes. */
  async #fillOne() {
    if (this.#lanes.inFlight > 0 || this.#lanes.ready.length > 0) return
    if (this.#results.length > 0) await this.#note()
    const [row] = await findDue(this.#dispatch.db, this.#webhook, 1)
    if (row) return this.#enqueueNoted(row)
    if ((await countWaiting(this.#dispatch.db, this.#webhook, 1)) > 0) return
    this.#failures = 0
    await this.#readAhead()
  }

  #enqueueNoted(row: Awaited<ReturnType<typeof findDue>>[number]) {
    const resource = this.#laneOf(row)
    if (this.#lanes.has(resource) && this.#webhook.lanes !== 1) return
    const item = {
      event: row,
      resource,
      isNoted: true,
      attempts: row.attempts,
      firstAt: millis(row.first_at),
      replay: row.replay,
    }
    if (row.is_gone) this.#fail(item, { status: null, fault: 'expired', ms: 0 }, Date.now())
    else this.#lanes.add(item)
  }

  /** With one lane, everything is one resource. */
  #laneOf(event: StoredEvent) {
    return this.#webhook.lanes === 1 ? '' : resourceOf(event)
  }

  async #filter(): Promise<EventFilter | undefined> {
    const { accessCache } = this.#dispatch
    const { installation_id, app_id, types, changed, ignore_self } = this.#webhook
    const app = await accessCache.app(app_id)
    const installation = await accessCache.installation(installation_id)
    if (!app || app.disabled || !installation) return undefined
    return {
      ...visibleTypes(types, installation.permissions),
      changed: changed ?? undefined,
      without_app: ignore_self ? app_id : undefined,
      installation: installation_id,
    }
  }

  async #readAhead() {
    if (this.#isFull || this.#progress.open > MAX_AHEAD / 2) return
    const filter = await this.#filter()
    if (!filter) {
      this.#isEnding = true
      return
    }
    const { db, inTurn } = this.#dispatch
    let page: Awaited<ReturnType<typeof readEvents>>
    try {
      page = await inTurn(this.#webhook, () =>
        readEvents(db, this.store, this.#read, filter, MAX_AHEAD - this.#progress.open),
      )
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'cursor_expired') throw error
      this.#stop = { reason: 'expired' }
      return
    }
    const events = page.events.filter(({ kind, resource_id }) => kind !== 'webhook' || resource_id !== this.#webhook.id)
    await this.#takeIn(events)
    if (this.#mustRestart) return
    this.#hasMore = page.more
    if (page.next.position !== this.#read.position) {
      this.#progress.add({ ...page.next, isDone: true })
      this.#read = page.next
    }
    if (page.more) this.#isWoken = true
  }

  async #takeIn(events: StoredEvent[]) {
    if (events.length === 0) return
    const noted = await findNoted(this.#dispatch.db, this.#webhook, events)
    const known = new Set(noted.map(({ position }) => position))
    // Something failed while this was read.
    if (this.#mustRestart) return
    const waiting = new Set(noted.filter(({ state }) => state === 'waiting').map((row) => resourceOf(row)))
    for (const event of events) {
      const step = { position: event.position, n: event.n, isDone: known.has(event.position) }
      this.#progress.add(step)
      if (step.isDone) continue
      const isBehind = waiting.has(resourceOf(event)) || this.#held.has(resourceOf(event))
      if (isBehind && this.#webhook.lanes !== 1) this.#wait(event)
      else
        this.#lanes.add({
          event,
          resource: this.#laneOf(event),
          isNoted: false,
          attempts: 0,
          firstAt: undefined,
          replay: false,
        })
    }
  }

  /** An earlier event of the resource has not gone through: this one follows it. */
  #wait({ position, kind, action, resource_id }: StoredEvent) {
    const untried = { attempts: 0, first_at: null, due_at: null, done_at: null, status: null, error: null, ms: null }
    this.#record({ position, kind, action, resource_id, state: 'waiting', ...untried })
  }

  #record(result: Result) {
    this.#results.push(result)
    this.#progress.finish(result.position)
  }

  /** Starts sending, as far as there are lanes. */
  #start() {
    while (this.#lanes.inFlight < this.#webhook.lanes && !this.#isEnding && !this.#stop && !this.#error) {
      if (this.#isBroken && this.#lanes.inFlight > 0) return
      const item = this.#lanes.start()
      if (!item) return
      this.#attempt(item)
        .catch((error) => {
          if (!this.#abort.signal.aborted) this.#error ??= error
        })
        .finally(() => {
          this.#lanes.finish(item)
          this.#start()
          const mayRead = this.#hasMore && this.#progress.open <= MAX_AHEAD / 2
          if (this.#error || mayRead || this.#lanes.inFlight === 0 || this.#results.length >= MAX_RESULTS) this.wake()
        })
    }
  }

  async #attempt(item: Item) {
    const { slots, egress, secrets, count } = this.#dispatch
    const outcome = await slots(this.#webhook, async () => {
      if (!(await this.#mayBeSent(item))) return undefined
      const bytes = await this.#bodies.of(item, () => this.#webhook.payload, this.#lanes.ready)
      if (this.#isEnding) return 'later' as const
      if (performance.now() - this.#renewedAt > SAFE_LEASE_MS) throw new LeaseLost()
      const { id, url, generation, signs_with_previous } = this.#webhook
      const generations = signs_with_previous ? [generation, generation - 1] : [generation]
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'User-Agent': 'Storefront-Apps-Webhooks/1',
        ...secrets.sign(id, generations, eventId(this.#feed, item.event.position), bytes),
        ...(item.replay && { 'webhook-replay': 'true' }),
      }
      return egress.post(url, headers, bytes, this.#abort.signal)
    })
    if (outcome === 'later') return
    if (outcome === undefined) return this.#drop(item)
    count(outcome)
    this.#settle(item, outcome)
  }

  /** Permissions count at the moment of sending. */
  async #mayBeSent({ event }: Item): Promise<boolean> {
    const filter = await this.#filter()
    if (!filter) {
      this.#isEnding = true
      return true
    }
    return filter.kinds.includes(event.kind) || filter.types.includes(`${event.kind}.${event.action}`)
  }

  #drop(item: Item) {
    if (item.isNoted) {
      this.#dropped.push(item.event.position)
      this.#finished.push(item.event)
    }
    this.#progress.finish(item.event.position)
  }

  async #render(events: StoredEvent[], payload: Payload) {
    const { db, inTurn, readerOf } = this.#dispatch
    const reader = await readerOf(this.#webhook)
    return inTurn(this.#webhook, () => renderEvents(db, reader, this.store, this.#feed, events, payload))
  }

  #settle(item: Item, outcome: Outcome) {
    const now = Date.now()
    if (outcome.fault !== null) return this.#fail(item, outcome, now)
    this.#failures = 0
    this.#failingSince = undefined
    this.#isWarned = false
    this.#record({ ...this.#resultOf(item, outcome, now), state: 'delivered', due_at: null, done_at: now })
    this.#finished.push(item.event)
  }

  #resultOf(item: Item, { status, fault, ms }: Outcome, now: number) {
    const { position, kind, action, resource_id } = item.event
    const first_at = item.firstAt ?? now
    return { position, kind, action, resource_id, attempts: item.attempts + 1, first_at, status, error: fault, ms }
  }

  #fail(item: Item, outcome: Outcome, now: number) {
    const { retries } = this.#dispatch.options
    const result = this.#resultOf(item, outcome, now)
    const fail = () => {
      this.#record({ ...result, state: 'failed', due_at: null, done_at: now })
      this.#finished.push(item.event)
    }
    if (outcome.fault === 'expired') return fail()
    // An event that is refused again and again says nothing about others.
    if (item.attempts === 0) this.#failures++
    this.#failingSince ??= now
    const given = { attempts: result.attempts, firstAt: result.first_at, retryAfter: outcome.retryAfter }
    const next = nextAttempt(retries, given, now)
    const failingMs = now - this.#failingSince
    if (outcome.status === 410) this.#stop = { reason: 'gone' }
    else if (failingMs >= retries.giveUpMs) this.#stop = { reason: 'failing' }
    if (next === undefined && !this.#isOneByOne && !this.#stop) return fail()
    const last = retries.delaysMs.at(-1) ?? 0
    const probe = this.#isBroken ? now + retries.maxProbeMs : Number.POSITIVE_INFINITY
    this.#record({
      ...result,
      state: 'waiting',
      due_at: Math.round(Math.min(next ?? now + last, probe)),
      done_at: null,
    })
    this.#holdBack(item)
  }

  /** What follows a failed event waits behind it. */
  #holdBack(item: Item) {
    this.#held.add(resourceOf(item.event))
    this.#isHeldUp = true
    // Nothing that was not sent is noted: it is read again.
    if (this.#isOneByOne) {
      this.#mustRestart = true
      this.#lanes.clear()
      return
    }
    for (const { event, isNoted } of this.#lanes.takeBehind(item)) if (!isNoted) this.#wait(event)
  }

  #shouldNote() {
    const isPending = this.#results.length > 0 || this.#dropped.length > 0
    if (!isPending && this.#progress.hasReached) return performance.now() - this.#notedAt >= RENEW_EVERY_MS
    const isDue = this.#results.length >= MAX_RESULTS || performance.now() - this.#notedAt >= NOTE_EVERY_MS
    return isPending && isDue
  }

  /** Writes down what became of events, and how far the webhook has come. */
  async #note() {
    const { db, log, options, paused } = this.#dispatch
    const results = this.#results
    const finished = this.#finished
    const dropped = this.#dropped
    this.#results = []
    this.#finished = []
    this.#dropped = []
    this.#held.clear()
    const { position, n } = this.#progress.takeReached() ?? this.#webhook
    const webhook = this.#webhook
    const since = this.#failingSince
    const isLongFailing = since !== undefined && Date.now() - since >= options.retries.warnMs
    const warns = isLongFailing && !this.#isWarned && !this.#stop
    if (warns) this.#isWarned = true
    const stop = this.#stop
    const progress = {
      position,
      n,
      failures: this.#failures,
      failing_since: since ?? null,
      warned: this.#isWarned,
      stalled: this.#isBroken || this.#isFull || (webhook.lanes === 1 && this.#isHeldUp),
    }
    const isStopped = await transact(db, async (db) => {
      if (!(await storeProgress(db, webhook, progress))) throw new LeaseLost()
      if (results.length > 0) await storeResults(db, webhook, results)
      if (dropped.length > 0) await dropDeliveries(db, webhook, dropped)
      if (finished.length > 0) await setNextDue(db, webhook, finished)
      if (warns) await noteWebhookEvent(db, webhook, 'failing')
      return stop ? stopWebhook(db, webhook, stop.reason) : false
    })
    this.#webhook = { ...this.#webhook, position, n }
    this.#notedAt = performance.now()
    if (finished.length > 0) this.#isWoken = true
    // What failed is wanted no more: nothing is failing.
    if (dropped.length > 0 && (await countWaiting(db, webhook, 1)) === 0) {
      this.#failures = 0
      this.#failingSince = undefined
    }
    if (warns) log.warn({ webhook: webhook.id, store: webhook.store_id }, 'webhook has been failing for a day')
    if (!isStopped || !stop) return
    paused.add(webhook.installation_id, webhook.id)
    log.warn({ webhook: webhook.id, store: webhook.store_id, reason: stop.reason }, 'webhook paused')
  }
}
