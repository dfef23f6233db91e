import type { Defaulted, Id, Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    domain: {
      store_id: string
      id: Id
      host: string
      is_primary: Defaulted<boolean>
      created_at: Time
      updated_at: Time
    }
  }
}
