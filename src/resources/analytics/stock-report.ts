import { array, object, value } from '../../core/reading/json-text.ts'
import type { Db } from '../../core/storage/database.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { iso, type Period } from './period.ts'
import { byKey } from './queries.ts'
import type { StockAnalytics, StockReply } from './schema.ts'

const DAY = 86_400_000

export interface StockQuery {
  /** A product that lasts fewer days is low. */
  cover: number
  limit: number
}

interface StockRow {
  list: 'out_of_stock' | 'low'
  /** How many there are; the first row of a list always comes, without a product if there is none. */
  all: number
  id: string | null
  title: string
  variants: number
  variants_out_of_stock: number
  allow_order_when_oos: boolean
  quantity: string
  ordered_units: string
}

/** How much of the period is over, in days. */
const daysOf = ({ from, to }: Period, now: number) => Math.max(0, Math.min(to, now) - from) / DAY

/**
 * Active products whose stock is tracked: those that have none left, the best sellers first, and those that will run out
 * first. One statement, so that a product is in one of the lists only.
 */
const readStock = (db: Db, store: StoreId, period: Period, days: number, { cover, limit }: StockQuery) => {
  const statement = new Statement()
  const { bind } = statement
  const sums = byKey(statement, store, 'product', period)
  const id = bind(store)
  return statement.run<StockRow>(
    db,
    sqlText`with sold as materialized (
      select key::uuid as id, sum(ordered_units) as ordered_units from ${sums} s where key <> '' group by key
    ),
    tracked as (
      select p.id, p.title, p.out_of_stock, p.allow_order_when_oos, coalesce(s.ordered_units, 0) as ordered_units
      from product p left join sold s on s.id = p.id
      where p.store_id = ${id} and p.status = 'active' and p.stock_tracked
    ),
    held as (
      select product_id, count(*)::int as variants, (count(*) filter (where quantity <= 0))::int as variants_out_of_stock,
        sum(greatest(quantity, 0)) as quantity
      from variant where store_id = ${id} group by product_id
    ),
    gone as (select * from tracked where out_of_stock),
    low as (
      select t.*, h.variants, h.variants_out_of_stock, h.quantity from tracked t join held h on h.product_id = t.id
      where not t.out_of_stock and t.ordered_units > 0
        and h.quantity * ${bind(days)}::float8 < t.ordered_units * ${bind(cover)}::float8
    )
    select 'out_of_stock' as list, n.count as all, g.* from (select count(*)::int from gone) n left join (
      select g.id, g.title, h.variants, h.variants_out_of_stock, g.allow_order_when_oos, 0 as quantity, g.ordered_units
      from (select * from gone order by ordered_units desc, id limit ${bind(limit)}) g
      left join lateral (
        select count(*)::int as variants, count(*)::int as variants_out_of_stock from variant v
        where v.store_id = ${id} and v.product_id = g.id
      ) h on true
      order by g.ordered_units desc, g.id
    ) g on true
    union all
    select 'low', n.count, l.* from (select count(*)::int from low) n left join (
      select id, title, variants, variants_out_of_stock, allow_order_when_oos, quantity, ordered_units
      from low order by quantity / ordered_units, id limit ${bind(limit)}
    ) l on true`,
  )
}

const rounded = (number: number, digits: number) => Math.round(number * 10 ** digits) / 10 ** digits

type FoundRow = StockRow & { id: string }

const rowText = (row: FoundRow, days: number) => {
  const [quantity, ordered] = [Number(row.quantity), Number(row.ordered_units)]
  const perDay = days === 0 ? 0 : ordered / days
  return object<StockAnalytics>({
    product_id: value(row.id),
    title: value(row.title),
    quantity: value(quantity),
    variants: value(row.variants),
    variants_out_of_stock: value(row.variants_out_of_stock),
    allow_order_when_oos: value(row.allow_order_when_oos),
    ordered_units: value(ordered),
    units_per_day: value(rounded(perDay, 3)),
    days_of_cover: value(perDay > 0 ? rounded(quantity / perDay, 1) : null),
  })
}

export const stockText = async (db: Db, store: StoreId, period: Period, query: StockQuery, now = Date.now()) => {
  const days = daysOf(period, now)
  const rows = await readStock(db, store, period, days, query)
  const listOf = (list: StockRow['list']) => rows.filter((row) => row.list === list)
  const texts = (list: StockRow['list']) =>
    array(
      listOf(list)
        .filter((row): row is FoundRow => row.id !== null)
        .map((row) => rowText(row, days)),
    )
  const count = (list: StockRow['list']) => value(listOf(list)[0]?.all ?? 0)
  const { from, to, time_zone } = period
  return object<StockReply>({
    data: object<StockReply['data']>({
      period: object<StockReply['data']['period']>({
        from: value(iso(from)),
        to: value(iso(to)),
        time_zone: value(time_zone),
      }),
      days: value(rounded(days, 3)),
      total: object<StockReply['data']['total']>({ out_of_stock: count('out_of_stock'), low: count('low') }),
      out_of_stock: texts('out_of_stock'),
      low: texts('low'),
    }),
  })
}
