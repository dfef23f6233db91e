import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

/** Reserves a host name, which only one of all stores may use. Fails with a unique violation if it is taken. */
export const claimHost = (db: Tx, store: StoreId, host: string) =>
  db.insertInto('host_claim').values({ host: host.toLowerCase(), store_id: store }).execute()

export const releaseHost = (db: Tx, store: StoreId, host: string) =>
  db.deleteFrom('host_claim').where('host', '=', host.toLowerCase()).where('store_id', '=', store).execute()
