import type { Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    call: {
      id: string
      at: Time
      request_id: string
      app_id: Nullable<string>
      store_id: Nullable<StoreId>
      installation_id: Nullable<string>
      account_id: Nullable<string>
      method: Nullable<string>
      route: Nullable<string>
      resource_id: Nullable<string>
      status: number
      ms: Nullable<number>
      bytes_in: Nullable<number>
      bytes_out: Nullable<number>
      code: Nullable<string>
      fields: Nullable<string[]>
      permission: Nullable<string>
      ignored: Nullable<string[]>
      idempotency_key: Nullable<string>
      is_replay: boolean
      agent: Nullable<string>
      via: Nullable<string>
      skipped: number
    }
    call_tally: {
      store_id: Nullable<StoreId>
      installation_id: Nullable<string>
      app_id: Nullable<string>
      hour: Time
      method: string
      route: string
      status_class: number
      calls: number
      ms: number
      buckets: number[]
    }
    permission_request: {
      store_id: StoreId
      installation_id: string
      permissions: string[]
      asked_by: string
      asked_at: Time
      declined_at: TimeOrNull
    }
    permission_use: {
      store_id: StoreId
      installation_id: string
      permission: string
      day: string
      used: number
      refused: number
      last_used_at: TimeOrNull
      last_refused_at: TimeOrNull
    }
  }
}
