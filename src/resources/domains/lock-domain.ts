import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { lockStore } from '../stores/queries.ts'

/** Waits for transactions that assign this domain to a landing page. */
export const lockDomain = async (db: Tx, store: StoreId, id: string) => {
  await lockStore(db, store)
  const domain = await db
    .selectFrom('domain')
    .select(['host', 'is_primary'])
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!domain) throw notFound('domain')
  return domain
}
