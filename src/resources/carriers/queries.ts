import { createExistenceCheck } from '../../core/reading/single-row.ts'
import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound } from '../../errors.ts'
import type { CarrierChanges, NewCarrier } from './schema.ts'
import { carrierText } from './text.ts'

export const carrierExists = createExistenceCheck('shipping_carrier')

const shown = ['id', 'name', 'code', 'status', 'tracking_url'] as const

/** All carriers of the store with that status, by name. */
export const listCarriers = (db: Db, store: StoreId, status: string) =>
  db
    .selectFrom('shipping_carrier')
    .select(shown)
    .where('store_id', '=', store)
    .$if(status !== 'all', (query) => query.where('status', '=', status))
    .orderBy('name')
    .orderBy('id')
    .execute()

export const renderCarriers = async (db: Db, store: StoreId, status: string) =>
  `[${(await listCarriers(db, store, status)).map(carrierText).join()}]`

const refuseTakenCode = refuseDuplicate(
  () => invalid({ code: ['belongs to another carrier'] }),
  'shipping_carrier_store_id_code_key',
)

export const insertCarrier = (db: Db, store: StoreId, carrier: NewCarrier) =>
  db
    .insertInto('shipping_carrier')
    .values({ store_id: store, ...carrier })
    .returning(shown)
    .executeTakeFirstOrThrow()
    .catch(refuseTakenCode)

export const countCarriers = async (db: Db, store: StoreId) => {
  const { carriers } = await db
    .selectFrom('shipping_carrier')
    .select((eb) => eb.fn.countAll<number>().as('carriers'))
    .where('store_id', '=', store)
    .executeTakeFirstOrThrow()
  return carriers
}

/** Tracking links of existing deliveries change too. Deliveries keep a carrier that becomes inactive. */
export const updateCarrier = async (db: Db, store: StoreId, id: string, changes: CarrierChanges) => {
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
