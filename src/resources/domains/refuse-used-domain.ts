import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { countLandingPages } from './queries.ts'

/** Landing pages must keep their URL, so a domain in use can be neither deleted nor renamed. */
export const refuseUsedDomain = async (db: Tx, store: StoreId, id: string, field: string, action: string) => {
  const pages = await countLandingPages(db, store, id)
  if (pages > 0)
    throw invalid({
      [field]: [
        `cannot be ${action}: ${pages === 1 ? '1 landing page uses' : `${pages} landing pages use`} this domain`,
      ],
    })
}
