import type { Id, Time } from '../storage/columns.ts'

declare module '../storage/tables.ts' {
  interface Tables {
    category: { store_id: string; id: Id; name: string; name_key: string; created_at: Time }
  }
}
