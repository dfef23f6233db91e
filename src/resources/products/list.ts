import { type Static, Type } from 'typebox'
import { earliest, latest } from '../../core/input/date-bounds.ts'
import { extension, listQuery, MAX_INTEGER, oneOf, Uuid } from '../../core/input/schemas.ts'
import type { PageQuery } from '../../core/reading/cursor.ts'
import {
  equals,
  type Filter,
  type ListRequest,
  missingLast,
  type Sort,
  since,
  until,
  updatedBounds,
} from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { amongMatches, findFewIds } from '../../core/reading/matching-ids.ts'
import { BY_UPDATE } from '../../core/reading/row-counts.ts'
import type { Db } from '../../core/storage/database.ts'
import { type Sql, sqlText, t } from '../../core/storage/sql.ts'
import { Statement } from '../../core/storage/statement.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import { STATUSES } from './schema.ts'
import { searchQuery } from './search-words.ts'

const SORTS = ['title', 'category', 'stock', 'created_at', 'updated_at'] as const

const filters = {
  search: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^\\s*\\S[\\s\\S]*\\S',
      errorMessage: 'must be a string of 2 to 500 characters',
      description:
        'Words, or beginnings of words, that must all occur in title, description or slug. Case, accents and ' +
        'the kind of apostrophe do not matter. Without `order_by`, the best match comes first; matches in ' +
        'titles rank higher.',
    }),
  ),
  title: Type.Optional(Type.String({ description: 'Exact title.' })),
  status: Type.Optional(oneOf(STATUSES)),
  is_digital: Type.Optional(Type.Boolean()),
  out_of_stock: Type.Optional(
    Type.Boolean({
      description: 'true: products without stock. false: products with stock, and products whose stock is not tracked.',
    }),
  ),
  category: Type.Optional(Uuid),
  sku: Type.Optional(
    extension(Type.String({ maxLength: 255, description: 'Exact SKU of the product or one of its variants.' })),
  ),
  ...updatedBounds,
}

export const ProductQuery = Type.Object({
  ...listQuery(SORTS, 'created_at', filters).properties,
  order_by: Type.Optional(
    oneOf(SORTS, {
      description:
        'Sort field. Default: `created_at`, or best match first with `search`. `stock` is the smallest quantity of a ' +
        'variant; products whose stock is not tracked have the largest.',
    }),
  ),
})
export type ProductQuery = Static<typeof ProductQuery>

/** Words to look up in the index, each tagged with the store. */
const search: Filter = {
  condition: (words, { statement, store }) => {
    const found = searchQuery(store, words)
    return found ? sqlText`p.words @@ ${statement.bind(found.all)}::tsquery` : sqlText`false`
  },
}

/** An array, so that the planner looks up the few products of a SKU by id, whatever the sort. */
const sku: Filter = {
  condition: (text, { statement: { bind }, store }) =>
    sqlText`p.id = any(array(select v.product_id from ${t.variant} v where v.store_id = ${bind(store)} and v.sku = ${bind(text)}))`,
}

/** Ranks titles: by the share of matching words, whole words counting more, normalised by length. */
const relevance: Sort = {
  sql: ({ statement: { bind }, store, query }: ListRequest) => {
    const found = searchQuery(store, query.search as string)
    // No searchable word: all rows rank the same.
    if (!found) return sqlText`0::float8`
    const rank = (words: string) => sqlText`ts_rank(p.title_words, ${bind(words)}::tsquery, 1)`
    return sqlText`(${rank(found.begun)} + ${rank(found.whole)})::float8`
  },
  type: 'float8',
  ranks: true,
}

/** Products without a category come last in both directions. Must match the expression in the indexes. */
const byCategory = missingLast(sqlText`p.category_key`)
const category: Sort = {
  type: 'text',
  sql: (request) =>
    request.query.category ? sqlText`p.category_key` : (byCategory.sql as (request: ListRequest) => Sql)(request),
}

/** No index has it: orders change quantities all the time. */
const stock: Sort = {
  sql: ({ statement: { bind }, store }) => sqlText`case when p.stock_tracked then coalesce((
    select min(v.quantity) from ${t.variant} v where v.store_id = ${bind(store)} and v.product_id = p.id), ${MAX_INTEGER})
    else ${MAX_INTEGER} end`,
  type: 'integer',
}

const MODIFIED = t.product_modified

/** Times of change are in a separate table, so that a change writes none of the indexes of its product. */
const modified: Sort = {
  sql: sqlText`p.updated_at`,
  type: 'timestamptz',
  from: (store) =>
    sqlText`select p.store_id, p.id, p.title, p.status, p.is_digital, p.out_of_stock, p.category_id, m.updated_at
      from ${MODIFIED} m join ${t.product} p on p.store_id = ${store} and p.id = m.id where m.store_id = ${store}`,
}

/** With more changed products than this, a list finds enough of them by reading in its own order. */
const MAX_CHANGED = 5_000

/** Looks up what changed in the given time, for lists in another order. */
const findModified = async (db: Db, store: StoreId, query: ListRequest['query']) => {
  if (query.order_by === 'updated_at' || query.search !== undefined) return undefined
  const statement = new Statement()
  const from = statement.bind(earliest(query.updated_from as string | undefined) ?? '-infinity')
  const to = statement.bind(latest(query.updated_to as string | undefined) ?? 'infinity')
  const changed = sqlText`select m.id from ${MODIFIED} m where m.store_id = ${statement.bind(store)}
    and m.updated_at between ${from}::timestamptz and ${to}::timestamptz`
  return findFewIds(db, store, statement, changed, MAX_CHANGED)
}

const updated = (bound: (column: Sql) => Filter, find: Filter['find']): Filter => {
  const { condition } = bound(sqlText`p.updated_at`)
  return {
    find,
    condition: (value, request, found) =>
      amongMatches(request.statement, request.id, found) ?? condition(value, request, found),
  }
}

export const productList: List = {
  key: 'products',
  kind: 'product',
  table: 'product',
  alias: sqlText`p`,
  rowCounts: { days: [{ ...BY_UPDATE, table: MODIFIED }] },
  filters: {
    search,
    title: equals(sqlText`p.title`),
    status: equals(sqlText`p.status`, { counted: true }),
    is_digital: equals(sqlText`p.is_digital`, { type: 'boolean', counted: true }),
    out_of_stock: equals(sqlText`p.out_of_stock`, { type: 'boolean', counted: true }),
    category: equals(sqlText`p.category_id`, { type: 'uuid', counted: true }),
    sku,
    updated_from: updated(since, (db, store, _from, query) => findModified(db, store, query)),
    // Found with updated_from, if that is given.
    updated_to: updated(until, async (db, store, _to, query) =>
      query.updated_from === undefined ? findModified(db, store, query) : undefined,
    ),
  },
  sorts: {
    title: { sql: sqlText`p.title_key`, type: 'text' },
    category,
    stock,
    created_at: { sql: sqlText`p.created_at`, type: 'timestamptz' },
    updated_at: modified,
    relevance,
  },
  gather: 'search',
}

/** Default sort: best match first with `search`, otherwise newest first. */
export const withSort = (query: ProductQuery): PageQuery<string> => ({
  ...query,
  order_by: query.order_by ?? (query.search === undefined ? 'created_at' : 'relevance'),
})
