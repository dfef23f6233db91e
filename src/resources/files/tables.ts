import type { Defaulted, Id, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    blob: {
      store_id: StoreId
      sha256: Buffer
      size: number
      mime_type: string
      has_thumbnail: Defaulted<boolean>
      created_at: Time
    }
    blob_claim: { store_id: StoreId; id: Id; sha256: Buffer; created_at: Time }
    file: {
      store_id: StoreId
      id: Id
      sha256: Buffer
      name: string
      alt: Defaulted<string>
      size: number
      mime_type: string
      thumbnail: Defaulted<boolean>
      created_at: Time
      updated_at: Time
      owner_kinds: Defaulted<string[]>
      is_public: Defaulted<boolean>
      was_sold: Defaulted<boolean>
    }
    file_link: {
      store_id: StoreId
      id: Id
      file_id: string
      role: string
      position: Defaulted<number>
      product_id: Nullable<string>
      variant_id: Nullable<string>
      landing_page_id: Nullable<string>
      review_id: Nullable<string>
    }
  }
}
