import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid } from '../../errors.ts'
import { countryExists } from '../countries/queries.ts'
import { type SharedPhones, unsharePhones } from '../shared-phones/shared-phones.ts'
import { knownCurrencies } from '../stores/store-fields.ts'
import { announceSettings, hasOrders, isPicture, lockStore, writeDeskRules, writeSettings } from './queries.ts'
import type { SettingsChanges } from './schema.ts'
import { findTimeZone } from './time-zone.ts'

/** Checks what the schema cannot, before the transaction. Returns the changes as they are stored. */
export const checkSettings = async (
  db: Db,
  changes: SettingsChanges,
  { isOn }: Pick<SharedPhones, 'isOn'>,
): Promise<SettingsChanges> => {
  if (changes.order_desk?.share_phone_counts && !isOn)
    throw invalid({
      'order_desk.share_phone_counts': ['cannot be switched on: the operator does not let stores share them'],
    })
  if (changes.currency !== undefined && !(await knownCurrencies(db)).has(changes.currency))
    throw invalid({ currency: ['must be a code of ISO 4217, such as TND, EUR or USD'] })
  if (typeof changes.country_id === 'string' && !(await countryExists(db, changes.country_id)))
    throw invalid({ country_id: ['must be the id of a country'] })
  if (changes.time_zone === undefined) return changes
  const time_zone = await findTimeZone(db, changes.time_zone)
  if (time_zone === undefined)
    throw invalid({ time_zone: ['must be the IANA name of a time zone, such as Africa/Tunis'] })
  return { ...changes, time_zone }
}

/** A payment method of another store is as unknown as one that never was. */
const checkPaymentMethods = async (db: Tx, store: StoreId, ids: readonly string[]) => {
  const found = await db
    .selectFrom('payment_method')
    .select('id')
    .where('store_id', '=', store)
    .where('id', 'in', [...ids])
    .execute()
  const known = new Set(found.map(({ id }) => id))
  if (ids.some((id) => !known.has(id.toLowerCase())))
    throw invalid({ 'order_desk.confirm_payment_methods': ['must be ids of payment methods of this store'] })
}

export const updateSettings = async (db: Tx, store: StoreId, changes: SettingsChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  const before = await lockStore(db, store)
  if (changes.currency !== undefined && changes.currency !== before?.currency && (await hasOrders(db, store)))
    throw invalid({
      currency: [`cannot be changed: the store has orders, whose amounts and totals are in ${before?.currency}`],
    })
  const { order_desk, ...fields } = changes
  if (order_desk?.confirm_payment_methods?.length)
    await checkPaymentMethods(db, store, order_desk.confirm_payment_methods)
  if (fields.logo_id && !(await isPicture(db, store, fields.logo_id)))
    throw invalid({ logo_id: ['must be the id of an image file of this store'] })
  if (Object.keys(fields).length > 0) await writeSettings(db, store, fields)
  if (order_desk?.share_phone_counts === false) await unsharePhones(db, store)
  const hasNewRules = order_desk !== undefined && (await writeDeskRules(db, store, order_desk))
  const hasNewLogo = fields.logo_id !== undefined && fields.logo_id !== before?.logo_id
  if (hasNewRules || hasNewLogo) await announceSettings(db, store)
}
