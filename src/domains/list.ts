import type { List } from '../reading/list.ts'

export const domainList: List = {
  key: 'domains',
  kind: 'domain',
  table: 'domain',
  alias: 'd',
  tallies: {},
  filters: {},
  sorts: { created_at: { sql: 'd.created_at', type: 'timestamptz' } },
}
