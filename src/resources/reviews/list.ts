import { anyOf, equals, updatedFilters } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { BY_UPDATE } from '../../core/reading/row-counts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { REVIEW_STATUSES } from './schema.ts'

export const reviewList: List = {
  key: 'reviews',
  kind: 'review',
  table: 'review',
  alias: sqlText`r`,
  rowCounts: { minimums: ['rating'], days: [BY_UPDATE] },
  filters: {
    product_id: equals(sqlText`r.product_id`, { type: 'uuid' }),
    status: anyOf(sqlText`r.status`, REVIEW_STATUSES, { counted: true }),
    rating: { condition: (rating, { statement }) => sqlText`r.rating >= ${statement.bind(rating)}::integer` },
    ...updatedFilters(sqlText`r.updated_at`),
  },
  sorts: {
    product_id: { sql: sqlText`r.product_id`, type: 'uuid' },
    rating: { sql: sqlText`r.rating`, type: 'integer' },
    created_at: { sql: sqlText`r.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`r.updated_at`, type: 'timestamptz' },
  },
}
