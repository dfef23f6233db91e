import type { StoredEvent } from '../events/feed.ts'
import type { DrainState } from './drain-state.ts'
import type { Outcome } from './egress.ts'
import { type QueuedEvent, resourceOf } from './queued-event.ts'
import { nextAttempt, type RetryRules } from './retries.ts'

const UNTRIED = { attempts: 0, first_at: null, due_at: null, done_at: null, status: null, error: null, ms: null }

/** An earlier event of the resource has not gone through: this one waits behind it. */
export const waitBehind = ({ results, progress }: DrainState, event: StoredEvent) => {
  const { position, kind, action, resource_id } = event
  results.add({ position, kind, action, resource_id, state: 'waiting', ...UNTRIED })
  progress.finish(position)
}

/** An event that the app may not see any more. */
export const dropEvent = ({ results, progress }: DrainState, { event, isNoted }: QueuedEvent) => {
  if (isNoted) results.drop(event)
  progress.finish(event.position)
}

const resultOf = ({ event, firstAt, attempts }: QueuedEvent, { status, fault, ms }: Outcome, now: number) => {
  const { position, kind, action, resource_id } = event
  return {
    position,
    kind,
    action,
    resource_id,
    attempts: attempts + 1,
    first_at: firstAt ?? now,
    status,
    error: fault,
    ms,
  }
}

/** Nothing waits behind an event that is sent at once: only what waited itself can have followers that wait. */
const settleAs = (state: DrainState, item: QueuedEvent, outcome: Outcome, as: 'delivered' | 'failed', now: number) => {
  state.results.add({ ...resultOf(item, outcome, now), state: as, due_at: null, done_at: now })
  state.progress.finish(item.event.position)
  if (item.isNoted) state.results.finish(item.event)
}

/** What becomes of an event after an attempt. */
export const settle = (state: DrainState, rules: RetryRules, item: QueuedEvent, outcome: Outcome, now = Date.now()) => {
  if (outcome.fault === null) {
    state.health.succeed()
    return settleAs(state, item, outcome, 'delivered', now)
  }
  if (outcome.fault === 'expired') return settleAs(state, item, outcome, 'failed', now)
  state.health.fail(now, item.attempts === 0)
  if (outcome.status === 410) state.pauseReason = 'gone'
  else if (state.health.hasGivenUp(now)) state.pauseReason = 'failing'
  const result = resultOf(item, outcome, now)
  const tried = { attempts: result.attempts, firstAt: result.first_at, retryAfter: outcome.retryAfter }
  const next = nextAttempt(rules, tried, now)
  if (next === undefined && !state.isOneByOne && !state.pauseReason)
    return settleAs(state, item, outcome, 'failed', now)
  const probe = state.health.isBroken ? now + rules.maxProbeMs : Number.POSITIVE_INFINITY
  const due_at = Math.round(Math.min(next ?? now + (rules.delaysMs.at(-1) ?? 0), probe))
  state.results.add({ ...result, state: 'waiting', due_at, done_at: null })
  state.progress.finish(item.event.position)
  holdBack(state, item)
}

/** What follows a failed event waits behind it. */
const holdBack = (state: DrainState, item: QueuedEvent) => {
  state.held.add(resourceOf(item.event))
  state.isHeldUp = true
  // Nothing that was not sent is noted: it is read again.
  if (state.isOneByOne) {
    state.mustRestart = true
    state.lanes.clear()
    return
  }
  for (const { event, isNoted } of state.lanes.takeBehind(item)) if (!isNoted) waitBehind(state, event)
}
