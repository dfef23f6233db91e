import { anyOf, equals } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { JOB_STATUSES } from './schema.ts'

export const bulkJobList: List = {
  key: 'jobs',
  kind: 'bulk_job',
  table: 'bulk_job',
  alias: sqlText`j`,
  filters: {
    resource: equals(sqlText`j.resource`),
    status: anyOf(sqlText`j.status`, JOB_STATUSES),
    /** The resources that the caller may import. */
    visible: {
      condition: (names: string[], { statement }) => sqlText`j.resource = any(${statement.bind(names)}::text[])`,
    },
  },
  sorts: { created_at: { sql: sqlText`j.created_at`, type: 'timestamptz' } },
}
