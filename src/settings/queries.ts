import type { Db, Tx } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { SettingsChanges } from './schema.ts'

type SettingsRow = Record<
  'name' | 'currency' | 'time_zone' | 'language' | 'contact_email' | 'contact_phone' | 'contact_address',
  string | null
>

export const readSettings = async (db: Db, store: StoreId) => {
  const [row] = await runSql<SettingsRow>(
    db,
    sqlText`select name, currency, time_zone, language, contact_email, contact_phone, contact_address
      from store where id = $1`,
    [store],
  )
  return row as SettingsRow
}

/**
 * Waits for orders that are being placed: the first order and a change of currency must not race. Orders are mentioned only
 * so that a distributed database locks the copy of the row that they refer to; those placed meanwhile are not counted.
 */
const LOCK_CURRENCY = sqlText`select s.currency, exists (select 1 from orders o where o.store_id = $1)
  from store s where s.id = $1 for update of s`

export const lockCurrency = async (db: Tx, store: StoreId) =>
  (await runSql<{ currency: string }>(db, LOCK_CURRENCY, [store]))[0]?.currency

export const hasOrders = async (db: Tx, store: StoreId) =>
  (await db.selectFrom('orders').select('id').where('store_id', '=', store).limit(1).executeTakeFirst()) !== undefined

export const writeSettings = (db: Tx, store: StoreId, changes: SettingsChanges) =>
  db.updateTable('store').set(changes).where('id', '=', store).execute()
