import { updatedFilters } from '../reading/date-filters.ts'
import { equals, type List } from '../reading/list.ts'
import { BY_UPDATE } from '../reading/row-counts.ts'

export const landingPageList: List = {
  key: 'landingPages',
  kind: 'landing_page',
  table: 'landing_page',
  alias: 'l',
  tallies: { days: [BY_UPDATE] },
  filters: {
    product_id: { condition: (products, { statement }) => `l.product_id = any(${statement.bind(products)}::uuid[])` },
    domain_id: equals('l.domain_id', { type: 'uuid' }),
    cod_type: equals('l.cod_type', { counted: true }),
    ...updatedFilters('l.updated_at'),
  },
  sorts: {
    created_at: { sql: 'l.created_at', type: 'timestamptz' },
    updated_at: { sql: 'l.updated_at', type: 'timestamptz' },
  },
}
