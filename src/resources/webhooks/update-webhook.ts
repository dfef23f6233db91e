import type { Tx } from '../../core/storage/database.ts'
import { lockWebhook, type Owner } from './lock-webhook.ts'
import { updateWebhookRow } from './queries.ts'
import { checkUrl, type Rules } from './rules.ts'
import type { WebhookChanges } from './schema.ts'

export const updateWebhook = async (db: Tx, owner: Owner, rules: Rules, id: string, changes: WebhookChanges) => {
  await lockWebhook(db, owner, id)
  if (changes.url !== undefined) checkUrl(changes.url, rules)
  if (changes.types) rules.eventKinds.checkTypes(changes.types, owner.permissions)
  const { url } = changes
  await updateWebhookRow(db, owner.store, id)
    .set({ ...changes, ...(url !== undefined && { url: new URL(url).href }) })
    .execute()
}
