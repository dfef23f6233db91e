import type { ColumnType } from 'kysely'
import type { Defaulted, Id, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
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
      is_public: Defaulted<boolean>
      changes: Defaulted<number>
      created_at: Time
    }
    installation: {
      id: Id
      store_id: StoreId
      app_id: string
      permissions: string[]
      change: Defaulted<number>
      last_used_at: TimeOrNull
      created_at: Time
    }
    removed_installation: {
      id: string
      app_id: string
      store_id: StoreId
      change: number
      created_at: Time
      removed_at: Time
    }
    app_manifest: {
      app_id: string
      source_url: Nullable<string>
      manifest: ColumnType<unknown, string, string>
      name_key: string
      icon: Nullable<Buffer>
      listing: Defaulted<'listed' | 'unlisted'>
      lifecycle_generation: Defaulted<number>
      checked_at: Time
      fault: Nullable<string>
    }
    lifecycle_post: {
      app_id: string
      change: number
      store_id: StoreId
      install_id: string
      type: string
      permissions: string[]
      at: Time
      attempts: Defaulted<number>
      first_at: TimeOrNull
      due_at: Time
      leased_until: TimeOrNull
      done_at: TimeOrNull
      status: Nullable<number>
      error: Nullable<string>
    }
    connected_assistant: {
      id: Id
      installation_id: string
      account_id: string
      permissions: string[]
      connected_at: Time
      last_used_at: TimeOrNull
      calls: ColumnType<number, number | undefined, number>
    }
    oauth_grant: {
      id: Id
      app_id: string
      installation_id: string
      account_id: Nullable<string>
      expires_at: Time
      created_at: Time
    }
    oauth_code: {
      code_hash: Buffer
      app_id: string
      installation_id: string
      account_id: Nullable<string>
      redirect_uri: string
      challenge: string
      expires_at: Time
      used_at: TimeOrNull
      grant_id: Nullable<string>
    }
    oauth_refresh: { token_hash: Buffer; grant_id: string; used_at: TimeOrNull }
  }
}
