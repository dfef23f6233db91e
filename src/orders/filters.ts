import type { Static, TObject } from 'typebox'
import { earliest, latest } from '../input/date-bounds.ts'
import {
  amongMatches,
  type FirstMatches,
  findMatchingIds,
  type MatchingIds,
  NO_MATCHES,
} from '../reading/matching-ids.ts'
import { onlyFilter } from '../reading/row-counts.ts'
import { likeCondition } from '../reading/search-text.ts'
import { storeCondition } from '../reading/store-condition.ts'
import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { DELIVERY_STATUSES, type orderFilters, REFUND_STATUSES } from './schema.ts'
import { orderSearchPatterns } from './search.ts'

export type OrderFilters = Static<TObject<typeof orderFilters>>

/** Ids of orders found before the list is read. */
export type FoundOrders = Partial<Record<'search' | 'product_id', MatchingIds | undefined>>

const searches = (statement: Statement, search: string | undefined) =>
  orderSearchPatterns(search ?? '')
    .map((pattern) => likeCondition(statement, 's.text', pattern))
    .join(' or ')

const search = async (
  db: Db,
  store: StoreId,
  text: string,
  newest: FirstMatches | undefined,
): Promise<MatchingIds | undefined> => {
  const statement = new Statement()
  const words = searches(statement, text)
  if (!words) return undefined
  // Punctuation alone has no trigrams to look up.
  if (!/[\p{L}\p{N}]/u.test(text)) return NO_MATCHES
  const inStore = await storeCondition(db, statement, 's.store_id', store, 'orders')
  const hits = `select s.order_id as id, s.created_at as place from order_search s where ${inStore} and (${words})`
  return findMatchingIds(db, statement, hits, newest)
}

/**
 * Looks up search words and products before the list is read. The query planner cannot estimate how many rows match: it
 * might scan the whole store by date for three matches, or sort half a million.
 */
export const findOrders = async (
  db: Db,
  store: StoreId,
  query: OrderFilters,
  newest?: FirstMatches,
): Promise<FoundOrders> => {
  const byProduct = new Statement()
  return {
    search: query.search === undefined ? undefined : await search(db, store, query.search, newest),
    product_id: query.product_id
      ? await findMatchingIds(
          db,
          byProduct,
          `select distinct pl.order_id as id from order_line pl where pl.store_id = ${byProduct.bind(store)}
             and pl.product_id = any(${byProduct.bind(query.product_id)}::uuid[])`,
        )
      : undefined,
  }
}

/**
 * For matches in very many orders. As a scalar subquery, the condition is checked order by order while scanning by
 * date. As a join, a generic plan would start with the words. If another filter is set, which may leave few orders, all
 * matches are looked up first.
 */
const amongMany = (words: string, store: string, alone: boolean) =>
  alone
    ? `(select ${words} from order_search s where s.store_id = ${store} and s.order_id = o.id)`
    : `o.id in (with hits as materialized (
        select s.order_id from order_search s where s.store_id = ${store} and (${words})) select order_id from hits)`

/**
 * Conditions on rows `o` of table `orders`, for lists and exports. Statuses are constants in the SQL text, not bound
 * values, so that the planner can use the partial index of each status.
 */
export const orderConditions = (
  statement: Statement,
  store: StoreId,
  query: OrderFilters,
  found: FoundOrders = {},
): string[] => {
  const { bind } = statement
  const conditions: string[] = []
  const add = <T>(value: T | undefined, condition: (value: T) => string) => {
    if (value !== undefined) conditions.push(condition(value))
  }
  const has = (column: string, known: readonly string[]) => (wanted: readonly string[]) => {
    const matches = known.filter((status) => wanted.includes(status)).map((status) => `'${status}' = any(o.${column})`)
    return matches.length === 1 ? (matches[0] as string) : `(${matches.join(' or ')})`
  }
  const lacks = (column: string, known: readonly string[]) => (unwanted: readonly string[]) =>
    `not ${has(column, known)(unwanted)}`

  add(query.ref, (ref) => `o.ref = ${bind(ref)}`)
  add(query.status, (status) => `o.status = ${bind(status)}`)
  add(query.delivery_status, has('delivery_statuses', DELIVERY_STATUSES))
  add(query.return_status, has('return_statuses', DELIVERY_STATUSES))
  add(query.refund_status, has('refund_statuses', REFUND_STATUSES))
  add(query.exclude_delivery_status, lacks('delivery_statuses', DELIVERY_STATUSES))
  add(query.exclude_return_status, lacks('return_statuses', DELIVERY_STATUSES))
  add(query.exclude_refund_status, lacks('refund_statuses', REFUND_STATUSES))
  add(query.customer_id, (id) => `o.customer_id = ${bind(id)}`)
  add(query.landing_page_id, (id) => `o.landing_page_id = ${bind(id)}`)
  add(query.is_cancelled, (cancelled) => `o.is_cancelled = ${bind(cancelled)}`)
  add(query.is_archived, (archived) => `o.is_archived = ${bind(archived)}`)
  add(earliest(query.from), (from) => `o.created_at >= ${bind(from)}`)
  add(latest(query.to), (to) => `o.created_at <= ${bind(to)}`)
  add(earliest(query.updated_from), (from) => `o.updated_at >= ${bind(from)}`)
  add(latest(query.updated_to), (to) => `o.updated_at <= ${bind(to)}`)
  add(
    query.product_id,
    (products) =>
      amongMatches(statement, 'o.id', found.product_id) ??
      `exists (select from order_line pl where pl.store_id = ${bind(store)} and pl.order_id = o.id
          and pl.product_id = any(${bind(products)}::uuid[]))`,
  )
  const amongHits = amongMatches(statement, 'o.id', found.search)
  if (amongHits) conditions.push(amongHits)
  else {
    const words = searches(statement, query.search)
    if (words) conditions.push(amongMany(words, bind(store), onlyFilter(query) === 'search'))
  }
  return conditions
}
