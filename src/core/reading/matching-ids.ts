import type { Db } from '../storage/database.ts'
import { directionSql, type Sql, sqlText } from '../storage/sql.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { inStore } from '../storage/store-statement.ts'
import { onlyFilter } from './row-counts.ts'

/** Up to this many matches are looked up by id. With more, a list finds enough of them by reading in its own order. */
const MAX_FETCHED_IDS = 20_000

/** With more matches than this, a list that needs no total reads in its own order until the page is full. */
const MAX_UNCOUNTED_IDS = 1_000

export interface MatchingIds {
  total: number
  /** A PostgreSQL array literal; undefined if there are too many. */
  ids: string | undefined
  /** Number of fetched ids: less than `total` if only the first were requested. */
  fetched: number
}

/** Fetches only the first matches, sorted by the column `place` of the select. */
export interface FirstMatches {
  limit: number
  direction: 'ASC' | 'DESC'
}

export const NO_MATCHES: MatchingIds = { total: 0, ids: '{}', fetched: 0 }

/** Runs `text`, a select of distinct ids. Counts them, and fetches them unless there are too many. */
export const findMatchingIds = async (
  db: Db,
  store: StoreId,
  statement: Statement,
  text: Sql,
  first?: FirstMatches,
): Promise<MatchingIds> => {
  const wanted =
    first && first.limit <= MAX_FETCHED_IDS
      ? sqlText`(select id from hits order by place ${directionSql(first.direction)}, id ${directionSql(first.direction)} limit ${statement.bind(first.limit)})`
      : sqlText`(select id from hits where total <= ${MAX_FETCHED_IDS})`
  const row = await inStore<{ total: number; ids: string | null; fetched: number }>(
    db,
    store,
    sqlText`with hits as materialized (${text}), counted as materialized (select count(*) as total from hits)
     select total, ids, fetched from counted
     cross join lateral (select array_agg(id)::text as ids, count(*) as fetched from ${wanted} wanted) w`,
    statement.values,
  )
  if (!row || row.total === 0) return NO_MATCHES
  return { total: row.total, ids: row.ids ?? undefined, fetched: row.fetched }
}

/** Runs `text`, a select of ids. Fetches them all, or none if there are more than `most`. */
export const findFewIds = async (
  db: Db,
  store: StoreId,
  statement: Statement,
  text: Sql,
  most: number,
): Promise<MatchingIds | undefined> => {
  const row = await inStore<{ total: number; ids: string | null }>(
    db,
    store,
    sqlText`select count(*) as total, array_agg(id)::text as ids from (${text} limit ${most + 1}) few`,
    statement.values,
  )
  if (!row || row.total === 0) return NO_MATCHES
  return row.total > most ? undefined : { total: row.total, ids: row.ids ?? undefined, fetched: row.total }
}

/**
 * Runs `text`, a select of ids, for a list that needs no total. Materialized: with a limit, the planner expects to find
 * enough matches soon in a scan of the whole table, which takes long if there are few.
 */
export const findUncountedIds = (db: Db, store: StoreId, statement: Statement, text: Sql) =>
  findFewIds(db, store, statement, sqlText`with hits as materialized (${text}) select id from hits`, MAX_UNCOUNTED_IDS)

/** Few ids are joined one by one, so the planner cannot choose an index scan for the sort. For many, that scan is faster. */
const MAX_JOINED_IDS = 200

/** The condition that a row is among the matches; undefined if there was no lookup or there are too many matches. */
export const amongMatches = (statement: Statement, id: Sql, found: MatchingIds | undefined): Sql | undefined => {
  if (found?.ids === undefined) return undefined
  const list = sqlText`${statement.bind(found.ids)}::uuid[]`
  return found.fetched <= MAX_JOINED_IDS ? sqlText`${id} in (select unnest(${list}))` : sqlText`${id} = any(${list})`
}

/** The total of a list whose only filter was looked up beforehand. */
export const totalOfMatches = (
  query: object,
  found: Partial<Record<string, MatchingIds | undefined>>,
): number | undefined => {
  const name = onlyFilter(query)
  return name === undefined ? undefined : found[name]?.total
}
