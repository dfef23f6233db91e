import { equals, type List } from '../reading/list.ts'

export const bulkJobList: List = {
  key: 'jobs',
  kind: 'bulk_job',
  table: 'bulk_job',
  alias: 'j',
  filters: {
    resource: equals('j.resource'),
    status: equals('j.status'),
    /** The resources that the caller may import. */
    visible: { condition: (names: string[], { statement }) => `j.resource = any(${statement.bind(names)}::text[])` },
  },
  sorts: { created_at: { sql: 'j.created_at', type: 'timestamptz' } },
}
