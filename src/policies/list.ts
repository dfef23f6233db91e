import { equals, type List } from '../reading/list.ts'

export const policyList: List = {
  key: 'policies',
  kind: 'policy',
  table: 'policy',
  alias: 'p',
  tallies: {},
  filters: {
    type: equals('p.type', { counted: true }),
    is_published: equals('p.is_published', { type: 'boolean', counted: true }),
  },
  sorts: {
    created_at: { sql: 'p.created_at', type: 'timestamptz' },
    updated_at: { sql: 'p.updated_at', type: 'timestamptz' },
  },
}
