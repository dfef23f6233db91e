import type { Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    /** Customers who were deleted and not erased. */
    deleted_customer: {
      store_id: StoreId
      id: string
      email_key: string
      deleted_at: Time
    }
    /** The orders that they have left. */
    deleted_customer_order: {
      store_id: StoreId
      order_id: string
      customer_id: string
    }
  }
}
