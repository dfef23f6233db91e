import type { StoredEvent } from '../events/read-events.ts'
import type { DrainState } from './drain-state.ts'
import type { Outcome } from './egress.ts'
import { type QueuedEvent, resourceOf } from './queued-event.ts'
import { nextAttempt, type RetryRules } from './retries.ts'

const UNTRIED = { attempts: 0, first_at: null, due_at: null, done_at: null, status: null, error: null, ms: null }

/** Makes an event wait because an earlier one of its resource has failed. */
export const waitBehind = ({ results, progress }: DrainState, event: StoredEvent) => {
  const { position, kind, action, resource_id } = event
  results.add({ position, kind, action, resource_id, state: 'waiting', ...UNTRIED })
  progress.finish(position)
}

/** Drops an event that the app may no longer see. */
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

/** Only an event that has waited can have others waiting behind it. */
const settleAs = (state: DrainState, item: QueuedEvent, outcome: Outcome, as: 'delivered' | 'failed', now: number) => {
  state.results.add({ ...resultOf(item, outcome, now), state: as, due_at: null, done_at: now })
  state.progress.finish(item.event.position)
  if (item.isNoted) state.results.finish(item.event)
}

/** Records the result of an attempt: delivered, failed, or to be retried. */
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

/** Makes later events of the resource wait behind a failed one. */
const holdBack = (state: DrainState, item: QueuedEvent) => {
  state.held.add(resourceOf(item.event))
  state.isHeldUp = true
  // Events that were not sent are not stored; they are read again.
  if (state.isOneByOne) {
    state.mustRestart = true
    state.lanes.clear()
    return
  }
  for (const { event, isNoted } of state.lanes.takeBehind(item)) if (!isNoted) waitBehind(state, event)
}
