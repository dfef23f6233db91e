import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { expectedLevelOf, outcomeOf } from '../orders/signals.ts'
import { iso, type Period } from './period.ts'
import type { SeriesRow } from './queries.ts'

const O = sqlText`o`

export type LevelRow = SeriesRow & { level: string }

/**
 * What became of the orders of each level. Counted order by order: the level of an order follows from others, and no sum
 * could be kept of it.
 */
export const readLevels = (db: Db, store: StoreId, { starts, from, to }: Period, currency: string) => {
  const statement = new Statement()
  const { bind } = statement
  const ofStore = bind(store)
  return statement.run<LevelRow>(
    db,
    sqlText`select r.place, r.level, ${bind(currency)}::text as currency, count(*) as orders,
        count(*) filter (where r.is_cancelled) as cancelled, count(*) filter (where r.outcome = 'delivered') as delivered,
        count(*) filter (where r.outcome = 'returned') as returns,
        sum(r.total) filter (where r.outcome = 'delivered') as delivered_amount
      from (
        select width_bucket(o.created_at, ${bind(starts.map(iso))}::timestamptz[]) as place, o.is_cancelled, o.total,
          ${outcomeOf(O)} as outcome, ${expectedLevelOf(O, ofStore)} as level
        from orders o
        where o.store_id = ${ofStore} and o.created_at >= ${bind(iso(from))}::timestamptz
          and o.created_at < ${bind(iso(to))}::timestamptz and o.status <> 'abandoned'
          and o.currency = ${bind(currency)}::text
        offset 0
      ) r group by r.place, r.level`,
  )
}
