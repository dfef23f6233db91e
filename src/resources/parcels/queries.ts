import type { Db } from '../../core/storage/database.ts'
import { placeholder, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { stateOf } from './cash.ts'
import { isParcel } from './list.ts'
import type { ParcelState } from './states.ts'

const STORE = placeholder(1)
const STATE = stateOf(sqlText`d`, STORE)

export interface FoundParcel {
  /** The place of the tracking number among those that were looked up, from 0. */
  place: number
  id: string
  order_id: string
  order_ref: string
  status: string
  state: ParcelState
}

const BY_NUMBER = sqlText`
  select (g.place - 1)::int as place, d.id, d.order_id, o.ref as order_ref, d.status, ${STATE} as state
  from unnest($2::text[]) with ordinality g (number, place)
  join delivery d on d.store_id = ${STORE} and upper(d.tracking_number) = upper(g.number)
  join orders o on o.store_id = ${STORE} and o.id = d.order_id
  where ${isParcel} and ($3::uuid is null or d.carrier_id = $3::uuid)
  order by g.place, d.id`

/** The parcels with these tracking numbers. Several may have the same one. */
export const parcelsByNumber = (db: Db, store: StoreId, numbers: readonly string[], carrier: string | null) =>
  runSql<FoundParcel>(db, BY_NUMBER, [store, numbers, carrier])

const STATES = sqlText`select d.id, ${STATE} as state from delivery d where d.store_id = ${STORE} and d.id = any($2)`

export const statesOfParcels = async (db: Db, store: StoreId, ids: readonly string[]) => {
  const rows = await runSql<{ id: string; state: ParcelState }>(db, STATES, [store, ids])
  return new Map(rows.map(({ id, state }) => [id, state]))
}

/** Locks orders in the sequence of their ids, so that requests for many of them do not wait for each other in a circle. */
export const lockOrders = (db: Db, store: StoreId, ids: readonly string[]) =>
  runSql(db, sqlText`select id from orders where store_id = $1 and id = any($2) order by id for no key update`, [
    store,
    ids,
  ])
