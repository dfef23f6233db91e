import type { ColumnType } from 'kysely'
import type { Defaulted, Id, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    landing_page: {
      store_id: StoreId
      id: Id
      title: string
      slug: string
      slug_is_twin: Defaulted<boolean>
      path: ColumnType<string, never, never>
      meta_description: Nullable<string>
      product_id: string
      domain_id: Nullable<string>
      screenshot_url: Nullable<string>
      lang: Nullable<string>
      cod_type: Defaulted<string>
      published_at: TimeOrNull
      created_at: Time
      updated_at: Time
    }
  }
}
