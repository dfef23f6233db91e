import type { Defaulted, Id, Json, Money, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'
import type { OrderTable } from './columns.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    order_text: { store_id: StoreId; id: string; text: string }
    orders: OrderTable & {
      store_id: StoreId
      delivery_statuses: Defaulted<string[]>
      return_statuses: Defaulted<string[]>
      refund_statuses: Defaulted<string[]>
      claimed_by: Nullable<string>
      claimed_until: TimeOrNull
    }
    phone_count: {
      store_id: StoreId
      phone: string
      placed: number
      delivered: number
      returned: number
      open: number
    }
    order_search: { store_id: StoreId; order_id: string; created_at: Date; text: string }
    order_line: {
      store_id: StoreId
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
      stock_placed: Defaulted<number>
      stock_placed_at: Nullable<Date>
    }
    delivery: {
      store_id: StoreId
      id: Id
      order_id: string
      is_return: Defaulted<boolean>
      status: Defaulted<string>
      tracking_number: Nullable<string>
      carrier_id: Nullable<string>
      cash_received: Nullable<string>
      cash_received_at: TimeOrNull
      cash_reference: Nullable<string>
      created_at: Time
      updated_at: Time
    }
    delivery_line: {
      store_id: StoreId
      order_id: string
      delivery_id: string
      order_line_id: string
      quantity: number
    }
    order_return: {
      store_id: StoreId
      id: Id
      order_id: string
      reason: Nullable<string>
      delivery_id: Nullable<string>
      /** The parcel that came back, if a carrier has said so. */
      parcel_id: Nullable<string>
      created_at: Time
    }
    return_line: {
      store_id: StoreId
      id: Id
      order_id: string
      return_id: string
      order_line_id: string
      quantity: number
      reason: Nullable<string>
      restock: Defaulted<boolean>
      awaits_receipt: Defaulted<boolean>
    }
    refund: {
      store_id: StoreId
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
      store_id: StoreId
      id: Id
      order_id: string
      refund_id: string
      order_line_id: string
      quantity: number
      amount: Money
    }
    order_event: {
      store_id: StoreId
      id: Id
      order_id: string
      app_id: Nullable<string>
      app_name: string
      account_id: Nullable<string>
      account_name: Nullable<string>
      via: Nullable<'assistant'>
      subject: string
      subject_id: string
      from_state: Nullable<string>
      to_state: string
      note: Nullable<string>
      created_at: Time
    }
  }
}
