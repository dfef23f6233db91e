import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { lockStore } from '../stores/queries.ts'
import { readAndLockDomain } from './queries.ts'

export const lockDomain = async (db: Tx, store: StoreId, id: string) => {
  await lockStore(db, store)
  const domain = await readAndLockDomain(db, store, id)
  if (!domain) throw notFound('domain')
  return domain
}
