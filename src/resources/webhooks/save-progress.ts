import { transact } from '../../core/storage/database.ts'
import {
  countWaiting,
  dropDeliveries,
  recordWebhookEvent,
  setNextDue,
  stopWebhook,
  storeProgress,
} from './deliveries.ts'
import type { Dispatch } from './dispatch.ts'
import { type DrainState, LeaseLost } from './drain-state.ts'

/**
 * Stores results and the webhook's new position, in one statement unless an event has failed or waited. Returns whether
 * events that waited for others may be due now.
 */
export const saveProgress = async (dispatch: Dispatch, state: DrainState): Promise<boolean> => {
  const { db, log } = dispatch
  const { webhook, health, pauseReason } = state
  const { results, dropped, finished } = state.results.take()
  state.held.clear()
  const { position, n } = state.progress.takeReached() ?? webhook
  const warns = !pauseReason && health.takeWarning(Date.now())
  const stalled = health.isBroken || state.isFull || (state.isStrict && state.isHeldUp)
  const progress = { position, n, ...health.columns, stalled }
  const isPlain = dropped.length === 0 && finished.length === 0 && !warns && !pauseReason
  if (isPlain) {
    if (!(await storeProgress(db, webhook, progress, results))) throw new LeaseLost()
  } else {
    const isPaused = await transact(db, async (db) => {
      if (!(await storeProgress(db, webhook, progress, results))) throw new LeaseLost()
      if (dropped.length > 0) await dropDeliveries(db, webhook, dropped)
      if (finished.length > 0) await setNextDue(db, webhook, finished)
      if (warns) await recordWebhookEvent(db, webhook, 'failing')
      return pauseReason ? stopWebhook(db, webhook, pauseReason) : false
    })
    if (warns) log.warn({ webhook: webhook.id, store: webhook.store_id }, 'webhook has been failing for a day')
    if (isPaused) tellPaused(dispatch, state)
  }
  state.webhook = { ...state.webhook, position, n }
  // The failed events are no longer wanted, so the webhook is not failing.
  if (dropped.length > 0 && (await countWaiting(db, webhook, 1)) === 0) health.succeed()
  return finished.length > 0
}

const tellPaused = ({ log, paused }: Dispatch, { webhook, pauseReason }: DrainState) => {
  paused.add(webhook.installation_id, webhook.id)
  log.warn({ webhook: webhook.id, store: webhook.store_id, reason: pauseReason }, 'webhook paused')
}
