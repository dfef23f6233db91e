import { earliest, latest } from '../../core/input/date-bounds.ts'
import type { Db } from '../../core/storage/database.ts'
import { type Sql, sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { cashOf, isUnpaid, isUnsettled, sentBack } from './cash.ts'
import { isParcel } from './list.ts'
import type { ParcelSummaryQuery } from './schema.ts'
import { PARCEL_STATES, type ParcelState } from './states.ts'

const [D, O] = [sqlText`d`, sqlText`o`]

const within = ({ bind }: Statement, column: Sql, { from, to }: ParcelSummaryQuery) => {
  const since = from === undefined ? sqlText`` : sqlText` and ${column} >= ${bind(earliest(from))}::timestamptz`
  const until = to === undefined ? sqlText`` : sqlText` and ${column} <= ${bind(latest(to))}::timestamptz`
  return sqlText`${since}${until}`
}

interface Counted {
  carrier: string
  state: ParcelState
  parcels: number
}

/** The columns of the index `delivery_parcels`, which has all parcels: a store may have hundreds of thousands. */
const countParcels = (db: Db, store: StoreId, period: ParcelSummaryQuery) => {
  const statement = new Statement()
  const id = statement.bind(store)
  return statement.run<Counted>(
    db,
    sqlText`select d.carrier_id as carrier, coalesce(w.state, d.status) as state, count(*)::int as parcels
      from delivery d left join (${sentBack(id)}) w on w.delivery_id = d.id
      where d.store_id = ${id} and ${isParcel}${within(statement, sqlText`d.updated_at`, period)} group by 1, 2`,
  )
}

interface Owed {
  carrier: string
  currency: string
  owed: number
  owed_parcels: number
  owed_since: string
}

const sumOwed = (db: Db, store: StoreId) => {
  const statement = new Statement()
  const id = statement.bind(store)
  return statement.run<Owed>(
    db,
    sqlText`select d.carrier_id as carrier, o.currency, sum(${cashOf(D, id, sqlText`o.total`)})::float8 as owed,
        count(*)::int as owed_parcels, iso(min(d.updated_at)) as owed_since
      from orders o join delivery d on d.store_id = ${id} and d.order_id = o.id
      where o.store_id = ${id} and ${isUnpaid(O)} and ${isUnsettled(D)} group by d.carrier_id, o.currency`,
  )
}

interface Received {
  carrier: string
  currency: string
  received: number
  received_parcels: number
}

const sumReceived = (db: Db, store: StoreId, period: ParcelSummaryQuery) => {
  const statement = new Statement()
  const id = statement.bind(store)
  return statement.run<Received>(
    db,
    sqlText`select d.carrier_id as carrier, o.currency, sum(d.cash_received)::float8 as received,
        count(*)::int as received_parcels
      from delivery d join orders o on o.store_id = ${id} and o.id = d.order_id
      where d.store_id = ${id} and d.cash_received_at is not null
        and d.carrier_id is not null${within(statement, sqlText`d.cash_received_at`, period)}
      group by d.carrier_id, o.currency`,
  )
}

export type CarrierSummary = Awaited<ReturnType<typeof summarizeParcels>>[number]

/** By carrier: how many parcels have which state, what it owes and what it has paid. */
export const summarizeParcels = async (db: Db, store: StoreId, period: ParcelSummaryQuery) => {
  const counts = await countParcels(db, store, period)
  const owed = await sumOwed(db, store)
  const received = await sumReceived(db, store, period)
  const carriers = [...new Set([...counts, ...owed, ...received].map(({ carrier }) => carrier))]
  return carriers.map((carrier) => {
    const of = <Row extends { carrier: string }>(rows: readonly Row[]) => rows.filter((row) => row.carrier === carrier)
    const currencies = [...new Set([...of(owed), ...of(received)].map(({ currency }) => currency))].sort()
    const counted = new Map(of(counts).map(({ state, parcels }) => [state, parcels]))
    return {
      carrier,
      parcels: Object.fromEntries(PARCEL_STATES.map((state) => [state, counted.get(state) ?? 0])) as Record<
        ParcelState,
        number
      >,
      cash: currencies.map((currency) => {
        const due = of(owed).find((row) => row.currency === currency)
        const paid = of(received).find((row) => row.currency === currency)
        return {
          currency,
          owed: due?.owed ?? 0,
          owed_parcels: due?.owed_parcels ?? 0,
          owed_since: due?.owed_since ?? null,
          received: paid?.received ?? 0,
          received_parcels: paid?.received_parcels ?? 0,
        }
      }),
    }
  })
}
