import type { ColumnType, Generated } from 'kysely'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>
type Counter = ColumnType<number, number | undefined, number>

declare module '../../core/storage/tables.ts' {
  interface Tables {
    authenticator: {
      account_id: string
      salt: Nullable<string>
      pending_salt: Nullable<string>
      pending_until: TimeOrNull
      last_step: Counter
      created_at: Time
    }
    recovery_code: { account_id: string; code_hash: Buffer; used_at: TimeOrNull }
    passkey: {
      id: Generated<string>
      account_id: string
      credential_id: string
      public_key: Buffer
      algorithm: number
      counter: Counter
      transports: string[]
      name: string
      created_at: Time
      used_at: TimeOrNull
    }
  }
}
