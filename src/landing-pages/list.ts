import { updatedFilters } from '../reading/date-filters.ts'
import { equals, type List } from '../reading/list.ts'
import { BY_UPDATE } from '../reading/row-counts.ts'
import { sqlText } from '../storage/sql.ts'

export const landingPageList: List = {
  key: 'landingPages',
  kind: 'landing_page',
  table: 'landing_page',
  alias: sqlText`l`,
  rowCounts: { days: [BY_UPDATE] },
  filters: {
    product_id: {
      condition: (products, { statement }) => sqlText`l.product_id = any(${statement.bind(products)}::uuid[])`,
    },
    domain_id: equals(sqlText`l.domain_id`, { type: 'uuid' }),
    cod_type: equals(sqlText`l.cod_type`, { counted: true }),
    ...updatedFilters(sqlText`l.updated_at`),
  },
  sorts: {
    created_at: { sql: sqlText`l.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`l.updated_at`, type: 'timestamptz' },
  },
}
