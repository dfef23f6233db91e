import { anyOf, equals, updatedFilters } from '../../core/reading/filters.ts'
import type { List } from '../../core/reading/list.ts'
import { BY_UPDATE } from '../../core/reading/row-counts.ts'
import { sqlText } from '../../core/storage/sql.ts'
import { COD_TYPES } from './schema.ts'

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
    cod_type: anyOf(sqlText`l.cod_type`, COD_TYPES, { counted: true }),
    ...updatedFilters(sqlText`l.updated_at`),
  },
  sorts: {
    created_at: { sql: sqlText`l.created_at`, type: 'timestamptz' },
    updated_at: { sql: sqlText`l.updated_at`, type: 'timestamptz' },
  },
}
