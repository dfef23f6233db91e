import { invalid } from '../errors.ts'
import { object, value } from '../reading/json-text.ts'
import type { Db, Tx } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { knownCurrencies } from '../stores/store-fields.ts'
import type { SettingsChanges } from './schema.ts'
import { findTimeZone } from './time-zone.ts'

type SettingsRow = Record<
  'name' | 'currency' | 'time_zone' | 'language' | 'contact_email' | 'contact_phone' | 'contact_address',
  string | null
>

export const renderSettings = async (db: Db, store: StoreId): Promise<string> => {
  const [row] = await runSql<SettingsRow>(
    db,
    sqlText`select name, currency, time_zone, language, contact_email, contact_phone, contact_address
      from store where id = $1`,
    [store],
  )
  return object(Object.fromEntries(Object.entries(row as SettingsRow).map(([name, text]) => [name, value(text)])))
}

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

const hasOrders = async (db: Tx, store: StoreId) =>
  (await db.selectFrom('orders').select('id').where('store_id', '=', store).limit(1).executeTakeFirst()) !== undefined

export const updateSettings = async (db: Tx, store: StoreId, changes: SettingsChanges): Promise<void> => {
  if (Object.keys(changes).length === 0) return
  // Waits for orders that are being placed: the first order and a change of currency must not race.
  const { currency } = await db
    .selectFrom('store')
    .select('currency')
    .where('id', '=', store)
    .forUpdate()
    .executeTakeFirstOrThrow()
  if (changes.currency !== undefined && changes.currency !== currency && (await hasOrders(db, store)))
    throw invalid({
      currency: [`cannot be changed: the store has orders, whose amounts and totals are in ${currency}`],
    })
  await db.updateTable('store').set(changes).where('id', '=', store).execute()
}
