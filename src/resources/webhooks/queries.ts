import { sql } from 'kysely'
import { noteWorkChange } from '../../core/jobs/store-work.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Owner } from './lock-webhook.ts'
import type { PauseReason } from './schema.ts'
import type {} from './tables.ts'

const ownWebhooks = (db: Db, { store, installation }: Owner) =>
  db.selectFrom('webhook').where('store_id', '=', store).where('installation_id', '=', installation)

export const findWebhook = (db: Db, owner: Owner, id: string) =>
  ownWebhooks(db, owner).select(['id', 'url', 'generation', 'key_mark']).where('id', '=', id).executeTakeFirst()

export const listWebhookIds = async (db: Db, owner: Owner) => {
  const rows = await ownWebhooks(db, owner).select('id').orderBy('created_at').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Sets the time of the change; the caller adds what changes. */
export const updateWebhookRow = (db: Tx, store: StoreId, id: string) =>
  db.updateTable('webhook').where('store_id', '=', store).where('id', '=', id).set({ updated_at: sql`now()` })

/** The delivering process sees the pause before it sends the next events. */
export const pauseWebhook = async (db: Tx, store: StoreId, id: string, reason: PauseReason) => {
  await updateWebhookRow(db, store, id)
    .set({ state: 'paused', reason, paused_at: sql`now()` })
    .where('state', '=', 'on')
    .execute()
  await noteWorkChange(db, 'paused', store)
}
