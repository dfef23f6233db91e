import { createExistenceCheck } from '../reading/single-row.ts'
import type { Db } from '../storage/database.ts'
import { sqlText } from '../storage/sql.ts'
import { runSql } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { CARRIER_COLUMNS, type CarrierRow, carrierText } from './text.ts'

export const carrierExists = createExistenceCheck('shipping_carrier')

/** All carriers of the store with that status, by name. */
export const listCarriers = (db: Db, store: string, status: string) =>
  runSql<CarrierRow>(
    db,
    sqlText`select ${CARRIER_COLUMNS} from shipping_carrier where store_id = $1 and ($2 = 'all' or status = $2)
      order by name, id`,
    [store, status],
  )

export const renderCarriers = async (db: Db, store: StoreId, status: string) =>
  `[${(await listCarriers(db, store, status)).map(carrierText).join()}]`
