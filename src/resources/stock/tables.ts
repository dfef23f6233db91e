import type { Defaulted, Id, Nullable } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    stock_change: {
      store_id: StoreId
      id: Id
      variant_id: string
      at: Defaulted<Date>
      kind: string
      delta: number
      order_id: Nullable<string>
      reason: Nullable<string>
      app_id: Nullable<string>
      account_id: Defaulted<string | null>
    }
  }
}
