import { sql } from 'kysely'
import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { claimHost, releaseHost } from '../stores/host-claims.ts'
import { makePrimary } from '../stores/primary-domain.ts'
import { refuseTaken, requireFreeHost } from './free-host.ts'
import { hostName } from './host-name.ts'
import { lockDomain } from './lock-domain.ts'
import { refuseUsedDomain } from './refuse-used-domain.ts'
import type { DomainChanges } from './schema.ts'

export const updateDomain = async (db: Tx, store: StoreId, id: string, changes: DomainChanges): Promise<void> => {
  const domain = await lockDomain(db, store, id)
  if (changes.is_primary === false && domain.is_primary)
    throw invalid({ is_primary: ['cannot be unset: make another domain the primary one instead'] })
  if (changes.host !== undefined && hostName(changes.host) !== domain.host) {
    const host = await requireFreeHost(db, changes.host)
    await refuseUsedDomain(db, store, id, 'host', 'changed')
    await releaseHost(db, store, domain.host)
    await claimHost(db, store, host).catch(refuseTaken)
    await db
      .updateTable('domain')
      .set({ host, updated_at: sql`now()` })
      .where('store_id', '=', store)
      .where('id', '=', id)
      .execute()
      .catch(refuseTaken)
    if (domain.is_primary) await makePrimary(db, store, id).catch(refuseTaken)
  }
  if (changes.is_primary && !domain.is_primary) await makePrimary(db, store, id).catch(refuseTaken)
}
