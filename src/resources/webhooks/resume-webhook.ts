import { sql } from 'kysely'
import { noteWork, noteWorkChange } from '../../core/jobs/store-work.ts'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { feedId, requireCursor } from '../events/feed.ts'
import type { Cursor } from '../events/feed-cursor.ts'
import { updateWebhookRow } from './queries.ts'
import { startPosition } from './start-position.ts'

/** Revokes the lease, so that a process that still delivers from the old position cannot store results. */
const moveTo = async (db: Tx, store: StoreId, id: string, { position, n }: Cursor) =>
  updateWebhookRow(db, store, id).set({ position, n, lease: null, leased_until: null }).execute()

const waitingDeliveries = (db: Tx, store: StoreId, webhook: string) =>
  db
    .updateTable('webhook_delivery')
    .where('store_id', '=', store)
    .where('webhook_id', '=', webhook)
    .where('state', '=', 'waiting')

const resumeFrom = async (db: Tx, store: StoreId, id: string, from: string) => {
  const place = await startPosition(db, store, from, 'from')
  await moveTo(db, store, id, place)
  if (from === 'now')
    await waitingDeliveries(db, store, id)
      .set({ state: 'failed', error: 'skipped', done_at: sql`now()`, due_at: null })
      .execute()
  // Events after the new position are read and delivered again.
  else
    await db
      .deleteFrom('webhook_delivery')
      .where('store_id', '=', store)
      .where('webhook_id', '=', id)
      .where('position', '>', place.position)
      .execute()
}

export const resumeWebhook = async (
  db: Tx,
  store: StoreId,
  mark: string,
  webhook: { id: string; position: number; n: number; key_mark: string },
  from: string,
) => {
  const { id, position, n } = webhook
  if (webhook.key_mark !== mark)
    throw invalid({ secret: ['must be rotated first: the key of the service has changed since it was made'] })
  if (from === 'stopped') await requireCursor(db, store, { feed: await feedId(db, store), position, n })
  else await resumeFrom(db, store, id, from)
  await updateWebhookRow(db, store, id)
    .set({
      state: 'on',
      reason: null,
      paused_at: null,
      failures: 0,
      failing_since: null,
      warned_at: null,
      stalled: false,
      due_at: sql`now()`,
    })
    .execute()
  await noteWork(db, 'webhooks', [store])
  await noteWorkChange(db, 'paused', store)
  // Waiting deliveries get their full retry time again.
  const now = new Date()
  await waitingDeliveries(db, store, id)
    .set({ first_at: null, due_at: sql`case when due_at is not null then ${now}::timestamptz end` })
    .execute()
}
