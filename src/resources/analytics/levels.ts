import { type Db, readManyRows } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { expectedLevels } from '../orders/signals.ts'
import { iso, type Period } from './period.ts'
import type { SeriesRow } from './queries.ts'

export type LevelRow = SeriesRow & { level: string }

/**
 * What became of the orders of each level. All orders of the period are looked at: the level of an order follows from others,
 * and no sum could be kept of it.
 */
export const readLevels = (db: Db, store: StoreId, { starts, from, to }: Period, currency: string) => {
  const statement = new Statement()
  const { bind } = statement
  const place = sqlText`width_bucket(o.created_at, ${bind(starts.map(iso))}::timestamptz[])`
  const ofCurrency = sqlText`${bind(currency)}::text`
  const isPlaced = sqlText`o.created_at >= ${bind(iso(from))}::timestamptz and o.created_at < ${bind(iso(to))}::timestamptz
    and o.status <> 'abandoned' and o.currency = ${ofCurrency}`
  const orders = expectedLevels(bind(store), sqlText`${place} as place, o.is_cancelled, o.total`, isPlaced)
  const text = sqlText`select r.place, r.level, ${ofCurrency} as currency, count(*) as orders,
      count(*) filter (where r.is_cancelled) as cancelled, count(*) filter (where r.outcome = 'delivered') as delivered,
      count(*) filter (where r.outcome = 'returned') as returns,
      sum(r.total) filter (where r.outcome = 'delivered') as delivered_amount
    from (${orders}) r group by r.place, r.level`
  return readManyRows(db, (db) => statement.run<LevelRow>(db, text))
}
