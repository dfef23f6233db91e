import type { Defaulted, Id, Json, Money, MoneyOrNull, Nullable, Time, TimeOrNull } from '../storage/columns.ts'

declare module '../storage/tables.ts' {
  interface Tables {
    order_text: { store_id: string; id: string; text: string }
    orders: {
      store_id: string
      id: Id
      ref: string
      status: Defaulted<string>
      currency: string
      customer_id: Nullable<string>
      customer_first_name: Defaulted<string>
      customer_last_name: Defaulted<string>
      customer_email: Defaulted<string>
      customer_phone: Defaulted<string>
      customer_address: Defaulted<string>
      customer_city: Defaulted<string>
      customer_state: Defaulted<string>
      customer_postal_code: Defaulted<string>
      country_id: Nullable<string>
      billing_first_name: Defaulted<string>
      billing_last_name: Defaulted<string>
      billing_email: Defaulted<string>
      billing_phone: Defaulted<string>
      billing_address: Defaulted<string>
      billing_city: Defaulted<string>
      billing_state: Defaulted<string>
      billing_postal_code: Defaulted<string>
      card_brand: Nullable<string>
      card_last4: Nullable<string>
      shipping_rate: Money
      shipping_name: Nullable<string>
      discount: Money
      discount_code: Nullable<string>
      tip: Money
      tip_type: Nullable<string>
      tip_value: Money
      bundle_name: Nullable<string>
      bundle_option_name: Nullable<string>
      bundle_price: MoneyOrNull
      fee: Money
      subtotal: Money
      total: Money
      quantity: Defaulted<number>
      is_archived: Defaulted<boolean>
      is_cancelled: Defaulted<boolean>
      cancelled_at: TimeOrNull
      paid_at: TimeOrNull
      meta_data: Json
      payment_method_id: Nullable<string>
      landing_page_id: Nullable<string>
      source_link: Nullable<string>
      delivery_statuses: Defaulted<string[]>
      return_statuses: Defaulted<string[]>
      refund_statuses: Defaulted<string[]>
      created_at: Time
      updated_at: Time
    }
    order_search: { store_id: string; order_id: string; created_at: Date; text: string }
    order_line: {
      store_id: string
      id: Id
      order_id: string
      position: number
      product_id: Nullable<string>
      variant_id: Nullable<string>
      quantity: number
      price: Money
      sku: Nullable<string>
      title: string
      is_digital: boolean
      options: Json
      stock_taken: Defaulted<number>
    }
    delivery: {
      store_id: string
      id: Id
      order_id: string
      is_return: Defaulted<boolean>
      status: Defaulted<string>
      tracking_number: Nullable<string>
      carrier_id: Nullable<string>
      created_at: Time
      updated_at: Time
    }
    delivery_line: {
      store_id: string
      order_id: string
      delivery_id: string
      order_line_id: string
      quantity: number
    }
    order_return: {
      store_id: string
      id: Id
      order_id: string
      reason: Nullable<string>
      delivery_id: Nullable<string>
      created_at: Time
    }
    return_line: {
      store_id: string
      id: Id
      order_id: string
      return_id: string
      order_line_id: string
      quantity: number
      reason: Nullable<string>
      restock: Defaulted<boolean>
    }
    refund: {
      store_id: string
      id: Id
      order_id: string
      return_id: Nullable<string>
      status: Defaulted<string>
      amount: Money
      reason: Nullable<string>
      refunded_at: TimeOrNull
      created_at: Time
    }
    refund_line: {
      store_id: string
      id: Id
      order_id: string
      refund_id: string
      order_line_id: string
      quantity: number
      amount: Money
    }
    order_event: {
      store_id: string
      id: Id
      order_id: string
      app_id: Nullable<string>
      app_name: string
      account_id: Nullable<string>
      account_name: Nullable<string>
      subject: string
      subject_id: string
      from_state: Nullable<string>
      to_state: string
      created_at: Time
    }
  }
}
