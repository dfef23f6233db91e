import type { Static } from 'typebox'
import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import { createExistenceCheck, createFinder, versioned } from '../reading/find-one.ts'
import type { Listing } from '../reading/list-page.ts'
import type { Tx } from '../storage/database.ts'
import type { Statement } from '../storage/statement.ts'
import type { StoreId } from '../storage/store-id.ts'
import { reviewJson } from './json.ts'
import type { ReviewQuery } from './schema.ts'

type Query = Static<typeof ReviewQuery>

export const reviewListing = (fileUrls: FileUrls): Listing<Query['order_by']> => ({
  key: 'reviews',
  table: 'review',
  alias: 'r',
  bind: (statement) => bindFileUrls(statement, fileUrls),
  counts: { kind: 'review', facets: ['status'], minimums: ['rating'] },
  json: (statement) => reviewJson(statement, fileUrls, 'r'),
  sorts: {
    product_id: { sql: 'r.product_id', type: 'uuid' },
    rating: { sql: 'r.rating', type: 'integer' },
    created_at: { sql: 'r.created_at', type: 'timestamptz' },
  },
})

export const reviewFilters =
  ({ product_id, status, rating }: Query) =>
  ({ bind }: Statement) => [
    product_id && `r.product_id = ${bind(product_id)}`,
    status && `r.status = ${bind(status)}`,
    rating !== undefined && `r.rating >= ${bind(rating)}`,
  ]

export const findReview = createFinder('review', reviewJson, bindFileUrls)

export const reviewVersion = versioned('review', findReview)

export const reviewExists = createExistenceCheck('review')

/** Its links to files go with it; the files stay. */
export const deleteReview = (db: Tx, store: StoreId, id: string) =>
  db.deleteFrom('review').where('store_id', '=', store).where('id', '=', id).returning('id').executeTakeFirst()
