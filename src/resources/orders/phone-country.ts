import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { phoneNumber } from './phone.ts'

/** Where phone numbers without a country code are from. */
export const phoneCountry = async (db: Db, store: StoreId): Promise<string | null> =>
  (await db.selectFrom('store').select('country_id').where('id', '=', store).executeTakeFirst())?.country_id ?? null

/** A query by phone number, with the number as it is stored. What is no number matches nothing. */
export const withPhoneNumber = async <Query extends { phone?: string }>(
  db: Db,
  store: StoreId,
  query: Query,
): Promise<Query> => {
  if (query.phone === undefined) return query
  const country = await phoneCountry(db, store)
  // A + that was not encoded has arrived as a space.
  const found = (await phoneNumber(query.phone, country)) ?? (await phoneNumber(`+${query.phone.trim()}`, country))
  return { ...query, phone: found ?? '' }
}
