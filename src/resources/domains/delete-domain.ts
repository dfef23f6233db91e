import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { releaseHost } from '../stores/host-claims.ts'
import { lockDomain } from './lock-domain.ts'
import { refuseUsedDomain } from './refuse-used-domain.ts'

export const deleteDomain = async (db: Tx, store: StoreId, id: string): Promise<void> => {
  const domain = await lockDomain(db, store, id)
  if (domain.is_primary)
    throw invalid({ id: ['cannot be deleted: it is the primary domain. Make another one primary first'] })
  await refuseUsedDomain(db, store, id, 'id', 'deleted')
  await releaseHost(db, store, domain.host)
  await db.deleteFrom('domain').where('store_id', '=', store).where('id', '=', id).execute()
}
