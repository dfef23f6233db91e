import { invalid, notFound } from '../errors.ts'
import { type Db, isUniqueViolation, type Tx } from '../storage/database.ts'
import { lockStore } from '../stores/queries.ts'
import type { CarrierChanges, NewCarrier } from './schema.ts'

/** The list of carriers has no pages. */
export const MAX_CARRIERS = 1_000

const shown = ['id', 'name', 'code', 'status', 'tracking_url'] as const

const refuseTakenCode = (error: unknown) => {
  throw isUniqueViolation(error, 'shipping_carrier_store_id_code_key')
    ? invalid({ code: ['belongs to another carrier'] })
    : error
}

const countCarriers = async (db: Db, store: string) => {
  const { carriers } = await db
    .selectFrom('shipping_carrier')
    .select((eb) => eb.fn.countAll<number>().as('carriers'))
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  return carriers
}

export const createCarrier = async (db: Db, store: string, carrier: NewCarrier) => {
  // Concurrent requests must not exceed the limit together.
  await lockStore(db, store)
  if ((await countCarriers(db, store)) >= MAX_CARRIERS)
    throw invalid({ code: [`cannot be added: the store has ${MAX_CARRIERS} carriers already`] })
  return db
    .insertInto('shipping_carrier')
    .values({ store_id: store, ...carrier })
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTakenCode)
}

/** Tracking links of existing deliveries change too. Deliveries keep a carrier that becomes inactive. */
export const updateCarrier = async (db: Db, store: string, id: string, changes: CarrierChanges) => {
  if (Object.keys(changes).length === 0) return undefined
  const changed = await db
    .updateTable('shipping_carrier')
    .set(changes)
    .where('store_id', '=', store)
    .where('id', '=', id)
    .returning(shown)
    .executeTakeFirst()
    .catch(refuseTakenCode)
  if (!changed) throw notFound('carrier')
  return changed
}

const isUsed = (db: Tx, store: string, id: string) =>
  db
    .selectFrom('delivery')
    .select('id')
    .where('store_id', '=', store)
    .where('carrier_id', '=', id)
    .limit(1)
    .executeTakeFirst()

/** Deletes a carrier, or makes it inactive if deliveries use it. Returns whether it was deleted. */
export const deleteCarrier = async (db: Tx, store: string, id: string): Promise<boolean> => {
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
