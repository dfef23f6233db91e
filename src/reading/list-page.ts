import type { FastifyReply } from 'fastify'
import { invalid } from '../errors.ts'
import { sendJson } from '../http/json-reply.ts'
import type { Db } from '../storage/database.ts'
import { MAX_RESULT_BYTES, ResultTooLargeError } from '../storage/result-limit.ts'
import { directionSql } from '../storage/sql.ts'
import { cachedSql, Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { afterCursor, encodeCursor, type PageQuery, readCursor, type SortColumn } from './cursor.ts'
import { type CountedFilters, countExpression } from './row-counts.ts'

export type { PageQuery, SortColumn } from './cursor.ts'

/** What a list shows and how it may be sorted. `sql` pieces are constants, never a caller's text. */
export interface Listing<Sorts extends string> {
  /** Key of the array in `data`. */
  key: string
  /** A query in front of the others, by whose name `table` may go. */
  first?: (statement: Statement) => string
  table: string
  /** Where rows are counted, if not there: `table` may join more than the conditions need. */
  counted?: string
  alias: string
  /** What is counted ahead, so that a total of very many costs no more than a total of few. */
  counts?: CountedFilters
  /** Binds all that `json` refers to beside the row, before anything else is bound. */
  bind?: (statement: Statement) => unknown
  /** Renders one row of `alias` as JSON. */
  json: (statement: Statement) => string
  sorts: Record<Sorts, SortColumn>
}

/** One row of the page, in its sequence; all of them null but the total where the page is empty. */
interface PageRow {
  total: number
  /** Null for the one row beyond the page, which only tells that there is more. */
  json: string | null
  /** Of the last row of a full page: where the next one starts. */
  last: [string | number, string] | null
}

/**
 * A limit that is bound makes PostgreSQL plan for a tenth of the table, and one text for each size makes it keep a plan
 * for each: so the text has the next of these, and the size itself is bound around it.
 */
const PLANNED_SIZES = [20, 50, 100, 200]
const plannedSize = (size: number) => PLANNED_SIZES.find((planned) => planned >= size) ?? size

const tooLarge = (size: number) =>
  invalid({
    page_size: [`must be less than ${size}: the reply would have more than ${MAX_RESULT_BYTES / 2 ** 20} MB`],
  })

/**
 * One statement for a page: PostgreSQL counts, sorts, cuts and renders; the rows' text is relayed unparsed. Rows come one
 * by one, so that neither side has to hold more than the most that is sent. The id ends every sort, so that no row is
 * shown twice or lost between pages when sort keys tie.
 */
export const listPage = async <Sorts extends string>(
  db: Db,
  reply: FastifyReply,
  listing: Listing<Sorts>,
  query: PageQuery<Sorts>,
  store: StoreId,
  where: (statement: Statement) => (string | undefined | false)[],
  knownTotal?: number,
) => {
  const { table, alias, key } = listing
  const statement = new Statement()
  listing.bind?.(statement)
  const first = listing.first ? `with ${listing.first(statement)}` : ''
  const ofStore = statement.bind(store)
  const conditions = [`${alias}.store_id = ${ofStore}`, ...where(statement).filter(Boolean)].join(' and ')
  const column: SortColumn = listing.sorts[query.order_by]
  const direction = query.order_direction
  const id = `${alias}.id`
  const typeOf = (sort: string) => (Object.hasOwn(listing.sorts, sort) ? listing.sorts[sort as Sorts].type : undefined)
  const cursor = query.cursor ? readCursor(query, query.cursor, typeOf) : undefined
  const from = cursor ? ` and ${afterCursor(statement, column, id, cursor)}` : ''
  // Not even of nothing on the first page: a plan made for any offset prepares for a tenth of the table.
  const skip = cursor || query.page === 1 ? '' : `offset ${statement.bind((query.page - 1) * query.page_size)}::bigint`
  const counted = listing.counted ?? table
  const tally =
    listing.counts && countExpression(statement, listing.counts, { table: counted, alias, store: ofStore }, query)
  const known = knownTotal === undefined ? undefined : `select ${statement.bind(knownTotal)}`
  const total = known ?? tally ?? `select count(*) from ${counted} ${alias} where ${conditions}`
  const size = query.page_size
  const shown = `${statement.bind(size)}::bigint`
  const found = `${table} ${alias} where ${conditions}${from}
    order by ${column.sql} ${directionSql(direction)}, ${id} ${directionSql(direction)}
    limit ${plannedSize(size) + 1} ${skip}`
  const text = cachedSql(
    `list ${key} ${first} ${total} ${found}`,
    () => `${first}
    select (${total})::bigint as total, page.* from (values (1)) one left join lateral (
      select
        case when place <= ${shown} then (${listing.json(statement)})::text end as json,
        case when place = ${shown} then jsonb_build_array(${column.sql}, ${id}) end as last
      from (
        select ${alias}.*, row_number() over () as place from (select ${alias}.* from ${found}) ${alias}
        limit ${shown} + 1
      ) ${alias}
    ) page on true`,
  )
  const rows = await statement.run<PageRow>(db, text).catch((error) => {
    throw error instanceof ResultTooLargeError ? tooLarge(size) : error
  })
  const { total: count } = rows[0] as PageRow
  const last = rows.length > size ? rows[size - 1]?.last : undefined
  const pagination = {
    total: count,
    per_page: size,
    current_page: cursor?.page ?? query.page,
    last_page: Math.max(1, Math.ceil(count / size)),
    next_cursor: last
      ? encodeCursor({ sort: query.order_by, direction, page: (cursor?.page ?? query.page) + 1, after: last })
      : null,
  }
  const json = rows.slice(0, size).map((row) => row.json)
  return sendJson(reply, `{"data":{"${key}":[${json.join()}],"pagination":${JSON.stringify(pagination)}}}`)
}
