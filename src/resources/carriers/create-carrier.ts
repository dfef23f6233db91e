import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { lockStore } from '../stores/queries.ts'
import { countCarriers, insertCarrier } from './queries.ts'
import type { NewCarrier } from './schema.ts'

/** The list of carriers has no pages. */
export const MAX_CARRIERS = 1_000

export const createCarrier = async (db: Db, store: StoreId, carrier: NewCarrier) => {
  // Concurrent requests must not exceed the limit together.
  await lockStore(db, store)
  if ((await countCarriers(db, store)) >= MAX_CARRIERS)
    throw invalid({ code: [`cannot be added: the store has ${MAX_CARRIERS} carriers already`] })
  return insertCarrier(db, store, carrier)
}
