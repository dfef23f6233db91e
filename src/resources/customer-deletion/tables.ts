import type { Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    /** Customers who were deleted and not erased. */
    deleted_customer: {
      store_id: string
      id: string
      email_key: string
      deleted_at: Time
    }
    /** The orders that they have left. */
    deleted_customer_order: {
      store_id: string
      order_id: string
      customer_id: string
    }
  }
}
