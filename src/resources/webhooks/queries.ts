import { sql } from 'kysely'
import type { Db, Tx } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Owner } from './lock-webhook.ts'
import type { PauseReason } from './schema.ts'
import type {} from './tables.ts'

interface OwnWebhook {
  id: string
  url: string
  generation: number
  key_mark: string
}

export const findWebhook = async (db: Db, { store, installation }: Owner, id: string) => {
  const [webhook] = await runSql<OwnWebhook>(
    db,
    sqlText`select id, url, generation, key_mark from webhook where store_id = $1 and id = $2 and installation_id = $3`,
    [store, id, installation],
  )
  return webhook
}

export const listWebhookIds = async (db: Db, { store, installation }: Owner) => {
  const rows = await runSql<{ id: string }>(
    db,
    sqlText`select id from webhook where store_id = $1 and installation_id = $2 order by created_at, id`,
    [store, installation],
  )
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
}
