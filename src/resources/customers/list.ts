import { equals, type Filter, lookedUp, missingLast, since, until } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { findMatchingIds, findUncountedIds, type MatchingIds } from '../../core/reading/matching-ids.ts'
import { BY_UPDATE } from '../../core/reading/row-counts.ts'
import { likeCondition, searchPatterns } from '../../core/reading/search-text.ts'
import { storeCondition } from '../../core/reading/store-condition.ts'
import type { Db } from '../../core/storage/database.ts'
import { joinSql, OR, type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

const contains = (column: Sql, statement: Statement, search: string) => {
  const conditions = searchPatterns(search).map((pattern) => likeCondition(statement, column, pattern))
  return sqlText`(${joinSql(conditions, OR)})`
}

const searchCustomers = async (
  db: Db,
  store: StoreId,
  search: string,
  query: Readonly<Record<string, unknown>>,
): Promise<MatchingIds | undefined> => {
  const statement = new Statement()
  // One or two characters have no trigram: scanning the text is faster than scanning the whole index.
  const short = [...search.trim()].length < 3
  const ofStore = short
    ? sqlText`t.store_id = ${statement.bind(store)}`
    : await storeCondition(db, statement, sqlText`t.store_id`, store, 'customer')
  const words = contains(short ? sqlText`(t.search || '')` : sqlText`t.search`, statement, search)
  const hits = sqlText`select t.customer_id as id from ${t.customer_text} t where ${ofStore} and ${words}`
  return query.total === false
    ? findUncountedIds(db, store, statement, hits)
    : findMatchingIds(db, store, statement, hits)
}

/** Searchable text is in a separate table, because every order updates its customer's row, and with it all indexes. */
const WORDS = sqlText`(select t.*, t.customer_id as id from ${t.customer_text} t)`

/** Sorts that read customer_text, which has no `updated_at`. */
const BY_WORDS = ['name', 'phone', 'address', 'city', 'postal_code']

const changed = (filter: (column: Sql) => Filter): Filter => ({
  condition: (value, request, found) => {
    if (!BY_WORDS.includes(String(request.query.order_by)))
      return filter(sqlText`c.updated_at`).condition(value, request, found)
    const ofStore = sqlText`u.store_id = ${request.statement.bind(request.store)}`
    const since = filter(sqlText`u.updated_at`).condition(value, request, found) as Sql
    return sqlText`c.id in (select u.id from ${t.customer} u where ${ofStore} and ${since})`
  },
})

export const customerList: List = {
  key: 'customers',
  kind: 'customer',
  table: 'customer',
  alias: sqlText`c`,
  rowCounts: { days: [BY_UPDATE] },
  filters: {
    country: equals(sqlText`c.country_id`, { counted: true }),
    updated_from: changed((column) => since(column)),
    updated_to: changed((column) => until(column)),
    search: lookedUp(searchCustomers, (search, { statement }) => contains(sqlText`c.search`, statement, search)),
  },
  sorts: {
    amount_spent: { sql: sqlText`c.amount_spent`, type: 'numeric' },
    order_count: { sql: sqlText`c.order_count`, type: 'integer' },
    name: missingLast(sqlText`c.name_key`, WORDS),
    email: { sql: sqlText`c.email_key`, type: 'text' },
    phone: missingLast(sqlText`c.phone_digits`, WORDS),
    address: missingLast(sqlText`c.address_key`, WORDS),
    city: missingLast(sqlText`c.city_key`, WORDS),
    postal_code: missingLast(sqlText`c.postal_code_key`, WORDS),
    created_at: { sql: sqlText`c.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`c.updated_at`, type: 'timestamptz' },
    subscription_status: { sql: sqlText`c.subscription_status`, type: 'text' },
  },
}
