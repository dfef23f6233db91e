import { equals } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'

export const invoiceList: List = {
  key: 'invoices',
  kind: 'invoice',
  table: 'invoice',
  onCoordinator: true,
  alias: sqlText`i`,
  filters: {
    status: equals(
      sqlText`(case when i.status = 'open' and i.due_at < statement_timestamp() then 'overdue' else i.status end)`,
    ),
  },
  sorts: { created_at: { sql: sqlText`i.created_at`, type: 'timestamptz' } },
}
