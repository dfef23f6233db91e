import { Type } from 'typebox'
import { earliest, latest } from '../input/date-bounds.ts'
import { DateBound, extension } from '../input/schemas.ts'
import type { Db } from '../storage/database.ts'
import { COMMA, chooseSql, identifier, joinSql, type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import type { ColumnType } from './cursor.ts'
import { amongMatches, type MatchingIds } from './matching-ids.ts'

/** A request for a list, as passed to filters and sorts. */
export interface ListRequest {
  statement: Statement
  store: StoreId
  /** Everything in the query string. */
  query: Readonly<Record<string, unknown>>
  direction: 'ASC' | 'DESC'
  /** The id of the listed row, as SQL. */
  id: Sql
}

export interface Filter {
  /** The condition as SQL. Constants only: whatever a caller sends is bound. */
  condition: (value: never, request: ListRequest, found: MatchingIds | undefined) => Sql | undefined
  /** Row counters exist for each value of this filter: see row-counts.ts. */
  counted?: boolean
  /** Looks up the matching ids in a separate statement, before the list is read. */
  find?: (db: Db, store: StoreId, value: never, query: ListRequest['query']) => Promise<MatchingIds | undefined>
}

export interface Sort {
  /** Never null: a missing value gets a key that sorts it. */
  sql: Sql | ((request: ListRequest) => Sql)
  type: ColumnType
  /** Computed for each match of a search: no index has it. */
  ranks?: boolean
  /**
   * The table with the index of this sort, if it is another one. It has the same ids and the columns that filters use.
   * A function selects these from both tables, which it joins.
   */
  from?: Sql | ((store: Sql) => Sql)
}

interface EqualsOptions {
  type?: 'text' | 'boolean' | 'uuid' | 'integer'
  counted?: boolean
}

/** Rows whose column has the given value. */
export const equals = (column: Sql, { type = 'text', counted = false }: EqualsOptions = {}): Filter => ({
  condition: (value, { statement }) => sqlText`${column} = ${statement.bind(value)}::${identifier(type)}`,
  counted,
})

/**
 * Rows whose column has any of the given values. Several are constants and not bound, so that the planner knows how many
 * rows have them.
 */
export const anyOf = (
  column: Sql,
  known: readonly string[],
  { counted = false }: Pick<EqualsOptions, 'counted'> = {},
): Filter => ({
  condition: (wanted: readonly string[], { statement }) => {
    const values = known.filter((value) => wanted.includes(value))
    return values.length === 1
      ? sqlText`${column} = ${statement.bind(values[0])}`
      : sqlText`${column} in (${joinSql(
          values.map((value) => sqlText`'${identifier(value)}'`),
          COMMA,
        )})`
  },
  counted,
})

/** Rows whose ids are looked up beforehand; `otherwise` is the condition if there are too many to list. */
export const lookedUp = (
  find: NonNullable<Filter['find']>,
  otherwise: (value: never, request: ListRequest) => Sql | undefined,
): Filter => ({
  find,
  condition: (value, request, found) =>
    amongMatches(request.statement, request.id, found) ?? otherwise(value as never, request),
})

const MISSING_LAST = { ASC: sqlText`U&'\\+10FFFF'`, DESC: sqlText`''` }

/** Rows without a value come last in both directions: their key is the highest, or the lowest when descending. */
export const missingLast = (column: Sql, from?: Sort['from']): Sort => ({
  sql: ({ direction }) => sqlText`coalesce(${column}, ${chooseSql(direction, MISSING_LAST)})`,
  type: 'text',
  ...(from && { from }),
})

export const since = (column: Sql): Filter => ({
  condition: (from: string, { statement }) => sqlText`${column} >= ${statement.bind(earliest(from))}::timestamptz`,
})

export const until = (column: Sql): Filter => ({
  condition: (to: string, { statement }) => sqlText`${column} <= ${statement.bind(latest(to))}::timestamptz`,
})

/** List parameters that filter by time of update; see BY_UPDATE for their counters. */
export const updatedBounds = {
  updated_from: Type.Optional(extension(DateBound('Changed at this time or later.'))),
  updated_to: Type.Optional(
    extension(DateBound('Changed at this time or earlier. A date without a time means the end of that day, UTC.')),
  ),
}

export const updatedFilters = (column: Sql): Record<keyof typeof updatedBounds, Filter> => ({
  updated_from: since(column),
  updated_to: until(column),
})
