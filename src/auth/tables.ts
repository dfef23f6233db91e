import type { Defaulted, Id, Nullable, Time, TimeOrNull } from '../storage/columns.ts'

declare module '../storage/tables.ts' {
  interface Tables {
    app: {
      id: Id
      name: string
      client_id: string
      secret_hash: Buffer
      old_secret_hash: Nullable<Buffer>
      old_secret_until: TimeOrNull
      generation: Defaulted<number>
      disabled_at: TimeOrNull
      last_used_at: TimeOrNull
      built_in: Defaulted<boolean>
      created_at: Time
    }
    installation: { id: Id; store_id: string; app_id: string; permissions: string[]; created_at: Time }
  }
}
