import Type, { type Static } from 'typebox'
import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import { extension, listQuery, oneOf, Uuid } from '../input/schemas.ts'
import type { Listing, PageQuery, SortColumn } from '../reading/list-page.ts'
import { unindexed } from '../reading/store-condition.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { productJson } from './json.ts'
import { STATUSES } from './schema.ts'
import { type SearchQuery, searchQuery } from './search-words.ts'

const SORTS = ['title', 'category', 'created_at'] as const
type Sort = (typeof SORTS)[number] | 'relevance'

const filters = {
  search: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^\\s*\\S[\\s\\S]*\\S',
      errorMessage: 'must be a string of 2 to 500 characters',
      description:
        'Words that title, description or slug must all have, each by its beginning, without regard to case, ' +
        'accents and the kind of apostrophe. Without `order_by`, the best match comes first: titles before descriptions.',
    }),
  ),
  title: Type.Optional(Type.String({ description: 'The exact title.' })),
  status: Type.Optional(oneOf(STATUSES)),
  is_digital: Type.Optional(Type.Boolean()),
  out_of_stock: Type.Optional(
    Type.Boolean({
      description: 'true: products with no stock; false: products with stock, or whose stock is not tracked.',
    }),
  ),
  category: Type.Optional(Uuid),
  sku: Type.Optional(
    extension(Type.String({ maxLength: 255, description: 'The exact sku of the product or of one of its variants.' })),
  ),
}

export const ProductQuery = Type.Object({
  ...listQuery(SORTS, 'created_at', filters).properties,
  order_by: Type.Optional(
    oneOf(SORTS, { description: 'Sort field. Without one: created_at, or with `search` the best match first.' }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

const LAST = `U&'\\+10FFFF'`

/** Products without a category come last whichever way; written as the indexes have it, so that they serve. */
const categorySort = ({ order_direction, category }: ProductQuery): SortColumn => {
  if (category) return { sql: 'p.category_key', type: 'text' }
  return { sql: `coalesce(p.category_key, ${order_direction === 'ASC' ? LAST : "''"})`, type: 'text' }
}

/** How well the title fits: the share of words it has, whole ones counting more, less the longer it is. */
const relevance = ({ bind }: Statement, { begun, whole }: SearchQuery) =>
  `(ts_rank(p.title_words, ${bind(begun)}::tsquery, 1) + ts_rank(p.title_words, ${bind(whole)}::tsquery, 1))::float8`

const conditions = ({ bind }: Statement, store: StoreId, query: ProductQuery, found: SearchQuery | undefined) => {
  const { search, title, status, is_digital, out_of_stock, category, sku } = query
  return [
    search !== undefined && (found ? `p.words @@ ${bind(found.all)}::tsquery` : 'false'),
    title !== undefined && `p.title = ${bind(title)}`,
    status !== undefined && `p.status = ${bind(status)}`,
    is_digital !== undefined && `p.is_digital = ${bind(is_digital)}::boolean`,
    out_of_stock !== undefined && `p.out_of_stock = ${bind(out_of_stock)}::boolean`,
    category !== undefined && `p.category_id = ${bind(category)}::uuid`,
    // An array, so that the few of a sku are looked up by their ids, whatever the list is sorted by.
    sku !== undefined &&
      `p.id = any(array(select v.product_id from variant v where v.store_id = ${bind(store)} and v.sku = ${bind(sku)}))`,
  ].filter((condition) => condition !== false)
}

const sorts = (query: ProductQuery): Record<Sort, SortColumn> => ({
  title: { sql: 'p.title_key', type: 'text' },
  category: categorySort(query),
  created_at: { sql: 'p.created_at', type: 'timestamptz' },
  // Where nothing is searched for, all fit alike.
  relevance: { sql: '0::float8', type: 'float8' },
})

/**
 * Hits are looked up once, counted, and sorted by the one value that matters; only those shown are read whole. The store
 * is asked for in words that no index serves: its mark is in each word, and a plan made for any store would look up all
 * its products as well.
 */
const searchListing = (fileUrls: FileUrls, store: StoreId, query: ProductQuery): Listing<Sort> => {
  const found = searchQuery(store, query.search ?? '')
  const columns = sorts(query)
  const sort = query.order_by ?? 'relevance'
  const key = (statement: Statement) =>
    found && sort === 'relevance' ? relevance(statement, found) : columns[sort].sql
  return {
    key: 'products',
    first: (statement) => `hits as materialized (
      select p.store_id, p.id, ${key(statement)} as sort_key from product p
      where ${[unindexed('p.store_id', statement.bind(store)), ...conditions(statement, store, query, found)].join(' and ')})`,
    table: 'hits',
    alias: 'p',
    bind: (statement) => bindFileUrls(statement, fileUrls),
    json: (statement) => `(select ${productJson(statement, fileUrls, 'shown')}
      from product shown where shown.store_id = p.store_id and shown.id = p.id)`,
    sorts: { ...columns, [sort]: { ...columns[sort], sql: 'p.sort_key' } },
  }
}

const plainListing = (fileUrls: FileUrls, query: ProductQuery): Listing<Sort> => ({
  key: 'products',
  table: 'product',
  alias: 'p',
  bind: (statement) => bindFileUrls(statement, fileUrls),
  counts: { kind: 'product', facets: ['status', 'is_digital', 'out_of_stock', 'category'] },
  json: (statement) => productJson(statement, fileUrls, 'p'),
  sorts: sorts(query),
})

/** Everything listPage needs to answer this query. */
export const productList = (fileUrls: FileUrls, store: StoreId, query: ProductQuery) => {
  const searching = query.search !== undefined
  const page: PageQuery<Sort> = { ...query, order_by: query.order_by ?? (searching ? 'relevance' : 'created_at') }
  return searching
    ? { listing: searchListing(fileUrls, store, query), page, where: () => [] }
    : {
        listing: plainListing(fileUrls, query),
        page,
        where: (statement: Statement) => conditions(statement, store, query, undefined),
      }
}
