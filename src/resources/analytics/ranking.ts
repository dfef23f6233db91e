import type { Db } from '../../core/storage/database.ts'
import { chooseSql, identifier, joinSql, OR, type Sql, sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { endOf, iso, type Period, type Stretch } from './period.ts'
import { byKey, each, LONG_SPANS, MEASURES_OF, stretchesByKey, sumsOf } from './queries.ts'
import type { Measure, MeasureRow } from './sums.ts'

export const PRODUCT_SORTS = ['gross', 'units', 'ordered_units'] as const
export const LANDING_PAGE_SORTS = ['orders', 'gross', 'delivered_amount'] as const
type Sort = (typeof PRODUCT_SORTS)[number] | (typeof LANDING_PAGE_SORTS)[number]

export interface Ranking {
  store: StoreId
  period: Period
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

/** The figures of everything that sold, added up from all sums of the period. */
const addUpAll = (statement: Statement, { store, period, kind, currency }: Ranking): Sql =>
  sqlText`select key, ${sumsOf(kind)} from ${byKey(statement, store, kind, period)} s
    where currency = ${statement.bind(currency)} group by key`

/** If more than this is missing or too much, most products have to be added up anyway. */
const MAX_REST = 7 * 86_400_000

/** As constants, so that PostgreSQL can use the indexes of years. */
const SPAN_SQL = { '1Y': sqlText`'1Y'`, '3M': sqlText`'3M'`, '1M': sqlText`'1M'` }

/** The longest of the sums, and all others. */
const takeLongest = (parts: readonly Stretch[]) => {
  for (const span of LONG_SPANS) {
    const longest = parts.find((part) => part.span === span)
    if (!longest) continue
    const end = endOf(span, longest.from)
    const others = parts.map((part) => (part === longest ? { ...part, from: end } : part))
    return { span, at: longest.from, others: others.filter(({ from, to }) => from < to) }
  }
  return undefined
}

/**
 * If the period is about a year, a quarter or a month, which has a sum per product: the best of those products of which this
 * sum is all, and all other products. Only the latter are added up. For a year an index finds the best.
 */
const addUpAround = (statement: Statement, { store, period, currency, sort, limit }: Ranking): Sql | undefined => {
  const longest = takeLongest(stretchesByKey('product', period))
  if (!longest || longest.others.reduce((sum, { from, to }) => sum + to - from, 0) > MAX_REST) return undefined
  const { bind } = statement
  const rest = byKey(statement, store, 'product', period, longest.others)
  const main = sqlText`m.store_id = ${bind(store)} and m.span = ${chooseSql(longest.span, SPAN_SQL)}
    and m.at = ${bind(iso(longest.at))}::timestamptz and m.currency = ${bind(currency)}`
  const measures = MEASURES_OF.product
  return sqlText`with rest as materialized (
      select key, ${sumsOf('product')} from ${rest} s where currency = ${bind(currency)} group by key
    )
    (select m.key, ${each(measures, (measure) => sqlText`m.${measure}`)} from product_sales m
      where ${main} and m.key not in (select rest.key from rest) and (m.ordered_units <> 0 or m.units <> 0)
      order by ${orZero(sqlText`m.${identifier(sort)}`)} desc, m.key limit ${bind(limit)})
    union all
    select r.key, ${each(measures, (measure) => sqlText`${orZero(sqlText`m.${measure}`)} + ${orZero(sqlText`r.${measure}`)}`)}
    from rest r left join product_sales m on ${main} and m.key = r.key`
}

/** The products or landing pages with the highest figures. Lines of products that are gone share one row without an id. */
export const rank = async (db: Db, ranking: Ranking) => {
  const { store, kind, sort, limit } = ranking
  const statement = new Statement()
  const { bind } = statement
  const sums = (kind === 'product' && addUpAround(statement, ranking)) || addUpAll(statement, ranking)
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
