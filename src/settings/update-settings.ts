import { invalid } from '../errors.ts'
import type { Db, Tx } from '../storage/database.ts'
import type { StoreId } from '../storage/store-id.ts'
import { knownCurrencies } from '../stores/store-fields.ts'
import { hasOrders, lockCurrency, writeSettings } from './queries.ts'
import type { SettingsChanges } from './schema.ts'
import { findTimeZone } from './time-zone.ts'

/** Checks what the schema cannot, before the transaction. Returns the changes as they are stored. */
export const checkSettings = async (db: Db, changes: SettingsChanges): Promise<SettingsChanges> => {
  if (changes.currency !== undefined && !(await knownCurrencies(db)).has(changes.currency))
    throw invalid({ currency: ['must be a code of ISO 4217, such as TND, EUR or USD'] })
  if (changes.time_zone === undefined) return changes
  const time_zone = await findTimeZone(db, changes.time_zone)
  if (time_zone === undefined)
    throw invalid({ time_zone: ['must be the IANA name of a time zone, such as Africa/Tunis'] })
  return { ...changes, time_zone }
}

export const updateSettings = async (db: Tx, store: StoreId, changes: SettingsChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  const currency = await lockCurrency(db, store)
  if (changes.currency !== undefined && changes.currency !== currency && (await hasOrders(db, store)))
    throw invalid({
      currency: [`cannot be changed: the store has orders, whose amounts and totals are in ${currency}`],
    })
  await writeSettings(db, store, changes)
}
