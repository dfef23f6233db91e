import type { Defaulted, Id, Nullable, Time } from '../storage/columns.ts'

declare module '../storage/tables.ts' {
  interface Tables {
    store: {
      id: Id
      name: string
      domain: string
      currency: string
      time_zone: Defaulted<string>
      language: Defaulted<string>
      contact_email: Nullable<string>
      contact_phone: Nullable<string>
      contact_address: Nullable<string>
      created_at: Time
    }
    host_claim: { host: string; store_id: string }
  }
}
