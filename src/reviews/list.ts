import { updatedFilters } from '../reading/date-filters.ts'
import { equals, type List } from '../reading/list.ts'
import { BY_UPDATE } from '../reading/row-counts.ts'

export const reviewList: List = {
  key: 'reviews',
  kind: 'review',
  table: 'review',
  alias: 'r',
  tallies: { minimums: ['rating'], days: [BY_UPDATE] },
  filters: {
    product_id: equals('r.product_id', { type: 'uuid' }),
    status: equals('r.status', { counted: true }),
    rating: { condition: (rating, { statement }) => `r.rating >= ${statement.bind(rating)}::integer` },
    ...updatedFilters('r.updated_at'),
  },
  sorts: {
    product_id: { sql: 'r.product_id', type: 'uuid' },
    rating: { sql: 'r.rating', type: 'integer' },
    created_at: { sql: 'r.created_at', type: 'timestamptz' },
    updated_at: { sql: 'r.updated_at', type: 'timestamptz' },
  },
}
