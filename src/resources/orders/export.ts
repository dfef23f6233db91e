import type { SortColumn } from '../../core/reading/cursor.ts'
import type { ListRequest } from '../../core/reading/filters.ts'
import { conditionsOf, findMatches, type Matches } from '../../core/reading/list.ts'
import { type Db, isDatabaseBusy } from '../../core/storage/database.ts'
import type { RunInTurn } from '../../core/storage/fair-queue.ts'
import { AND, chooseSql, directionSql, identifier, joinSql, type Sql, sqlText } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { type ColumnKind, SHOWN_COLUMNS, type ShownColumn } from './columns.ts'
import { CSV_LINE_END, type CsvColumn, csvHeading, csvLine, escapeFormula } from './csv-columns.ts'
import { orderList } from './list.ts'
import { Order, type OrderQuery } from './schema.ts'
import { duplicateOf, signalFacts } from './signals.ts'

export type ExportQuery = Pick<OrderQuery, 'order_by' | 'order_direction'>

const column = (name: string) => sqlText`o.${identifier(name)}`
const plain = (name: string) => column(name)
const typed = (name: string) => escapeFormula(column(name))
const money = (name: string) => sqlText`trim_scale(${column(name)})`
const moment = (name: string) => sqlText`iso(${column(name)})`

/** How a cell is written, by what its column holds. */
const CELLS: Partial<Record<ColumnKind, (name: string) => Sql>> = {
  ...{ id: plain, code: plain, status: plain, reference: plain, count: plain },
  ...{ text: typed, optional_text: typed },
  ...{ money, optional_money: money, time: moment, optional_time: moment },
  flag: (name) => sqlText`${column(name)}::text`,
}

const wholeName = (whose: string) =>
  escapeFormula(sqlText`btrim(${column(`${whose}_first_name`)} || ' ' || ${column(`${whose}_last_name`)})`)
const link = (page: Sql) => sqlText`'https://' || os.domain || '/${page}/' || o.ref`

/** Other fields of an order that a cell can show. */
const COMPUTED: { readonly [Name in Exclude<keyof Order, ShownColumn>]?: Sql } = {
  customer_name: wholeName('customer'),
  billing_name: wholeName('billing'),
  checkout_link: link(sqlText`checkout`),
  thank_you_link: link(sqlText`thank-you`),
}

const cellOf = (name: keyof Order) => {
  if (name === 'updated_at') return undefined
  return name in SHOWN_COLUMNS
    ? CELLS[SHOWN_COLUMNS[name as ShownColumn]]?.(name)
    : COMPUTED[name as keyof typeof COMPUTED]
}

/** The fields of an order in the order of its JSON, then columns that are useful in a spreadsheet. */
const COLUMNS: readonly CsvColumn[] = [
  ...(Object.keys(Order.properties) as (keyof Order)[]).flatMap((name): CsvColumn[] => {
    const sql = cellOf(name)
    return sql ? [{ name, sql }] : []
  }),
  { name: 'country', sql: sqlText`oc.name` },
  { name: 'items', sql: escapeFormula(sqlText`bought.items`) },
  { name: 'delivery_status', sql: sqlText`sent.statuses` },
  { name: 'tracking_number', sql: escapeFormula(sqlText`sent.numbers`) },
  { name: 'phone', sql: escapeFormula(sqlText`nullif(o.phone_e164, '?')`) },
  { name: 'duplicate_of', sql: sqlText`earlier.duplicate_of` },
  { name: 'phone_orders', sql: sqlText`desk.placed` },
  { name: 'phone_delivered', sql: sqlText`desk.delivered` },
  { name: 'phone_returned', sql: sqlText`desk.returned` },
  { name: 'phone_open', sql: sqlText`desk.open` },
  { name: 'level', sql: sqlText`signal_level(desk.reasons)` },
  { name: 'reasons', sql: sqlText`array_to_string(desk.reasons, '; ')` },
  { name: 'confirmation', sql: sqlText`o.confirmation` },
  { name: 'confirmation_attempts', sql: sqlText`o.confirmation_attempts` },
  { name: 'confirmation_next_at', sql: moment('confirmation_next_at') },
]

/** Position of the export: sort value (as text) and id of the last order written. */
interface Place {
  value: string
  id: string
}

interface Batch {
  lines: string
  orders: number
  bytes: number
  last: Place
}

/** Size of a piece, exceeded by one line at most. A stalled reader holds one piece in memory. */
const MAX_PIECE_BYTES = 2 * 2 ** 20

const BEYOND = { ASC: sqlText`>`, DESC: sqlText`<` }

const afterPlace = (statement: Statement, column: SortColumn, direction: 'ASC' | 'DESC', { value, id }: Place) =>
  sqlText`(${column.sql}, o.id) ${chooseSql(direction, BEYOND)}
   (${statement.bind(value)}::text::${identifier(column.type)}, ${statement.bind(id)}::uuid)`

/** Fetches up to `limit` orders, or as many as fit into a piece. */
const fetchBatch = async (
  db: Db,
  store: StoreId,
  query: ExportQuery,
  found: Matches,
  size: number,
  after: Place | undefined,
) => {
  const statement = new Statement()
  const column: SortColumn = orderList.sorts[query.order_by]
  const request: ListRequest = {
    statement,
    store,
    query: { ...query },
    direction: query.order_direction,
    id: sqlText`o.id`,
  }
  const bound = statement.bind(store)
  const conditions = [sqlText`o.store_id = ${bound}`, ...conditionsOf(orderList, request, found)]
  if (after) conditions.push(afterPlace(statement, column, query.order_direction, after))
  const direction = directionSql(query.order_direction)
  const sequence = sqlText`order by o.sort_key ${direction}, o.id ${direction}`
  // `offset 0` keeps the planner from inlining the subquery, which would render each line several times.
  const [batch] = await statement.run<Batch>(
    db,
    sqlText`select string_agg(o.line, '' ${sequence}) as lines,
      count(*) as orders,
      coalesce(sum(octet_length(o.line)), 0) as bytes,
      (array_agg(json_build_object('value', o.sort_key::text, 'id', o.id) order by o.before desc))[1] as last
    from (
      select o.*, sum(octet_length(o.line)) over (${sequence} rows unbounded preceding) - octet_length(o.line) as before
      from (
        select ${csvLine(COLUMNS)} || ${statement.bind(CSV_LINE_END)} as line, o.sort_key, o.id
        from (
          select * from (
            select o.*, ${column.sql} as sort_key from orders o where ${joinSql(conditions, AND)}
            order by ${column.sql} ${direction}, o.id ${direction} limit ${MAX_BATCH_ORDERS}
          ) planned limit ${statement.bind(size)}::bigint
        ) o
        join store os on os.id = ${bound}
        left join country oc on oc.id = o.country_id
        cross join lateral (
          select string_agg(l.quantity || ' x ' || l.title || coalesce(' (' || nullif(l.sku, '') || ')', ''), '; '
            order by l.position, l.id) as items
          from order_line l where l.store_id = ${bound} and l.order_id = o.id
        ) bought
        cross join lateral (
          select string_agg(d.status, '; ' order by d.created_at, d.id) as statuses,
            string_agg(d.tracking_number, '; ' order by d.created_at, d.id) as numbers
          from delivery d where d.store_id = ${bound} and d.order_id = o.id and not d.is_return
        ) sent
        cross join lateral (${signalFacts(sqlText`o`, bound)}) desk
        cross join lateral (select ${duplicateOf(sqlText`o`, bound, sqlText`desk.twin`)} as duplicate_of) earlier
        ${sequence} offset 0
      ) o
    ) o where o.before < ${MAX_PIECE_BYTES}`,
  )
  return batch as Batch
}
// The first batch is small, so that the reply starts soon. If it is slow, finding the rows takes longer than rendering
// them.
const FIRST_BATCH_ORDERS = 200
const BATCH_ORDERS = 2_000
const MAX_BATCH_ORDERS = 4_000
const SLOW_MS = 700
const GROWTH = 20

/** Size of the next batch. After a truncated batch it is smaller, because the rest was rendered in vain. */
const nextSize = (size: number, { orders, bytes, ms }: Batch & { ms: number }) =>
  bytes >= MAX_PIECE_BYTES
    ? Math.max(1, Math.ceil(orders / 2))
    : Math.min(ms > SLOW_MS ? MAX_BATCH_ORDERS : BATCH_ORDERS, size * GROWTH)

/**
 * Yields the file in pieces of some thousand orders. Each piece is a short query that continues after the last order of
 * the previous one. A cursor or COPY would hold a connection and a snapshot for as long as the slowest reader takes.
 * This way a stalled reader holds neither, and the next piece is fetched only when the reader is ready. No order is
 * repeated, because sort values do not change; only when sorting by status may an order whose status changes meanwhile
 * appear twice.
 */
export async function* exportOrders(
  db: Db,
  inTurn: RunInTurn,
  store: StoreId,
  query: ExportQuery,
  checkCaller: () => Promise<void>,
): AsyncGenerator<string> {
  const found = await inTurn(() => findMatches(db, orderList, store, { ...query }))
  const fetchTimed = async (size: number, after: Place | undefined) => {
    const started = performance.now()
    const batch = await fetchBatch(db, store, query, found, size, after)
    return { ...batch, ms: performance.now() - started }
  }
  let heading = csvHeading(COLUMNS)
  let size = FIRST_BATCH_ORDERS
  let after: Place | undefined
  for (;;) {
    let batch: Awaited<ReturnType<typeof fetchTimed>>
    try {
      batch = await inTurn(() => fetchTimed(size, after))
    } catch (error) {
      // These orders are much longer than the previous ones: retry with fewer.
      if (!isDatabaseBusy(error) || size === 1) throw error
      size = Math.ceil(size / GROWTH)
      continue
    }
    const { lines, orders, bytes, last } = batch
    if (heading || orders > 0) yield heading + (lines ?? '')
    if (orders < size && bytes < MAX_PIECE_BYTES) return
    heading = ''
    after = last
    await checkCaller()
    size = nextSize(size, batch)
  }
}
