import type { Db } from '../storage/database.ts'
import { identifier, joinSql, OR, type Sql, sqlText } from '../storage/sql.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { endOf, iso, type Period } from './period.ts'
import { byKey, each, MEASURES_OF, stretchesByKey, sumsOf } from './queries.ts'
import type { Measure, MeasureRow } from './sums.ts'

export const PRODUCT_SORTS = ['gross', 'units', 'ordered_units'] as const
export const LANDING_PAGE_SORTS = ['orders', 'gross', 'delivered_amount'] as const
type Sort = (typeof PRODUCT_SORTS)[number] | (typeof LANDING_PAGE_SORTS)[number]

export interface Ranking {
  kind: 'product' | 'landing_page'
  currency: string
  sort: Sort
  limit: number
}

type RankedRow = MeasureRow & { id: string | null; title: string | null }

/** Without these, nothing happened. */
const HAPPENED: Record<Ranking['kind'], readonly Measure[]> = {
  product: ['ordered_units', 'units'],
  landing_page: ['orders'],
}

const orZero = (measure: Sql) => sqlText`coalesce(${measure}, 0)`

interface Asked extends Ranking {
  store: StoreId
  period: Period
}

/** The rows with the highest sums, added up from all rows of the period. */
const addUpAll = (statement: Statement, { store, period, kind, currency }: Asked): Sql =>
  sqlText`select key, ${sumsOf(kind)} from ${byKey(statement, store, kind, period)} s
    where currency = ${statement.bind(currency)} group by key`

/** If more than this is missing or too much, most products have to be added up anyway. */
const MAX_REST = 7 * 86_400_000

/**
 * If the period is about a year, which has a sum per product: the best of those products of which this sum is all, which an
 * index finds, and all other products. Only the latter are added up.
 */
const addUpAroundYear = (statement: Statement, { store, period, currency, sort, limit }: Asked): Sql | undefined => {
  const parts = stretchesByKey('product', period)
  const year = parts.find(({ span }) => span === '1Y')
  if (!year) return undefined
  const others = parts
    .map((part) => (part === year ? { ...part, from: endOf('1Y', part.from) } : part))
    .filter(({ from, to }) => from < to)
  if (others.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_REST) return undefined
  const { bind } = statement
  const rest = byKey(statement, store, 'product', period, others)
  const ofYear = sqlText`y.store_id = ${bind(store)} and y.span = '1Y' and y.at = ${bind(iso(year.from))}::timestamptz
    and y.currency = ${bind(currency)}`
  const measures = MEASURES_OF.product
  return sqlText`with rest as materialized (
      select key, ${sumsOf('product')} from ${rest} s where currency = ${bind(currency)} group by key
    )
    (select y.key, ${each(measures, (measure) => sqlText`y.${measure}`)} from product_sales y
      where ${ofYear} and y.key not in (select rest.key from rest) and (y.ordered_units <> 0 or y.units <> 0)
      order by ${orZero(sqlText`y.${identifier(sort)}`)} desc, y.key limit ${bind(limit)})
    union all
    select r.key, ${each(measures, (measure) => sqlText`${orZero(sqlText`y.${measure}`)} + ${orZero(sqlText`r.${measure}`)}`)}
    from rest r left join product_sales y on ${ofYear} and y.key = r.key`
}

/** The products or landing pages with the highest figures. Lines of products that are gone share one row without an id. */
export const rank = async (db: Db, asked: Asked) => {
  const { store, kind, sort, limit } = asked
  const statement = new Statement()
  const { bind } = statement
  const sums = (kind === 'product' && addUpAroundYear(statement, asked)) || addUpAll(statement, asked)
  const measure = identifier(sort)
  const happened = HAPPENED[kind].map((name) => sqlText`${identifier(name)} <> 0`)
  return statement.run<RankedRow>(
    db,
    sqlText`select nullif(r.key, '') as id, n.title, ${each(MEASURES_OF[kind], (measure) => sqlText`r.${measure}`)} from (
      select * from (${sums}) s where ${joinSql(happened, OR)}
      order by ${orZero(measure)} desc, key limit ${bind(limit)}
    ) r
    left join ${identifier(kind)} n on n.store_id = ${bind(store)} and n.id = nullif(r.key, '')::uuid
    order by ${orZero(sqlText`r.${measure}`)} desc, r.key`,
  )
}
