import type { ColumnType, Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type OptionalTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

declare module '../../core/storage/tables.ts' {
  interface Tables {
    webhook: {
      store_id: StoreId
      id: Generated<string>
      installation_id: string
      app_id: string
      url: string
      types: string[]
      changed: string[] | null
      ignore_self: Generated<boolean>
      payload: Generated<string>
      lanes: Generated<number>
      generation: Generated<number>
      key_mark: string
      previous_until: OptionalTime
      state: Generated<string>
      reason: string | null
      paused_at: OptionalTime
      position: number
      n: number
      failures: Generated<number>
      failing_since: OptionalTime
      warned_at: OptionalTime
      stalled: Generated<boolean>
      due_at: OptionalTime
      lease: string | null
      leased_until: OptionalTime
      created_at: Time
      updated_at: Time
    }
    webhook_delivery: {
      store_id: StoreId
      webhook_id: string
      position: number
      kind: string
      action: string
      resource_id: string
      state: string
      replay: Generated<boolean>
      attempts: Generated<number>
      first_at: OptionalTime
      due_at: OptionalTime
      done_at: OptionalTime
      status: number | null
      error: string | null
      ms: number | null
    }
  }
}
