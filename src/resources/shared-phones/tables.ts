import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    shared_phone: {
      store_id: StoreId
      key: Buffer
      orders: number
      delivered: number
      returned: number
      made_on: string
    }
  }
}
