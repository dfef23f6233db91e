import type { Defaulted, Id, Nullable, Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    review: {
      store_id: string
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
