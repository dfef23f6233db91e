import { equals, type List } from '../reading/list.ts'
import { sqlText } from '../storage/sql.ts'

export const bulkJobList: List = {
  key: 'jobs',
  kind: 'bulk_job',
  table: 'bulk_job',
  alias: sqlText`j`,
  filters: {
    resource: equals(sqlText`j.resource`),
    status: equals(sqlText`j.status`),
    /** The resources that the caller may import. */
    visible: {
      condition: (names: string[], { statement }) => sqlText`j.resource = any(${statement.bind(names)}::text[])`,
    },
  },
  sorts: { created_at: { sql: sqlText`j.created_at`, type: 'timestamptz' } },
}
