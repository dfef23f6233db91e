import { equals, type List } from '../../../src/reading/list.ts'

export const discountList: List = {
  key: 'discounts',
  kind: 'discount',
  table: 'discount',
  alias: 'd',
  tallies: {},
  filters: { status: equals('d.status', { counted: true }), product_id: equals('d.product_id', { type: 'uuid' }) },
  sorts: { created_at: { sql: 'd.created_at', type: 'timestamptz' }, code: { sql: 'd.code', type: 'text' } },
}
