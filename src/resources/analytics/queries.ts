import type { Db } from '../../core/storage/database.ts'
import { COMMA, identifier, identifiers, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { cachedSql, runSql, Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { isTimeZone } from './local-time.ts'
import { iso, type Period, type Span, stretches } from './period.ts'
import { isAmount, type Measure, type MeasureRow } from './sums.ts'

/** Where figures come from: `analytic_total`, `analytic_change` and `product_sales` (schema/analytics.sql). */
export type Kind = 'sales' | 'product' | 'landing_page' | 'deliveries' | 'delivery'

interface StoreRow {
  currency: string
  time_zone: string
}

/** A time zone that this release of Node does not know is read as UTC. */
export const findStore = async (db: Db, store: StoreId): Promise<StoreRow> => {
  const [row] = await runSql<StoreRow>(db, sqlText`select currency, time_zone from store where id = $1`, [store])
  const { currency, time_zone } = row as StoreRow
  return { currency, time_zone: isTimeZone(time_zone) ? time_zone : 'UTC' }
}

/** One column per name: `sum(name) as name`. */
export const each = (names: readonly string[], column: (name: Sql) => Sql) =>
  joinSql(
    names.map((name) => column(identifier(name))),
    COMMA,
  )

const DELIVERIES = ['unfulfilled', 'fulfilled', 'shipped', 'delivered', 'cancelled', 'returns'] as const

/** What is counted of each kind. */
export const MEASURES_OF: Record<Kind, readonly Measure[]> = {
  sales: ['orders', 'abandoned', 'cancelled', 'guests', 'first_orders', 'paid', 'units', 'gross', 'refunds'],
  product: ['ordered_units', 'units', 'gross'],
  landing_page: ['orders', 'cancelled', 'paid', 'gross', 'refunds', 'delivered', 'delivered_amount'],
  deliveries: DELIVERIES,
  delivery: DELIVERIES,
}

const columnsOf = (kind: Kind) => identifiers(MEASURES_OF[kind])
/** The same of a change that is not in a sum yet. Without a view, so that a distributed database sees the store. */
const changedColumnsOf = (kind: Kind) =>
  joinSql(
    MEASURES_OF[kind].map((measure) => {
      const type = isAmount(measure) ? sqlText`numeric` : sqlText`bigint`
      return sqlText`times * (counts->>'${identifier(measure)}')::${type} as ${identifier(measure)}`
    }),
    COMMA,
  )
export const sumsOf = (kind: Kind) => each(MEASURES_OF[kind], (measure) => sqlText`sum(${measure}) as ${measure}`)

const ALL_SALES = ['1M', '1d', '6h', '1h', '15m'] as const

/** Which sums `analytic_total` has. Of what has many keys, most hours have one sale: sums of hours would save nothing. */
const SPANS_OF: Record<Kind, readonly Span[]> = {
  sales: ALL_SALES,
  deliveries: ALL_SALES,
  product: ['1d', '15m'],
  landing_page: ['1M', '1d', '15m'],
  delivery: ['1M', '1d', '15m'],
}

/** Those that `product_sales` has, the longest first. */
export const LONG_SPANS = ['1Y', '3M', '1M'] as const
const isLong = (span: Span) => (LONG_SPANS as readonly Span[]).includes(span)

export type SeriesRow = MeasureRow & {
  /** Which interval, counted from 1. */
  place: number
  currency: string
}

/** Lateral, so that each stretch is looked up by its own range of the primary key. */
const seriesSql = (kind: Kind) => {
  const sums = sumsOf(kind)
  const signed = each(MEASURES_OF[kind], (measure) => sqlText`r.sign * sum(${measure}) as ${measure}`)
  return sqlText`select place, currency, ${sums} from (
      select r.place, t.*
      from unnest($4::int[], $5::text[], $6::timestamptz[], $7::timestamptz[], $11::int[]) r (place, span, start, stop, sign)
      cross join lateral (
        select currency, ${signed} from analytic_total t
        where t.store_id = $1 and t.kind = $2 and t.key = $3 and t.span = r.span and t.at >= r.start and t.at < r.stop
        group by currency
      ) t
      union all
      select width_bucket(at, $8::timestamptz[]), currency, ${changedColumnsOf(kind)} from analytic_change
      where store_id = $1 and kind = $2 and key = $3 and at >= $9::timestamptz and at < $10::timestamptz
    ) counted group by 1, 2`
}

/** The sums of each interval and currency in which something happened. */
export const readSeries = (db: Db, store: StoreId, kind: Kind, key: string, { starts, from, to }: Period) => {
  const parts = starts.flatMap((start, n) =>
    stretches(start, starts[n + 1] ?? to, SPANS_OF[kind]).map((stretch) => ({ place: n + 1, ...stretch })),
  )
  return runSql<SeriesRow>(
    db,
    cachedSql(`analytic series ${kind}`, () => seriesSql(kind)),
    [
      ...[store, kind, key, parts.map(({ place }) => place), parts.map(({ span }) => span)],
      ...[parts.map(({ from }) => iso(from)), parts.map(({ to }) => iso(to)), starts.map(iso), iso(from), iso(to)],
      parts.map(({ sign }) => sign),
    ],
  )
}

/** The sums that make up a period, of all keys of a kind. */
export const stretchesByKey = (kind: Kind, { from, to }: Period) =>
  stretches(from, to, kind === 'product' ? [...LONG_SPANS, ...SPANS_OF.product] : SPANS_OF[kind])

/** Sums of each key over a whole period, as a subquery: finished sums of several lengths, and what is not in them yet. */
export const byKey = (
  statement: Statement,
  store: StoreId,
  kind: Kind,
  period: Period,
  parts = stretchesByKey(kind, period),
): Sql => {
  const { bind } = statement
  const ofStore = sqlText`store_id = ${bind(store)}`
  const ofKind = sqlText`kind = ${bind(kind)}`
  const between = (from: number, to: number) =>
    sqlText`at >= ${bind(iso(from))}::timestamptz and at < ${bind(iso(to))}::timestamptz`
  const columns = sqlText`key, currency, ${columnsOf(kind)}`
  const negative = sqlText`key, currency, ${each(MEASURES_OF[kind], (measure) => sqlText`-${measure} as ${measure}`)}`
  const sums = parts.map(({ span, from, to, sign }) => {
    const source =
      kind === 'product' && isLong(span)
        ? sqlText`product_sales where ${ofStore}`
        : sqlText`analytic_total where ${ofStore} and ${ofKind}`
    const shown = sign === 1 ? columns : negative
    return sqlText`select ${shown} from ${source} and span = ${bind(span)} and ${between(from, to)}`
  })
  sums.push(
    sqlText`select key, currency, ${changedColumnsOf(kind)} from analytic_change
      where ${ofStore} and ${ofKind} and ${between(period.from, period.to)}`,
  )
  return sqlText`(${joinSql(sums, sqlText` union all `)})`
}

const TITLES = {
  product: sqlText`select title from product where store_id = $1 and id = $2`,
  landing_page: sqlText`select title from landing_page where store_id = $1 and id = $2`,
}

/** Null if it was deleted. */
export const findTitle = async (db: Db, store: StoreId, kind: 'product' | 'landing_page', id: string) =>
  (await runSql<{ title: string }>(db, TITLES[kind], [store, id]))[0]?.title ?? null

/** How many carriers and cities are shown. */
export const MAX_PLACES = 100

export type PlaceRow = MeasureRow & { by: 'carrier' | 'city'; id: string | null; name: string | null }

/** Deliveries by carrier and by city. Cities are compared without case; the most frequent spelling is shown. */
export const readPlaces = async (db: Db, store: StoreId, period: Period) => {
  const statement = new Statement()
  const { bind } = statement
  const sums = byKey(statement, store, 'delivery', period)
  const counts = each(DELIVERIES, (name) => sqlText`coalesce(sum(${name}), 0) as ${name}`)
  const shown = each(DELIVERIES, (name) => sqlText`c.${name}`)
  const all = joinSql(
    DELIVERIES.map((name) => sqlText`sum(${identifier(name)})`),
    sqlText` + `,
  )
  return statement.run<PlaceRow>(
    db,
    sqlText`with sums as materialized (
      select split_part(key, '/', 1) as carrier, substr(key, strpos(key, '/') + 1) as city, ${counts}
      from ${sums} s group by 1, 2
    ),
    carriers as (
      select carrier, ${counts}, ${all} as weight from sums group by 1 having ${all} > 0 order by weight desc, 1 limit ${bind(MAX_PLACES)}
    ),
    spelt as (select lower(city) as folded, city, ${counts}, ${all} as weight from sums group by 1, 2),
    cities as (
      select folded, (array_agg(city order by weight desc, city))[1] as city, ${counts}, sum(weight) as weight
      from spelt group by 1 having sum(weight) > 0 order by weight desc, 1 limit ${bind(MAX_PLACES)}
    )
    select * from (
      select 'carrier' as by, n.id, n.name, c.weight, ${shown}
      from carriers c left join shipping_carrier n on n.store_id = ${bind(store)} and n.id = nullif(c.carrier, '')::uuid
      union all
      select 'city', null, nullif(c.city, ''), c.weight, ${shown} from cities c
    ) places order by by, weight desc, name, id`,
  )
}
