import type { ColumnType, Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>

declare module '../../core/storage/tables.ts' {
  interface Tables {
    policy: {
      store_id: StoreId
      id: Generated<string>
      type: string
      title: string
      slug: string
      content: Generated<string>
      is_published: Generated<boolean>
      created_at: Time
      updated_at: Time
    }
  }
}
