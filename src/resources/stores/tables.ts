import type { ColumnType } from 'kysely'
import type { Defaulted, Json, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    store: {
      id: ColumnType<StoreId, string | undefined, never>
      name: string
      domain: string
      currency: string
      time_zone: Defaulted<string>
      language: Defaulted<string>
      contact_email: Nullable<string>
      contact_phone: Nullable<string>
      contact_address: Nullable<string>
      logo_id: Nullable<string>
      country_id: Nullable<string>
      phones_country: Nullable<string>
      order_desk: Json
      suspended_at: Nullable<Date>
      created_at: Time
    }
    host_claim: { host: string; store_id: StoreId }
  }
}
