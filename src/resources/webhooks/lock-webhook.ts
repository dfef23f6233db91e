import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import type {} from './tables.ts'

/** Whose webhooks a call is about. */
export interface Owner {
  store: StoreId
  installation: string
  permissions: ReadonlySet<string>
}

/** Locks the webhook until the transaction ends; 404 unless it is the caller's own. */
export const lockWebhook = async (db: Tx, { store, installation }: Owner, id: string) => {
  const webhook = await db
    .selectFrom('webhook')
    .select(['id', 'state', 'reason', 'position', 'n', 'generation', 'key_mark', 'types', 'changed', 'ignore_self'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .where('installation_id', '=', installation)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!webhook) throw notFound('webhook')
  return webhook
}
