import type { GeneratedAlways } from 'kysely'
import type { Defaulted, Id, Money, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    product: {
      store_id: StoreId
      id: Id
      slug: string
      slug_is_twin: Defaulted<boolean>
      title: string
      title_key: string
      description: Nullable<string>
      page_title: Nullable<string>
      meta_description: Nullable<string>
      is_digital: Defaulted<boolean>
      status: Defaulted<string>
      stock_tracked: Defaulted<boolean>
      allow_order_when_oos: Defaulted<boolean>
      category_id: Nullable<string>
      category_key: Nullable<string>
      words: Defaulted<string>
      title_words: Defaulted<string>
      has_stock: Defaulted<boolean>
      out_of_stock: GeneratedAlways<boolean>
      created_at: Time
      updated_at: Time
    }
    product_option: { store_id: StoreId; id: Id; product_id: string; name: string; position: number }
    option_value: {
      store_id: StoreId
      id: Id
      product_id: string
      option_id: string
      value: string
      position: number
    }
    variant: {
      store_id: StoreId
      id: Id
      product_id: string
      title: Defaulted<string>
      price: Money
      compare_price: Money
      sku: Nullable<string>
      quantity: Defaulted<number>
      position: Defaulted<number>
      choice: Defaulted<string>
      stock_noted: Defaulted<number>
      created_at: Time
      updated_at: Time
    }
    variant_value: { store_id: StoreId; product_id: string; variant_id: string; option_id: string; value_id: string }
    product_property: {
      store_id: StoreId
      id: Id
      product_id: string
      name: string
      value: string
      position: number
    }
    /** Kept texts: see reading/texts.ts. */
    product_text: { store_id: StoreId; id: string; text: string }
    variant_text: { store_id: StoreId; id: string; text: string }
    /** A copy of `product.updated_at`, which triggers maintain. */
    product_modified: { store_id: StoreId; id: string; updated_at: Time }
  }
}
