import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import { lockWebhook, type Owner } from './lock-webhook.ts'
import { updateWebhookRow } from './queries.ts'
import type { Rules } from './rules.ts'

export const rotateWebhookSecret = async (
  db: Tx,
  owner: Owner,
  { secrets }: Pick<Rules, 'secrets'>,
  id: string,
  overlap: number,
) => {
  const { generation, key_mark } = await lockWebhook(db, owner, id)
  // A secret derived from an earlier key can no longer sign.
  const seconds = key_mark === secrets.mark ? overlap : 0
  await updateWebhookRow(db, owner.store, id)
    .set({
      generation: generation + 1,
      key_mark: secrets.mark,
      previous_until: seconds > 0 ? sql`now() + make_interval(secs => ${seconds})` : null,
    })
    .execute()
}
