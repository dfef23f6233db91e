import type { Nullable, Time } from './columns.ts'
import type { StoreId } from './store-id.ts'

/**
 * The columns of each table. Every slice adds its tables in its own tables.ts; those of no slice are here. schema/ and
 * migrations/ define the tables; these types follow them.
 */
export interface Tables {
  setting: { name: string; value: string }
  idempotency: {
    store_id: StoreId
    installation_id: string
    key: string
    request_hash: Buffer
    status: Nullable<number>
    body: Nullable<string>
    resource_id: Nullable<string>
    etag: Nullable<string>
    line_errors: Nullable<string>
    created_at: Time
  }
  tally: { store_id: StoreId; kind: string; facet: string; delta: number }
  rate_window: { key: string; window_start: Time; used: number; ends_at: Time }
}
