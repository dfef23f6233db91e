import { equals } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'

export const bundleList: List = {
  key: 'bundles',
  kind: 'bundle',
  table: 'bundle',
  alias: sqlText`b`,
  rowCounts: {},
  filters: {
    product_id: equals(sqlText`b.product_id`, { type: 'uuid' }),
    status: equals(sqlText`b.status`, { counted: true }),
  },
  sorts: {
    name: { sql: sqlText`b.name_key`, type: 'text' },
    created_at: { sql: sqlText`b.created_at`, type: 'timestamptz' },
  },
}
