import { noteWorkChange } from '../../core/jobs/store-work.ts'
import type { Tx } from '../../core/storage/database.ts'
import { lockWebhook, type Owner } from './lock-webhook.ts'

export const deleteWebhook = async (db: Tx, owner: Owner, id: string) => {
  await lockWebhook(db, owner, id)
  await noteWorkChange(db, 'paused', owner.store)
  await db.deleteFrom('webhook').where('store_id', '=', owner.store).where('id', '=', id).execute()
}
