import type { FastifyReply, FastifyRequest } from 'fastify'
import { invalid } from '../../errors.ts'
import type { EncodedBody } from '../http/encoded-body.ts'
import { encodeJson, sendBody } from '../http/json-reply.ts'
import type { Db } from '../storage/database.ts'
import { preferReplica } from '../storage/replicas.ts'
import { MAX_RESULT_BYTES, ResultTooLargeError } from '../storage/result-limit.ts'
import { AND, COMMA, directionSql, joinSql, type Sql, sqlText, t } from '../storage/sql.ts'
import { cachedSql, Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { inStore, onCoordinator } from '../storage/store-statement.ts'
import type { Tables } from '../storage/tables.ts'
import { beforeTime, changesCompleteUntil, isByUpdate } from './complete-until.ts'
import { afterCursor, type Cursor, encodeCursor, type PageQuery, readCursor } from './cursor.ts'
import type { Filter, ListRequest, Sort } from './filters.ts'
import { type MatchingIds, totalOfMatches } from './matching-ids.ts'
import type { Reader } from './reader.ts'
import { type CountedFilters, countExpression } from './row-counts.ts'
import { unindexed } from './store-condition.ts'

/** Declares a list: what it shows, its filters and its sorts. */
export interface List {
  /** Key of the array in `data`. */
  key: string
  /** The kind of text it shows. */
  kind: string
  table: keyof Tables
  /** The table's alias in conditions and sorts. */
  alias: Sql
  filters: Readonly<Record<string, Filter>>
  sorts: Readonly<Record<string, Sort>>
  /** For a table with row counters: what they count besides the filters marked as counted. */
  rowCounts?: Omit<CountedFilters, 'kind' | 'facets'>
  /** The filter whose matches are collected first, then counted and sorted. */
  gather?: string
  /** The table is about apps and people: in a distributed database, the coordinator has it. */
  onCoordinator?: true
}

/** Matching ids by the name of the filter. */
export type Matches = Partial<Record<string, MatchingIds | undefined>>

const activeFilters = ({ filters }: List, query: ListRequest['query']) =>
  Object.entries(filters).filter(([name]) => query[name] !== undefined)

/**
 * Looks up the ids that some filters need, before the list is read. The query planner cannot estimate how many rows
 * match a search: it might scan the whole store by date for three matches, or sort half a million.
 */
export const findMatches = async (
  db: Db,
  list: List,
  store: StoreId,
  query: ListRequest['query'],
): Promise<Matches> => {
  const found: Matches = {}
  for (const [name, { find }] of activeFilters(list, query))
    if (find) found[name] = await find(db, store, query[name] as never, query)
  return found
}

/** The conditions of the given filters. */
export const conditionsOf = (list: List, request: ListRequest, found: Matches): Sql[] =>
  activeFilters(list, request.query).flatMap(
    ([name, { condition }]) => condition(request.query[name] as never, request, found[name]) ?? [],
  )

/** The limit in the statement's text. For a bound limit, the planner assumes a tenth of the table. */
const PLANNED_ROWS = 201

interface PageRow {
  /** Null if it was not asked for. */
  total: number | null
  /** Ids and sort keys, in sequence; one more than the page shows if there is another page. */
  page: [id: string, key: string | number][] | null
}

const facets = (list: List) =>
  Object.entries(list.filters)
    .filter(([, { counted }]) => counted)
    .map(([name]) => name)

/** Evaluated when it is first used: a statement binds only what it contains. */
const once = <T>(make: () => T) => {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

interface PageRequest {
  list: List
  query: PageQuery<string>
  store: StoreId
  cursor: Cursor | undefined
  found: Matches
}

/** Without a total, only so many matches of a search are ranked. */
const MAX_RANKED = 2_000

const isGathered = ({ gather }: List, query: PageQuery<string>) =>
  gather !== undefined && (query as unknown as ListRequest['query'])[gather] !== undefined

/** The source of the rows: the table, or the collected matches of a search. */
const source = ({ list, query, store, found }: PageRequest, request: ListRequest) => {
  const { alias } = list
  const { statement, id } = request
  const sort = list.sorts[query.order_by] as Sort
  const column = once(() => ({ sql: typeof sort.sql === 'string' ? sort.sql : sort.sql(request), type: sort.type }))
  const ownTable = t[list.table]
  const conditions = () => conditionsOf(list, request, found)
  const ofStore = once(() => statement.bind(store))
  const { from = ownTable } = sort
  const table = typeof from === 'function' ? ownTable : from
  const joined = once(() => (typeof from === 'function' ? sqlText`(${from(ofStore())})` : undefined))
  if (!isGathered(list, query))
    return {
      first: () => sqlText``,
      from: () => sqlText`${joined() ?? table} ${alias}`,
      counted: () => joined() ?? ownTable,
      ofStore,
      where: once(() => joinSql([sqlText`${alias}.store_id = ${ofStore()}`, ...conditions()], AND)),
      column,
      id,
    }
  const where = () => joinSql([unindexed(sqlText`${alias}.store_id`, ofStore()), ...conditions()], AND)
  const most = query.total === false && sort.ranks ? sqlText` limit ${MAX_RANKED}` : sqlText``
  return {
    first: once(
      () =>
        sqlText`hits as materialized (select ${id}, ${column().sql} as sort_key from ${table} ${alias} where ${where()}${most}),`,
    ),
    from: () => sqlText`hits ${alias}`,
    counted: undefined,
    ofStore,
    where: () => sqlText`true`,
    column: () => ({ sql: sqlText`${alias}.sort_key`, type: sort.type }),
    id: sqlText`${alias}.id`,
  }
}

/** The parts of a statement that reads a page. */
const partsOf = (page: PageRequest, statement: Statement) => {
  const { list, query, store, cursor, found } = page
  const request: ListRequest = {
    statement,
    store,
    query: query as unknown as Record<string, unknown>,
    direction: query.order_direction,
    id: sqlText`${list.alias}.id`,
  }
  const { first, from, counted, ofStore, where, column, id } = source(page, request)
  const direction = directionSql(query.order_direction)
  const knownTotal = totalOfMatches(query, found)
  const countOf = () => {
    const counters = counted && list.rowCounts && { kind: list.table, ...list.rowCounts, facets: facets(list) }
    if (!counters) return undefined
    const scope = { table: t[list.table], alias: list.alias, store: ofStore(), where }
    return countExpression(statement, counters, scope, query)
  }
  return {
    first,
    id,
    ofStore,
    key: () => column().sql,
    total: () => {
      if (query.total === false) return sqlText`select null::bigint as total`
      if (knownTotal !== undefined) return sqlText`select ${statement.bind(knownTotal)}::bigint as total`
      const table = counted ? sqlText`${counted()} ${list.alias}` : from()
      return countOf() ?? sqlText`select count(*) as total from ${table} where ${where()}`
    },
    rows: () => {
      const rest = cursor ? sqlText` and ${afterCursor(statement, column(), id, cursor)}` : sqlText``
      return sqlText`from ${from()} where ${where()}${rest} order by ${column().sql} ${direction}, ${id} ${direction}`
    },
    // No offset on the first page: with a bound offset, the planner assumes a tenth of the table.
    offset: () =>
      cursor || query.page === 1
        ? sqlText``
        : sqlText`offset ${statement.bind((query.page - 1) * query.page_size)}::bigint`,
    size: once(() => sqlText`${statement.bind(query.page_size)}::bigint`),
  }
}

/**
 * Reads a page in one statement: ids, total, and the texts with all that fills their holes. Its text depends on the given
 * filters, the sort and the direction; everything else is bound. Every sort ends with the id, so no row is repeated or
 * lost when sort keys tie.
 */
const readRows = async (db: Db, page: PageRequest, texts: Reader) => {
  const statement = new Statement()
  const { first, id, ofStore, key, total, rows, offset, size } = partsOf(page, statement)
  const shown = texts.query(page.list.kind, { store: ofStore(), ids: sqlText`(select ids from shown)::uuid[]` })
  const text = sqlText`with ${first()} page as materialized (
      select * from (
        select ${id} as id, ${key()} as key ${rows()} limit ${PLANNED_ROWS} ${offset()}
      ) planned limit ${size()} + 1
    ),
    ${joinSql([sqlText`shown as (select array(select id from page limit ${size()}) as ids)`, ...shown.with], COMMA)}
    select (${total()})::bigint as total, (select json_agg(json_build_array(id, key)) from page) as page
      ${shown.sql && sqlText`, ${shown.sql}`}`
  const constant = cachedSql(text, () => text)
  const send = page.list.onCoordinator ? onCoordinator : inStore
  const read = await send<PageRow & Record<string, unknown>>(db, page.store, constant, statement.values)
  const row = read as PageRow & Record<string, unknown>
  return { ...row, texts: (ids: string[]) => shown.read(db, ids, row) }
}

const readPage = async (db: Db, texts: Reader, list: List, query: PageQuery<string>, store: StoreId) => {
  const typeOf = (name: string) => (Object.hasOwn(list.sorts, name) ? list.sorts[name]?.type : undefined)
  const cursor = query.cursor ? readCursor(query, query.cursor, typeOf) : undefined
  const given = query as unknown as ListRequest['query']
  const found = await findMatches(db, list, store, given)
  const page = await readRows(db, { list, query, store, cursor, found }, texts)
  const entries = page.page ?? []
  const ids = entries.slice(0, query.page_size).map(([id]) => id)
  return { texts: await page.texts(ids), pagination: paginationOf(query, cursor, page.total, entries) }
}

const paginationOf = (
  query: PageQuery<string>,
  cursor: Cursor | undefined,
  total: number | null,
  page: NonNullable<PageRow['page']>,
) => {
  const { page_size: size, order_by: sort, order_direction: direction } = query
  const current = cursor?.page ?? query.page
  const last = page.length > size ? page[size - 1] : undefined
  return {
    total,
    per_page: size,
    current_page: current,
    last_page: total === null ? null : Math.max(1, Math.ceil(total / size)),
    next_cursor: last ? encodeCursor({ sort, direction, page: current + 1, after: [last[1], last[0]] }) : null,
  }
}

const tooLarge = (size: number) =>
  invalid({
    page_size: [`must be less than ${size}: the reply would have more than ${MAX_RESULT_BYTES / 2 ** 20} MB`],
  })

type Page = Awaited<ReturnType<typeof readPage>>

const encodePage = (key: string, { texts, pagination }: Page, more: object = {}): Promise<EncodedBody> => {
  const items = texts.flatMap((text, index) => (index === 0 ? [text] : [',', text]))
  return encodeJson([`{"data":{"${key}":[`, ...items, `],"pagination":${JSON.stringify({ ...pagination, ...more })}}}`])
}

/** Sends a page of a list. */
export const sendPage = async (
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
  list: List,
  query: PageQuery<string>,
) => {
  const { store, texts } = request
  const read = async (query: PageQuery<string>) =>
    readPage(db, texts, list, query, store).catch((error) => {
      throw error instanceof ResultTooLargeError ? tooLarge(query.page_size) : error
    })
  if (list.filters.updated_to && isByUpdate(query)) {
    // Not remembered, and not from a standby: the reply depends on transactions that are open at the moment.
    const until = await changesCompleteUntil(db, store)
    const page = await read(beforeTime(query, until))
    return sendBody(reply, await encodePage(list.key, page, { updated_until: until.toISOString() }))
  }
  await preferReplica()
  const body = await request.recall(db, list.kind, JSON.stringify(query), async () =>
    encodePage(list.key, await read(query)),
  )
  return sendBody(reply, body)
}
