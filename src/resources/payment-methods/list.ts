import { equals } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'

export const paymentMethodList: List = {
  key: 'payment_methods',
  kind: 'payment_method',
  table: 'payment_method',
  alias: sqlText`m`,
  filters: { status: equals(sqlText`m.status`) },
  sorts: {
    name: { sql: sqlText`m.name collate "C"`, type: 'text' },
    created_at: { sql: sqlText`m.created_at`, type: 'timestamptz' },
  },
}
