import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { claimHost } from '../stores/host-claims.ts'
import { makePrimary } from '../stores/primary-domain.ts'
import { lockStore } from '../stores/queries.ts'
import { refuseTaken, requireFreeHost } from './free-host.ts'
import { countDomains } from './queries.ts'
import type { NewDomain } from './schema.ts'

export const MAX_DOMAINS = 100

export const createDomain = async (db: Tx, store: StoreId, { host: text, is_primary }: NewDomain): Promise<string> => {
  // Concurrent requests must not exceed the limit together, nor both become primary.
  await lockStore(db, store)
  const host = await requireFreeHost(db, text)
  if ((await countDomains(db, store)) >= MAX_DOMAINS)
    throw invalid({ host: [`cannot be added: the store has ${MAX_DOMAINS} domains already`] })
  await claimHost(db, store, host).catch(refuseTaken)
  const { id } = await db
    .insertInto('domain')
    .values({ store_id: store, host })
    .returning('id')
    .executeTakeFirstOrThrow()
    .catch(refuseTaken)
  if (is_primary) await makePrimary(db, store, id).catch(refuseTaken)
  return id
}
