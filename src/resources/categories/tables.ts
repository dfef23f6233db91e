import type { Id, Time } from '../../core/storage/columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    category: { store_id: string; id: Id; name: string; name_key: string; created_at: Time }
  }
}
