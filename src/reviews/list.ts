import { equals, type List } from '../reading/list.ts'

export const reviewList: List = {
  key: 'reviews',
  kind: 'review',
  table: 'review',
  alias: 'r',
  tallies: { minimums: ['rating'] },
  filters: {
    product_id: equals('r.product_id', { type: 'uuid' }),
    status: equals('r.status', { counted: true }),
    rating: { condition: (rating, { statement }) => `r.rating >= ${statement.bind(rating)}::integer` },
  },
  sorts: {
    product_id: { sql: 'r.product_id', type: 'uuid' },
    rating: { sql: 'r.rating', type: 'integer' },
    created_at: { sql: 'r.created_at', type: 'timestamptz' },
  },
}
