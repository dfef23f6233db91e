import type { PageQuery } from '../../core/reading/cursor.ts'
import { anyOf, equals, type Filter, lookedUp, since, until, updatedFilters } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import {
  type FirstMatches,
  findMatchingIds,
  findUncountedIds,
  type MatchingIds,
  NO_MATCHES,
} from '../../core/reading/matching-ids.ts'
import { BY_CREATION, BY_UPDATE, onlyFilter } from '../../core/reading/row-counts.ts'
import { likeCondition } from '../../core/reading/search-text.ts'
import { storeCondition } from '../../core/reading/store-condition.ts'
import type { Db } from '../../core/storage/database.ts'
import { identifier, joinSql, OR, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { CONFIRMATION_STATES } from './desk-schema.ts'
import { DELIVERY_STATUSES, ORDER_STATUSES, REFUND_STATUSES } from './schema.ts'
import { orderSearchPatterns } from './search.ts'
import { isDuplicate, levelOf } from './signals.ts'

type Query = Readonly<Record<string, unknown>>

const searches = (statement: Statement, search: string) =>
  joinSql(
    orderSearchPatterns(search).map((pattern) => likeCondition(statement, sqlText`s.text`, pattern)),
    OR,
  )

/** A search sorted by date without other filters needs only the matches up to the end of the page. */
const firstByDate = (query: Query): FirstMatches | undefined => {
  const { page, page_size, order_by, order_direction, cursor } = query as Partial<PageQuery<string>>
  const alone = order_by === 'date' && cursor === undefined && onlyFilter(query) === 'search'
  return alone && page && page_size && order_direction
    ? { limit: page * page_size + 1, direction: order_direction }
    : undefined
}

const searchOrders = async (db: Db, store: StoreId, text: string, query: Query): Promise<MatchingIds | undefined> => {
  const statement = new Statement()
  const words = searches(statement, text)
  if (!words) return undefined
  // Punctuation alone has no trigrams to look up.
  if (!/[\p{L}\p{N}]/u.test(text)) return NO_MATCHES
  const ofStore = await storeCondition(db, statement, sqlText`s.store_id`, store, 'orders')
  const hits = sqlText`select s.order_id as id, s.created_at as place from ${t.order_search} s where ${ofStore} and (${words})`
  if (query.total === false) return findUncountedIds(db, store, statement, hits)
  return findMatchingIds(db, store, statement, hits, firstByDate(query))
}

/**
 * For matches in very many orders. As a scalar subquery, the condition is checked order by order while scanning by
 * date. As a join, a generic plan would start with the words. If another filter is set, which may leave few orders, all
 * matches are looked up first.
 */
const search = lookedUp(searchOrders, (text: string, { statement, store, query }) => {
  const words = searches(statement, text)
  if (!words) return undefined
  const ofStore = sqlText`s.store_id = ${statement.bind(store)}`
  return onlyFilter(query) === 'search'
    ? sqlText`(select ${words} from ${t.order_search} s where ${ofStore} and s.order_id = o.id)`
    : sqlText`o.id in (with hits as materialized (
        select s.order_id from ${t.order_search} s where ${ofStore} and (${words})) select order_id from hits)`
})

const linesWith = ({ bind }: Statement, store: StoreId, products: readonly string[]) =>
  sqlText`pl.store_id = ${bind(store)} and pl.product_id = any(${bind(products)}::uuid[])`

const ordersOfProducts = (db: Db, store: StoreId, products: readonly string[]) => {
  const statement = new Statement()
  const lines = linesWith(statement, store, products)
  return findMatchingIds(
    db,
    store,
    statement,
    sqlText`select distinct pl.order_id as id from ${t.order_line} pl where ${lines}`,
  )
}

const product = lookedUp(
  ordersOfProducts,
  (products: readonly string[], { statement, store }) =>
    sqlText`exists (select 1 from ${t.order_line} pl where pl.order_id = o.id and ${linesWith(statement, store, products)})`,
)

/** Orders with a delivery of which this is true. */
const ofDeliveries = (deliveries: (statement: Statement, store: StoreId, value: string) => Sql) =>
  lookedUp(
    (db: Db, store: StoreId, value: string) => {
      const statement = new Statement()
      const found = deliveries(statement, store, value)
      return findMatchingIds(
        db,
        store,
        statement,
        sqlText`select distinct cd.order_id as id from ${t.delivery} cd where ${found}`,
      )
    },
    (value: string, { statement, store }) =>
      sqlText`exists (select 1 from ${t.delivery} cd where cd.order_id = o.id and ${deliveries(statement, store, value)})`,
  )

const carrier = ofDeliveries(
  ({ bind }, store, id) => sqlText`cd.store_id = ${bind(store)} and cd.carrier_id = ${bind(id)}`,
)

const trackingNumber = ofDeliveries(
  ({ bind }, store, number) =>
    sqlText`cd.store_id = ${bind(store)} and upper(cd.tracking_number) = upper(${bind(number)}::text)`,
)

/** Constants and not bound values, so that the planner can use the index that each status has. */
const has = (column: Sql, known: readonly string[]): Filter => ({
  counted: true,
  condition: (wanted: readonly string[]) => {
    const statuses = known.filter((status) => wanted.includes(status))
    return sqlText`(${joinSql(
      statuses.map((status) => sqlText`'${identifier(status)}' = any(${column})`),
      OR,
    )})`
  },
})

const lacks = (column: Sql): Filter => ({
  condition: (unwanted, { statement }) => sqlText`not (${column} && ${statement.bind(unwanted)}::text[])`,
})

/** Computed for each order that the other filters leave. */
const level: Filter = {
  condition: (levels, { statement, store }) =>
    sqlText`${levelOf(sqlText`o`, statement.bind(store))} = any(${statement.bind(levels)}::text[])`,
}

/** Only a number with several open orders, or an order without a number, can have a duplicate. */
const duplicate: Filter = {
  condition: (wanted: boolean, { statement, store }) => {
    const bound = statement.bind(store)
    const found = sqlText`(o.phone_e164 is null and o.customer_id is not null or o.phone_e164 in (
      select p.phone from ${t.phone_count} p where p.store_id = ${bound} and p.open > 1)) and ${isDuplicate(sqlText`o`, bound)}`
    return wanted ? sqlText`(${found})` : sqlText`(${found}) is not true`
  },
}

/** Filters and sorts of orders, for the list and for the export. */
export const orderList = {
  key: 'orders',
  kind: 'order',
  table: 'orders',
  alias: sqlText`o`,
  rowCounts: { combined: true, days: [BY_CREATION, BY_UPDATE] },
  filters: {
    ref: equals(sqlText`o.ref`),
    status: anyOf(sqlText`o.status`, ORDER_STATUSES, { counted: true }),
    exclude_status: {
      condition: (unwanted, { statement }) => sqlText`o.status <> all(${statement.bind(unwanted)}::text[])`,
    },
    delivery_status: has(sqlText`o.delivery_statuses`, DELIVERY_STATUSES),
    return_status: has(sqlText`o.return_statuses`, DELIVERY_STATUSES),
    refund_status: has(sqlText`o.refund_statuses`, REFUND_STATUSES),
    exclude_delivery_status: lacks(sqlText`o.delivery_statuses`),
    exclude_return_status: lacks(sqlText`o.return_statuses`),
    exclude_refund_status: lacks(sqlText`o.refund_statuses`),
    phone: {
      condition: (phone, { statement }) => sqlText`o.phone_e164 = ${statement.bind(phone)} and o.phone_e164 <> '?'`,
    },
    level,
    duplicate,
    confirmation: anyOf(sqlText`o.confirmation`, CONFIRMATION_STATES),
    customer_id: equals(sqlText`o.customer_id`, { type: 'uuid' }),
    landing_page_id: equals(sqlText`o.landing_page_id`, { type: 'uuid' }),
    is_cancelled: equals(sqlText`o.is_cancelled`, { type: 'boolean', counted: true }),
    is_archived: equals(sqlText`o.is_archived`, { type: 'boolean', counted: true }),
    from: since(sqlText`o.created_at`),
    to: until(sqlText`o.created_at`),
    ...updatedFilters(sqlText`o.updated_at`),
    product_id: product,
    carrier_id: carrier,
    tracking_number: trackingNumber,
    search,
  },
  sorts: {
    total: { sql: sqlText`o.total`, type: 'numeric' },
    quantity: { sql: sqlText`o.quantity`, type: 'integer' },
    date: { sql: sqlText`o.created_at`, type: 'timestamptz' },
    status: { sql: sqlText`o.status`, type: 'text' },
  },
} as const satisfies List
