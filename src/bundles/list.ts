import { equals, type List } from '../reading/list.ts'

export const bundleList: List = {
  key: 'bundles',
  kind: 'bundle',
  table: 'bundle',
  alias: 'b',
  tallies: {},
  filters: {
    product_id: equals('b.product_id', { type: 'uuid' }),
    status: equals('b.status', { counted: true }),
  },
  sorts: {
    name: { sql: 'b.name_key', type: 'text' },
    created_at: { sql: 'b.created_at', type: 'timestamptz' },
  },
}
