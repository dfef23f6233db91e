import { equals, type List } from '../reading/list.ts'

export const paymentMethodList: List = {
  key: 'payment_methods',
  kind: 'payment_method',
  table: 'payment_method',
  alias: 'm',
  filters: { status: equals('m.status') },
  sorts: {
    name: { sql: 'm.name collate "C"', type: 'text' },
    created_at: { sql: 'm.created_at', type: 'timestamptz' },
  },
}
