import type { Tx } from '../../core/storage/database.ts'
import { invalid } from '../../errors.ts'
import { releaseHost } from '../stores/host-claims.ts'
import { lockDomain } from './lock-domain.ts'
import { refuseUsedDomain } from './refuse-used-domain.ts'

export const deleteDomain = async (db: Tx, store: string, id: string): Promise<void> => {
  const domain = await lockDomain(db, store, id)
  if (domain.is_primary)
    throw invalid({ id: ['cannot be deleted: it is the primary domain. Make another one primary first'] })
  await refuseUsedDomain(db, store, id, 'id', 'deleted')
  await releaseHost(db, store, domain.host)
  await db.deleteFrom('domain').where('store_id', '=', store).where('id', '=', id).execute()
}
