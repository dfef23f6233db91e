import type { Defaulted, Id, Json, Money, Nullable, Time, TimeOrNull } from '../../core/storage/columns.ts'
import type { StoreId } from '../../core/storage/store-id.ts'

declare module '../../core/storage/tables.ts' {
  interface Tables {
    invoice: {
      store_id: StoreId
      id: Id
      number: number
      store_name: string
      seller: string
      period_start: Time
      period_end: Time
      lines: Json
      currency: string
      subtotal: Money
      tax_percent: Money
      tax: Money
      total: Money
      status: Defaulted<'open' | 'paid' | 'void'>
      due_at: Time
      paid_at: TimeOrNull
      reference: Nullable<string>
      created_at: Time
    }
  }
}
