import type { Defaulted, Id, Nullable, Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    shipping_carrier: {
      store_id: string
      id: Id
      name: string
      code: string
      status: Defaulted<string>
      tracking_url: Nullable<string>
      created_at: Time
    }
  }
}
