import type { Defaulted, Id, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    payment_method: {
      store_id: StoreId
      id: Id
      name: string
      status: Defaulted<string>
      payment_types: Defaulted<string[]>
      connected: Defaulted<boolean>
      created_at: Time
    }
  }
}
