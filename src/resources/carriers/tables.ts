import type { Defaulted, Id, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    shipping_carrier: {
      store_id: StoreId
      id: Id
      name: string
      code: string
      status: Defaulted<string>
      tracking_url: Nullable<string>
      created_at: Time
    }
  }
}
