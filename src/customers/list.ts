import { equals, type List, lookedUp, missingLast } from '../reading/list.ts'
import { findMatchingIds, type MatchingIds } from '../reading/matching-ids.ts'
import { likeCondition, searchPatterns } from '../reading/search-text.ts'
import { storeCondition } from '../reading/store-condition.ts'
import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'

const contains = (column: string, statement: Statement, search: string) =>
  `(${searchPatterns(search)
    .map((pattern) => likeCondition(statement, column, pattern))
    .join(' or ')})`

const searchCustomers = async (db: Db, store: StoreId, search: string): Promise<MatchingIds> => {
  const statement = new Statement()
  // One or two characters have no trigram: reading the text through is faster than reading all of the index first.
  const short = [...search.trim()].length < 3
  const inStore = short
    ? `t.store_id = ${statement.bind(store)}`
    : await storeCondition(db, statement, 't.store_id', store, 'customer')
  const words = contains(short ? "(t.search || '')" : 't.search', statement, search)
  return findMatchingIds(db, statement, `select t.customer_id as id from customer_text t where ${inStore} and ${words}`)
}

/** The words of a customer have their indexes in a table of their own: every order changes the row of its customer. */
const WORDS = '(select t.*, t.customer_id as id from customer_text t)'

export const customerList: List = {
  key: 'customers',
  kind: 'customer',
  table: 'customer',
  alias: 'c',
  tallies: {},
  filters: {
    country: equals('c.country_id', { counted: true }),
    search: lookedUp(searchCustomers, (search, { statement }) => contains('c.search', statement, search)),
  },
  sorts: {
    amount_spent: { sql: 'c.amount_spent', type: 'numeric' },
    order_count: { sql: 'c.order_count', type: 'integer' },
    name: missingLast('c.name_key', WORDS),
    email: { sql: 'c.email_key', type: 'text' },
    phone: missingLast('c.phone_digits', WORDS),
    address: missingLast('c.address_key', WORDS),
    city: missingLast('c.city_key', WORDS),
    postal_code: missingLast('c.postal_code_key', WORDS),
    created_at: { sql: 'c.created_at', type: 'timestamptz' },
    subscription_status: { sql: 'c.subscription_status', type: 'text' },
  },
}
