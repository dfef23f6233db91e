import type { Defaulted, Id, Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    payment_method: {
      store_id: string
      id: Id
      name: string
      status: Defaulted<string>
      payment_types: Defaulted<string[]>
      connected: Defaulted<boolean>
      created_at: Time
    }
  }
}
