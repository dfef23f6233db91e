import { earliest, latest } from '../input/date-bounds.ts'
import { tryLock } from '../storage/advisory-locks.ts'
import type { Db } from '../storage/database.ts'
import { AND, identifier, joinSql, OR, type Sql, sqlText, t } from '../storage/sql.ts'
import { runSql, type Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { inStore } from '../storage/store-statement.ts'

/** What the row counters of a list count: see storage/schema/counters.sql, which maintains them. */
export interface CountedFilters {
  /** The table whose rows are counted. */
  kind: string
  /** Filters by a single value, with a counter for each value. */
  facets?: readonly string[]
  /** There is one counter for each combination of these values, and so for each day of creation. */
  combined?: boolean
  /** Filters by a minimum of one digit, with a counter for each value. */
  minimums?: readonly string[]
  /** Date ranges that are counted by day. */
  days?: readonly DateRange[]
}

interface DateRange {
  /** The table with the index of the column, if it is another one. */
  table?: Sql
  column: string
  facet: string
  /** The filters that bound it. */
  from: string
  to: string
}

export const BY_CREATION: DateRange = { column: 'created_at', facet: 'day', from: 'from', to: 'to' }
export const BY_UPDATE: DateRange = {
  column: 'updated_at',
  facet: 'updated',
  from: 'updated_from',
  to: 'updated_to',
}

const PAGING = new Set(['page', 'page_size', 'order_by', 'order_direction', 'cursor', 'total'])

const filtersOf = (query: object) =>
  Object.entries(query).filter(([name, value]) => !PAGING.has(name) && value !== undefined)

export const onlyFilter = (query: object): string | undefined => {
  const filters = filtersOf(query)
  return filters.length === 1 ? filters[0]?.[0] : undefined
}

/** The text of a filter with a single value; there are no counters for several values. */
const single = (value: unknown): string | undefined => {
  const one = Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
  return ['string', 'boolean', 'number'].includes(typeof one) ? String(one) : undefined
}

const DAY = 86_400_000
/** Sorts after every digit. */
const BEYOND = '~'
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

interface Scope {
  table: Sql
  alias: Sql
  /** Binds the store. */
  store: Sql
  /** The conditions of all filters. */
  where: () => Sql
}

const sum = ({ bind }: Statement, { kind }: CountedFilters, { store }: Scope, facet: Sql, sign = sqlText``) =>
  sqlText`select ${sign}coalesce(sum(y.delta), 0)::bigint as total from ${t.tally} y
    where y.store_id = ${store} and y.kind = ${bind(kind)} and ${facet}`

/** Sums the counters of whole days and counts only the rows of partial first and last days. */
const between = (
  statement: Statement,
  counters: CountedFilters,
  scope: Scope,
  range: DateRange,
  from: Date | undefined,
  to: Date | undefined,
  states?: () => Sql,
) => {
  const first = from && Math.ceil(from.getTime() / DAY) * DAY
  // `to` is inclusive: a day is whole when its last millisecond is within.
  const afterLast = to && Math.floor((to.getTime() + 1) / DAY) * DAY
  const column = sqlText`${scope.alias}.${identifier(range.column)}`
  const table = range.table ?? scope.table
  const others = () => (states ? scope.where() : sqlText`${scope.alias}.store_id = ${scope.store}`)
  const rows = (low: number, high: number) => sqlText`select count(*) as total from ${table} ${scope.alias}
    where ${others()} and ${column} >= ${statement.bind(new Date(low))}::timestamptz
      and ${column} <= ${statement.bind(new Date(high))}::timestamptz`
  if (from && to && (first as number) >= (afterLast as number)) return rows(from.getTime(), to.getTime())
  const named = (day: string) => statement.bind(`${range.facet}=${day}`)
  const lowest = named(first === undefined ? '' : dayOf(first))
  const beyond = named(afterLast === undefined ? BEYOND : dayOf(afterLast))
  const ofStates = states ? sqlText` and ${states()}` : sqlText``
  const parts = [sum(statement, counters, scope, sqlText`y.facet >= ${lowest} and y.facet < ${beyond}${ofStates}`)]
  if (from && first && from.getTime() < first) parts.push(rows(from.getTime(), first - 1))
  if (to && afterLast && to.getTime() >= afterLast) parts.push(rows(afterLast, to.getTime()))
  return added(parts)
}

const added = (counts: readonly Sql[]) =>
  counts.length === 1
    ? (counts[0] as Sql)
    : sqlText`select ${joinSql(
        counts.map((count) => sqlText`(${count})`),
        sqlText` + `,
      )} as total`

const EXCLUDED = /^exclude_/

/** Counters whose combination of states passes the filters. */
const withStates = ({ bind }: Statement, filters: readonly [string, unknown][]): Sql => {
  const conditions = filters.map(([name, value]) => {
    const state = name.replace(EXCLUDED, '')
    const values = Array.isArray(value) ? value : [value]
    const any = joinSql(
      values.map((one) => sqlText`strpos(y.facet, ${bind(`&${state}=${one}&`)}) > 0`),
      OR,
    )
    return EXCLUDED.test(name) ? sqlText`not (${any})` : sqlText`(${any})`
  })
  return joinSql(conditions, AND)
}

/** The total of any combination of states, with or without a range of days. */
const combinedCount = (
  statement: Statement,
  counters: CountedFilters,
  scope: Scope,
  filters: readonly [string, unknown][],
): Sql | undefined => {
  const isDate = ([name]: readonly [string, unknown]) => name === BY_CREATION.from || name === BY_CREATION.to
  const others = filters.filter((filter) => !isDate(filter))
  if (!others.every(([name]) => counters.facets?.includes(name.replace(EXCLUDED, '')))) return undefined
  // Not before it is needed: a statement may not bind what it does not contain.
  const states = () => withStates(statement, others)
  const values = Object.fromEntries(filters) as Record<string, string | undefined>
  if (!filters.some(isDate))
    return sum(statement, counters, scope, sqlText`y.facet >= '&' and y.facet < '''' and ${states()}`)
  const [from, to] = [earliest(values[BY_CREATION.from]), latest(values[BY_CREATION.to])]
  return between(statement, counters, scope, BY_CREATION, from, to, states)
}

/** A select of the total, if the counters know it: all rows, counted values (or all but them), or a date range. */
export const countExpression = (
  statement: Statement,
  counters: CountedFilters,
  scope: Scope,
  query: object,
): Sql | undefined => {
  const filters = filtersOf(query)
  const count = (facet: Sql, sign?: Sql) => sum(statement, counters, scope, facet, sign)
  if (filters.length === 0) return count(sqlText`y.facet = ''`)
  const values = Object.fromEntries(filters) as Record<string, string | undefined>
  const range = counters.days?.find(({ from, to }) => filters.every(([name]) => name === from || name === to))
  if (range) return between(statement, counters, scope, range, earliest(values[range.from]), latest(values[range.to]))
  if (counters.combined) return combinedCount(statement, counters, scope, filters)
  const [name, value] = filters[0] as [string, unknown]
  const excluded = name.startsWith('exclude_')
  const facet = excluded ? name.slice('exclude_'.length) : name
  const text = single(value)
  if (filters.length > 1 || text === undefined) return undefined
  if (counters.minimums?.includes(name))
    return count(
      sqlText`y.facet >= ${statement.bind(`${name}=${text}`)} and y.facet < ${statement.bind(`${name}=${BEYOND}`)}`,
    )
  if (!counters.facets?.includes(facet)) return undefined
  const ofValue = sqlText`y.facet = ${statement.bind(`${facet}=${text}`)}`
  return excluded ? added([count(sqlText`y.facet = ''`), count(ofValue, sqlText`-`)]) : count(ofValue)
}

/** Days that have passed change seldom, and a total adds up many of them: they are merged to one row each. */
const MANY = sqlText`count(*) > case when facet like 'day=%' and facet < 'day=' || utc_day(now()) then 1 else 20 end`

const STORES = sqlText`select distinct store_id from (
  select store_id from tally group by store_id, kind, facet having ${MANY} limit 5000) m`

const MERGE = sqlText`with many as (
    select kind, facet from ${t.tally} where store_id = $1 group by kind, facet having ${MANY}
  ),
  taken as (
    delete from ${t.tally} y using many m where y.store_id = $1 and y.kind = m.kind and y.facet = m.facet
    returning y.kind, y.facet, y.delta
  ),
  merged as (
    insert into ${t.tally} (store_id, kind, facet, delta)
    select $1::uuid, kind, facet, sum(delta) from taken group by kind, facet having sum(delta) <> 0
  )
  select 1 as done`

/** Merges the differences of each facet into one row. Readers see either the old rows or the new one. */
export const mergeRowCounts = async (db: Db) => {
  for (const { store_id } of await runSql<{ store_id: StoreId }>(db, STORES, []))
    await db.transaction().execute(async (db) => {
      if (await tryLock(db, 'rowCounts')) await inStore(db, store_id, MERGE, [store_id])
    })
}
