import { createExistenceCheck } from '../../core/reading/single-row.ts'
import { type Db, refuseDuplicate } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { invalid, notFound } from '../../errors.ts'
import type { CarrierChanges, NewCarrier } from './schema.ts'
import { CARRIER_COLUMNS, type CarrierRow, carrierText } from './text.ts'

export const carrierExists = createExistenceCheck('shipping_carrier')

/** All carriers of the store with that status, by name. */
export const listCarriers = (db: Db, store: StoreId, status: string) =>
  runSql<CarrierRow>(
    db,
    sqlText`select ${CARRIER_COLUMNS} from shipping_carrier where store_id = $1 and ($2 = 'all' or status = $2)
      order by name, id`,
    [store, status],
  )

export const renderCarriers = async (db: Db, store: StoreId, status: string) =>
  `[${(await listCarriers(db, store, status)).map(carrierText).join()}]`

const shown = ['id', 'name', 'code', 'status', 'tracking_url'] as const

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
