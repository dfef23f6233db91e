import { bindFileUrls, type FileUrls } from '../files/file-urls.ts'
import type { Listing } from '../reading/list-page.ts'
import { BY_CREATION, BY_UPDATE } from '../reading/row-counts.ts'
import { orderJson } from './json.ts'

export const orderSorts = {
  total: { sql: 'o.total', type: 'numeric' },
  quantity: { sql: 'o.quantity', type: 'integer' },
  date: { sql: 'o.created_at', type: 'timestamptz' },
  status: { sql: 'o.status', type: 'text' },
} as const

export const orderListing = (fileUrls: FileUrls): Listing<keyof typeof orderSorts> => ({
  key: 'orders',
  table: 'orders',
  alias: 'o',
  bind: (statement) => bindFileUrls(statement, fileUrls),
  counts: {
    kind: 'orders',
    facets: ['status', 'is_cancelled', 'is_archived', 'delivery_status', 'return_status', 'refund_status'],
    days: [BY_CREATION, BY_UPDATE],
  },
  json: (statement) => orderJson(statement, fileUrls, 'o'),
  sorts: orderSorts,
})
