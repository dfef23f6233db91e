import type { Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    assistant_plan: {
      store_id: StoreId
      id: string
      installation_id: string
      operation: string
      items: string
      expires_at: Time
      started_at: Nullable<Date>
      lease: Nullable<string>
      lease_until: Nullable<Date>
      result: Nullable<string>
    }
  }
}
