import type { ColumnType, Generated } from 'kysely'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    bundle: {
      store_id: StoreId
      id: Generated<string>
      product_id: string
      name: string
      name_key: string
      status: Generated<string>
      created_at: Generated<Date>
      updated_at: ColumnType<Date, string | undefined, string>
    }
    bundle_option: {
      store_id: StoreId
      id: Generated<string>
      bundle_id: string
      position: number
      name: string
      quantity: number
      price: ColumnType<string, string | number, string | number>
    }
  }
}
