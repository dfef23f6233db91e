import { sql } from 'kysely'
import type { JsonText } from '../../core/reading/json-text.ts'
import type { Db, Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Settings, SettingsChanges } from './schema.ts'

interface SettingsRow extends Omit<Settings, 'can_share_phone_counts' | 'order_desk'> {
  order_desk: JsonText<Settings['order_desk']>
}

export const readSettings = async (db: Db, store: StoreId) => {
  const { rows } = await sql<SettingsRow>`
    select name, currency, time_zone, language, contact_email, contact_phone, contact_address,
      (select f.id from file f where f.store_id = ${store} and f.id = s.logo_id) as logo_id, country_id,
      order_desk::text as order_desk from store s where s.id = ${store}`.execute(db)
  return rows[0] as SettingsRow
}

/**
 * Waits for orders that are being placed: the first order and a change of currency must not race. Orders are mentioned only
 * so that a distributed database locks the copy of the row that they refer to; those placed meanwhile are not counted.
 */
export const lockStore = async (db: Tx, store: StoreId) => {
  const { rows } = await sql<{ currency: string; logo_id: string | null }>`
    select s.currency, s.logo_id, exists (select 1 from orders o where o.store_id = ${store})
    from store s where s.id = ${store} for update of s`.execute(db)
  return rows[0]
}

export const hasOrders = async (db: Tx, store: StoreId) =>
  (await db.selectFrom('orders').select('id').where('store_id', '=', store).limit(1).executeTakeFirst()) !== undefined

export const writeSettings = (db: Tx, store: StoreId, changes: Omit<SettingsChanges, 'order_desk'>) =>
  db.updateTable('store').set(changes).where('id', '=', store).execute()

/** Whether it is a picture of this store. It cannot be deleted before the transaction ends. */
export const isPicture = async (db: Tx, store: StoreId, file: string) =>
  (await db
    .selectFrom('file')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', file)
    .where('mime_type', 'like', 'image/%')
    .forKeyShare()
    .executeTakeFirst()) !== undefined

/** Whether the rules differ from those of before. */
export const writeDeskRules = async (db: Tx, store: StoreId, rules: NonNullable<SettingsChanges['order_desk']>) => {
  const given = sql<string>`order_desk || ${JSON.stringify(rules)}::jsonb`
  const { numUpdatedRows } = await db
    .updateTable('store')
    .set({ order_desk: given })
    .where('id', '=', store)
    .where(sql<boolean>`order_desk <> ${given}`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Signals of orders follow the rules of the store, and its logo is a used file: whoever keeps replies must hear of changes. */
export const announceSettings = (db: Tx, store: StoreId) =>
  db
    .insertInto('change')
    .values({ store_id: store, kind: 'setting', resource_id: store, op: 'n', action: 'changed' })
    .execute()
