import type { Id, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    category: { store_id: StoreId; id: Id; name: string; name_key: string; created_at: Time }
  }
}
