import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'

export const categoryList: List = {
  key: 'categories',
  kind: 'category',
  table: 'category',
  alias: sqlText`c`,
  filters: {},
  sorts: {
    name: { sql: sqlText`c.name_key`, type: 'text' },
    created_at: { sql: sqlText`c.created_at`, type: 'timestamptz' },
  },
}
