import type { Defaulted, Id, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    review: {
      store_id: StoreId
      id: Id
      product_id: string
      content: string
      status: Defaulted<string>
      rating: number
      reviewer_name: string
      reviewer_email: Nullable<string>
      created_at: Time
      updated_at: Time
    }
  }
}
