import { anyOf, equals, updatedFilters } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { POLICY_TYPES } from './schema.ts'

export const policyList: List = {
  key: 'policies',
  kind: 'policy',
  table: 'policy',
  alias: sqlText`p`,
  rowCounts: {},
  filters: {
    type: anyOf(sqlText`p.type`, POLICY_TYPES, { counted: true }),
    is_published: equals(sqlText`p.is_published`, { type: 'boolean', counted: true }),
    ...updatedFilters(sqlText`p.updated_at`),
  },
  sorts: {
    created_at: { sql: sqlText`p.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`p.updated_at`, type: 'timestamptz' },
  },
}
