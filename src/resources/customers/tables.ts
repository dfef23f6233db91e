import type { Defaulted, Id, Money, Nullable, Time } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    customer: {
      store_id: StoreId
      id: Id
      name: Defaulted<string>
      email: string
      email_key: string
      name_key: Nullable<string>
      phone: Nullable<string>
      phone_digits: Nullable<string>
      address: Nullable<string>
      address_key: Nullable<string>
      city: Nullable<string>
      city_key: Nullable<string>
      postal_code: Nullable<string>
      postal_code_key: Nullable<string>
      search: string
      country_id: Nullable<string>
      subscription_status: Defaulted<string>
      order_count: Defaulted<number>
      amount_spent: Money
      latest_order_id: Nullable<string>
      created_at: Time
      updated_at: Time
    }
    /** Written by triggers on customer. */
    customer_text: {
      store_id: StoreId
      customer_id: string
      name_key: Nullable<string>
      phone_digits: Nullable<string>
      address_key: Nullable<string>
      city_key: Nullable<string>
      postal_code_key: Nullable<string>
      search: string
      country_id: Nullable<string>
    }
  }
}
