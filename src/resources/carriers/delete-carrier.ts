import type { Tx } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { notFound } from '../../errors.ts'
import { updateCarrier } from './queries.ts'

const isUsed = (db: Tx, store: StoreId, id: string) =>
  db
    .selectFrom('delivery')
    .select('id')
    .where('store_id', '=', store)
    .where('carrier_id', '=', id)
    .limit(1)
    .executeTakeFirst()

/** Deletes a carrier, or makes it inactive if deliveries use it. Returns whether it was deleted. */
export const deleteCarrier = async (db: Tx, store: StoreId, id: string): Promise<boolean> => {
  // Waits for transactions that assign this carrier to a delivery: they hold a lock on the row.
  const locked = await db
    .selectFrom('shipping_carrier')
    .select('id')
    .where('store_id', '=', store)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!locked) throw notFound('carrier')
  if (await isUsed(db, store, id)) {
    await updateCarrier(db, store, id, { status: 'inactive' })
    return false
  }
  await db.deleteFrom('shipping_carrier').where('store_id', '=', store).where('id', '=', id).execute()
  return true
}
