import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import type { Listing, SortColumn } from '../reading/list-page.ts'
import { amongMatches, findMatchingIds, type MatchingIds } from '../reading/matching-ids.ts'
import { likeCondition, searchPatterns } from '../reading/search-text.ts'
import { storeCondition } from '../reading/store-condition.ts'
import type { Db } from '../storage/database.ts'
import { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { type CustomerEmbeds, customerJson } from './json.ts'
import type { CustomerQuery } from './schema.ts'

type Sort = CustomerQuery['order_by']
type Direction = CustomerQuery['order_direction']

/** Rows without a value come last whichever way: their key is above all others going up, below them going down. */
const missingLast = (column: string, direction: Direction): SortColumn => ({
  sql: `coalesce(c.${column}, ${direction === 'ASC' ? "U&'\\+10FFFF'" : "''"})`,
  type: 'text',
})

const BY_TEXT = new Set<Sort>(['name', 'phone', 'address', 'city', 'postal_code'])

/** Sorted by text, the list goes through the copy of it, and only those shown are looked up. */
const source = (fileUrls: FileUrls, embeds: CustomerEmbeds, byText: boolean) => {
  const json = customerJson(embeds)
  return byText
    ? {
        table: '(select t.*, t.customer_id as id from customer_text t)',
        counted: 'customer',
        json: (statement: Statement) => `(select ${json(statement, fileUrls, 'shown')}
          from customer shown where shown.store_id = c.store_id and shown.id = c.id)`,
      }
    : { table: 'customer', json: (statement: Statement) => json(statement, fileUrls, 'c') }
}

export const customerListing = (
  fileUrls: FileUrls,
  embeds: CustomerEmbeds,
  { order_by, order_direction }: Pick<CustomerQuery, 'order_by' | 'order_direction'>,
): Listing<Sort> => ({
  key: 'customers',
  alias: 'c',
  bind: (statement) => bindFileUrls(statement, fileUrls),
  counts: { kind: 'customer', facets: ['country'] },
  ...source(fileUrls, embeds, BY_TEXT.has(order_by)),
  sorts: {
    amount_spent: { sql: 'c.amount_spent', type: 'numeric' },
    order_count: { sql: 'c.order_count', type: 'integer' },
    name: missingLast('name_key', order_direction),
    email: { sql: 'c.email_key', type: 'text' },
    phone: missingLast('phone_digits', order_direction),
    address: missingLast('address_key', order_direction),
    city: missingLast('city_key', order_direction),
    postal_code: missingLast('postal_code_key', order_direction),
    created_at: { sql: 'c.created_at', type: 'timestamptz' },
    subscription_status: { sql: 'c.subscription_status', type: 'text' },
  },
})

const found = (column: string, statement: Statement, search: string) =>
  `(${searchPatterns(search)
    .map((pattern) => likeCondition(statement, column, pattern))
    .join(' or ')})`

export const searchCustomers = async (db: Db, store: StoreId, search: string): Promise<MatchingIds> => {
  const statement = new Statement()
  // One or two characters have no trigram: reading the text through is faster than reading all of the index first.
  const short = [...search.trim()].length < 3
  const inStore = short
    ? `t.store_id = ${statement.bind(store)}`
    : await storeCondition(db, statement, 't.store_id', store, 'customer')
  const words = found(short ? "(t.search || '')" : 't.search', statement, search)
  return findMatchingIds(db, statement, `select t.customer_id as id from customer_text t where ${inStore} and ${words}`)
}

export const customerFilters =
  ({ search, country }: CustomerQuery, hits: MatchingIds | undefined) =>
  (statement: Statement) => [
    amongMatches(statement, 'c.id', hits),
    search && !hits?.ids && found('c.search', statement, search),
    country && `c.country_id = ${statement.bind(country)}`,
  ]
