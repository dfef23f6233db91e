import type { AppRecord } from '../../core/http/access.ts'
import type { Tx } from '../../core/storage/database.ts'
import { placeholder, sqlText } from '../../core/storage/sql.ts'
import { runSql } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { ValidationErrors } from '../../errors.ts'
import { keepOrderTexts } from '../orders/text.ts'
import { updateOrder } from '../orders/update-order.ts'
import { cashOf, owesCash, stateOf } from './cash.ts'
import { lockOrders } from './queries.ts'
import type { ParcelCash } from './schema.ts'

const D = sqlText`d`
const STORE = placeholder(1)

interface CashRow {
  id: string
  order_id: string
  owes: boolean
  received: boolean
  cash: string
}

const ORDERS = sqlText`select distinct order_id from delivery where store_id = $1 and id = any($2)`
const CASH = sqlText`select d.id, d.order_id, ${owesCash(D, STORE)} as owes, d.cash_received_at is not null as received,
    ${cashOf(D, STORE)}::text as cash
  from delivery d where d.store_id = ${STORE} and d.id = any($2)`

/** The parcels, after locking their orders: two people may receive the same cash at once. */
const lockParcels = async (db: Tx, store: StoreId, ids: readonly string[]) => {
  const orders = await runSql<{ order_id: string }>(db, ORDERS, [store, ids])
  await lockOrders(
    db,
    store,
    orders.map(({ order_id }) => order_id),
  )
  return new Map((await runSql<CashRow>(db, CASH, [store, ids])).map((row) => [row.id, row]))
}

const check = (
  ids: readonly string[],
  rows: ReadonlyMap<string, CashRow>,
  problemOf: (row: CashRow) => string | undefined,
) => {
  const errors = new ValidationErrors()
  const seen = new Set<string>()
  for (const [index, id] of ids.entries()) {
    const row = rows.get(id)
    const problem = seen.has(id) ? 'must be listed once' : row ? problemOf(row) : 'must be the id of a parcel'
    if (problem) errors.add(`parcel_ids.${index}`, problem)
    seen.add(id)
  }
  errors.throwIfAny()
  return [...rows.values()]
}

/** Orders of which no parcel is on its way, and no cash is missing. */
const SETTLED = sqlText`select o.id from orders o where o.store_id = ${STORE} and o.id = any($2) and not exists (
    select 1 from delivery d where d.store_id = ${STORE} and d.order_id = o.id and not d.is_return and (
      d.status = 'delivered' and d.cash_received_at is null
      or d.status in ('unfulfilled', 'fulfilled', 'shipped') and ${stateOf(D, STORE)} = d.status))
  order by o.id`

/** Others have not become paid by their cash, or have been abandoned since. */
const PAID = sqlText`select id from orders where store_id = $1 and id = any($2) and status = 'paid' order by id`

const setStatus = async (
  db: Tx,
  store: StoreId,
  app: AppRecord,
  orders: readonly string[],
  status: 'paid' | 'pending',
) => {
  for (const id of orders) await updateOrder(db, store, app, id, { status })
  await keepOrderTexts(db, store, [...orders])
}

/** Records that a carrier has paid what it collected. An order is paid once nothing of it is outstanding. */
const receiveCash = async (db: Tx, store: StoreId, app: AppRecord, { parcel_ids, reference }: ParcelCash) => {
  const rows = check(parcel_ids, await lockParcels(db, store, parcel_ids), ({ owes, received }) => {
    if (received) return 'has been paid by the carrier already'
    return owes ? undefined : 'has no cash that the carrier owes'
  })
  const update = sqlText`update delivery d set cash_received = w.cash, cash_received_at = now(), cash_reference = $4
    from unnest($2::uuid[], $3::numeric[]) w (id, cash) where d.store_id = $1 and d.id = w.id`
  await runSql(db, update, [store, rows.map(({ id }) => id), rows.map(({ cash }) => cash), reference || null])
  const orders = rows.map(({ order_id }) => order_id)
  const settled = await runSql<{ id: string }>(db, SETTLED, [store, orders])
  await setStatus(
    db,
    store,
    app,
    settled.map(({ id }) => id),
    'paid',
  )
}

/** Takes that back: the carrier owes the cash again. */
const takeBack = async (db: Tx, store: StoreId, app: AppRecord, { parcel_ids }: ParcelCash) => {
  const rows = check(parcel_ids, await lockParcels(db, store, parcel_ids), ({ received }) =>
    received ? undefined : 'has no cash that was received',
  )
  const update = sqlText`update delivery set cash_received = null, cash_received_at = null, cash_reference = null
    where store_id = $1 and id = any($2)`
  await runSql(db, update, [store, rows.map(({ id }) => id)])
  const orders = rows.map(({ order_id }) => order_id)
  const paid = await runSql<{ id: string }>(db, PAID, [store, orders])
  await setStatus(
    db,
    store,
    app,
    paid.map(({ id }) => id),
    'pending',
  )
}

export const updateCash = (db: Tx, store: StoreId, app: AppRecord, given: ParcelCash) =>
  given.received === false ? takeBack(db, store, app, given) : receiveCash(db, store, app, given)
