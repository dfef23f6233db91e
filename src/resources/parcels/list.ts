import { equals, since, until } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { owesCash, stateOf } from './cash.ts'

const D = sqlText`d`

/** Deliveries that a carrier has. The way back of a return is a state of the parcel. */
export const isParcel = sqlText`d.carrier_id is not null and not d.is_return`

export const parcelList = {
  key: 'parcels',
  kind: 'parcel',
  table: 'delivery',
  alias: D,
  filters: {
    // Always set: the route gives it.
    has_carrier: { condition: () => isParcel },
    carrier_id: equals(sqlText`d.carrier_id`, { type: 'uuid' }),
    tracking_number: {
      condition: (number, { statement }) => sqlText`upper(d.tracking_number) = upper(${statement.bind(number)}::text)`,
    },
    state: {
      condition: (states, { statement, store }) =>
        sqlText`${stateOf(D, statement.bind(store))} = any(${statement.bind(states)}::text[])`,
    },
    cash: {
      condition: (cash: string, { statement, store }) =>
        cash === 'owed' ? owesCash(D, statement.bind(store)) : sqlText`d.cash_received_at is not null`,
    },
    from: since(sqlText`d.updated_at`),
    to: until(sqlText`d.updated_at`),
  },
  sorts: { date: { sql: sqlText`d.updated_at`, type: 'timestamptz' } },
} as const satisfies List
