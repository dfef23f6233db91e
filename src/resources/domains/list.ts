import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'

export const domainList: List = {
  key: 'domains',
  kind: 'domain',
  table: 'domain',
  alias: sqlText`d`,
  rowCounts: {},
  filters: {},
  sorts: { created_at: { sql: sqlText`d.created_at`, type: 'timestamptz' } },
}
