import type { ColumnType, Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type OptionalTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

declare module '../../core/storage/tables.ts' {
  interface Tables {
    bulk_job: {
      store_id: StoreId
      id: string
      resource: string
      mode: string
      match: string | null
      dry_run: boolean
      app_id: string | null
      app_name: string
      installation_id: string | null
      account_id: string | null
      status: Generated<string>
      error: string | null
      has_input: Generated<boolean>
      bytes: Generated<number>
      lines: Generated<number>
      next_byte: Generated<number>
      next_line: Generated<number>
      created: Generated<number>
      updated: Generated<number>
      failed: Generated<number>
      worked_ms: Generated<number>
      deaths: Generated<number>
      leased_by: string | null
      leased_until: OptionalTime
      turn_at: Time
      created_at: Time
      started_at: OptionalTime
      updated_at: Time
      finished_at: OptionalTime
    }
    bulk_result: {
      store_id: StoreId
      job_id: string
      first_line: number
      lines: string
    }
  }
}
