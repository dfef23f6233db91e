import { countInWindow, tooManyRequests } from '../../core/http/rate-limits.ts'
import type { Db } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { countsElsewhere, type SharedPhones, sharesPhones } from '../shared-phones/shared-phones.ts'

/** More than people ask, and too few to try one number after the other. */
const MAX_AN_HOUR = 300
const HOUR = 3_600

/** What other stores know of a number, if the operator and this store share such counts. */
export const askElsewhere = async (db: Db, store: StoreId, sharedPhones: SharedPhones, phone: string) => {
  if (!sharedPhones.isOn || !(await sharesPhones(db, store))) return null
  const { used, left } = await countInWindow(db, `shared phones:${store}`, HOUR)
  if (used > MAX_AN_HOUR) throw tooManyRequests(`More than ${MAX_AN_HOUR} phone numbers in an hour.`, left)
  return countsElsewhere(db, store, sharedPhones, phone)
}
