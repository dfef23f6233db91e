import { equals, type List } from '../reading/list.ts'
import { sqlText } from '../storage/sql.ts'

export const policyList: List = {
  key: 'policies',
  kind: 'policy',
  table: 'policy',
  alias: sqlText`p`,
  rowCounts: {},
  filters: {
    type: equals(sqlText`p.type`, { counted: true }),
    is_published: equals(sqlText`p.is_published`, { type: 'boolean', counted: true }),
  },
  sorts: {
    created_at: { sql: sqlText`p.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`p.updated_at`, type: 'timestamptz' },
  },
}
