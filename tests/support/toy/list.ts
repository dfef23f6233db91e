import { equals } from '../../../src/core/reading/filters.ts'
import type { List } from '../../../src/core/reading/list.ts'
import { sqlText } from '../../../src/core/storage/sql.ts'

export const discountList: List = {
  key: 'discounts',
  kind: 'discount',
  table: 'discount',
  alias: sqlText`d`,
  rowCounts: {},
  filters: {
    status: equals(sqlText`d.status`, { counted: true }),
    product_id: equals(sqlText`d.product_id`, { type: 'uuid' }),
  },
  sorts: {
    created_at: { sql: sqlText`d.created_at`, type: 'timestamptz' },
    code: { sql: sqlText`d.code`, type: 'text' },
  },
}
