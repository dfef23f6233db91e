import type { Defaulted, Id, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    domain: {
      store_id: StoreId
      id: Id
      host: string
      is_primary: Defaulted<boolean>
      created_at: Time
      updated_at: Time
    }
  }
}
