import type { ColumnType, Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { Role } from './roles.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type TimeOrNull = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
type Nullable<T> = ColumnType<T | null, T | null | undefined, T | null>

declare module '../../core/storage/tables.ts' {
  interface Tables {
    account: {
      id: Generated<string>
      email: string
      email_key: string
      name: Generated<string>
      password: string
      is_operator: Generated<boolean>
      language: Nullable<'en' | 'fr' | 'ar'>
      theme: Nullable<'light' | 'dark'>
      generation: Generated<number>
      disabled_at: TimeOrNull
      last_seen_at: TimeOrNull
      created_at: Time
    }
    membership: {
      store_id: StoreId
      account_id: string
      role: string
      permissions: Generated<string[]>
      role_id: Nullable<string>
      created_at: Time
    }
    staff_role: {
      store_id: StoreId
      id: Generated<string>
      name: string
      permissions: string[]
      version: Generated<number>
      created_at: Time
    }
    app_member: { app_id: string; account_id: string; created_at: Time }
    invitation: {
      id: Generated<string>
      role: Role
      store_id: Nullable<StoreId>
      app_id: Nullable<string>
      permissions: Generated<string[]>
      role_id: Nullable<string>
      email: string
      email_key: string
      name: Generated<string>
      invited_by: Nullable<string>
      created_at: Time
    }
    session: {
      id: Generated<string>
      secret_hash: Buffer
      account_id: string
      agent: Generated<string>
      created_at: Time
      used_at: Time
      confirmed_at: Time
      second_factor_at: TimeOrNull
      challenge: Nullable<string>
      challenge_until: TimeOrNull
    }
    one_time_link: {
      id: Generated<string>
      kind: string
      code_hash: Nullable<Buffer>
      salt: Nullable<string>
      account_id: Nullable<string>
      invitation_id: Nullable<string>
      created_at: Time
      expires_at: Time
    }
    audit_entry: {
      id: Generated<string>
      at: Time
      account_id: Nullable<string>
      actor: string
      act: string
      subject: Generated<string>
      store_id: Nullable<string>
      app_id: Nullable<string>
      before: Nullable<string>
      after: Nullable<string>
    }
    saved_view: {
      store_id: string
      id: Generated<string>
      account_id: string
      list: string
      name: string
      query: string
      created_at: Time
    }
  }
}
