import type { List } from '../reading/list.ts'

export const categoryList: List = {
  key: 'categories',
  kind: 'category',
  table: 'category',
  alias: 'c',
  filters: {},
  sorts: {
    name: { sql: 'c.name_key', type: 'text' },
    created_at: { sql: 'c.created_at', type: 'timestamptz' },
  },
}
